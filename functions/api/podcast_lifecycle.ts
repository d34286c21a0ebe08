/** /api/podcast-lifecycle: pause and deletion, for the owner. The rules are in sql/25_lifecycle. */
import { NoFields } from "../../types/envelope.ts";
import {
  DeletePodcastRequest,
  DeletePodcastResponse,
  PausePodcastResponse,
  PodcastLifecyclePathParams,
  PodcastLifecycleResponse,
  UnpausePodcastResponse,
  UpdateDeletionRedirectRequest,
} from "../../types/podcast_lifecycle.ts";
import { authenticatedRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const podcastLifecycle = authenticatedRouter()
  .get(
    "/:podcastId",
    describeRoute({
      operationId: "getPodcastLifecycle",
      summary: "Get status, pause and deletion of a podcast",
      response: PodcastLifecycleResponse,
      errors: [403, 404],
    }),
    valid("param", PodcastLifecyclePathParams),
    async (c) => {
      return reply(await c.var.db.call("get_podcast_lifecycle", c.req.valid("param")));
    },
  )
  .post(
    "/:podcastId/pause",
    describeRoute({
      operationId: "pausePodcast",
      summary: "Pause a podcast for up to 90 days; its feed stays public",
      response: PausePodcastResponse,
      errors: [403, 404, 409],
    }),
    valid("param", PodcastLifecyclePathParams),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("pause_podcast", c.req.valid("param")));
    },
  )
  .post(
    "/:podcastId/unpause",
    describeRoute({
      operationId: "unpausePodcast",
      summary: "End a podcast's pause",
      response: UnpausePodcastResponse,
      errors: [403, 404, 409],
    }),
    valid("param", PodcastLifecyclePathParams),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("unpause_podcast", c.req.valid("param")));
    },
  )
  .post(
    "/:podcastId/delete",
    describeRoute({
      operationId: "deletePodcast",
      summary: "Schedule a podcast's deletion after a redirect window, or delete an external podcast at once",
      response: DeletePodcastResponse,
      errors: [403, 404, 409, 429],
    }),
    valid("param", PodcastLifecyclePathParams),
    valid("json", DeletePodcastRequest),
    async (c) => {
      const { confirm_name: confirmName, redirect_url: redirectUrl, redirect_days: redirectDays } = c.req.valid("json");
      return reply(
        await c.var.db.call("delete_podcast", { ...c.req.valid("param"), confirmName, redirectUrl, redirectDays }),
      );
    },
  )
  .put(
    "/:podcastId/deletion-redirect",
    describeRoute({
      operationId: "updateDeletionRedirect",
      summary: "Change or clear the redirect of a podcast that is pending deletion",
      response: PodcastLifecycleResponse,
      errors: [403, 404, 409],
    }),
    valid("param", PodcastLifecyclePathParams),
    valid("json", UpdateDeletionRedirectRequest),
    async (c) => {
      const { redirect_url: redirectUrl } = c.req.valid("json");
      return reply(await c.var.db.call("update_deletion_redirect", { ...c.req.valid("param"), redirectUrl }));
    },
  )
  .post(
    "/:podcastId/cancel-deletion",
    describeRoute({
      operationId: "cancelDeletion",
      summary: "Keep a podcast that is pending deletion",
      response: PodcastLifecycleResponse,
      errors: [403, 404, 409],
    }),
    valid("param", PodcastLifecyclePathParams),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("cancel_deletion", c.req.valid("param")));
    },
  );
