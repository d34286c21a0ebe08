/** /api/podcast-lifecycle: pause, deletion and redirects, for the owner. The rules are in sql/25_lifecycle. */
import type { z } from "zod";
import {
  DeletePodcastRequest,
  DeletePodcastResponse,
  PausePodcastResponse,
  PodcastLifecyclePathParams,
  PodcastLifecycleResponse,
  SetRedirectRequest,
  UnpausePodcastResponse,
  UpdateDeletedPodcastRedirectResponse,
  UpdateDeletionRedirectRequest,
} from "../../types/podcast_lifecycle.ts";
import { authenticatedRouter } from "../app/app.ts";
import { operation } from "../app/operation.ts";

/** SQL takes null as a required redirect; the generated types do not know it. */
const RequiredRedirect = SetRedirectRequest as z.ZodType<{ redirect_url: string }>;

export const podcastLifecycle = authenticatedRouter([
  operation("GET", "/:podcastId", "get_podcast_lifecycle", {
    summary: "Get status, pause and deletion of a podcast",
    params: PodcastLifecyclePathParams,
    response: PodcastLifecycleResponse,
    errors: [403, 404],
  }),
  operation("POST", "/:podcastId/pause", "pause_podcast", {
    summary: "Pause a podcast for up to 90 days; its feed stays public",
    params: PodcastLifecyclePathParams,
    response: PausePodcastResponse,
    errors: [403, 404, 409],
  }),
  operation("POST", "/:podcastId/unpause", "unpause_podcast", {
    summary: "End a podcast's pause",
    params: PodcastLifecyclePathParams,
    response: UnpausePodcastResponse,
    errors: [403, 404, 409],
  }),
  operation("POST", "/:podcastId/delete", "delete_podcast", {
    summary: "Schedule a podcast's deletion after a redirect window, or delete an external podcast at once",
    params: PodcastLifecyclePathParams,
    json: DeletePodcastRequest,
    response: DeletePodcastResponse,
    errors: [403, 404, 409, 429],
  }),
  operation("PUT", "/:podcastId/deletion-redirect", "update_deletion_redirect", {
    summary: "Change or clear the redirect of a podcast that is pending deletion",
    params: PodcastLifecyclePathParams,
    json: UpdateDeletionRedirectRequest,
    response: PodcastLifecycleResponse,
    errors: [403, 404, 409, 429],
  }),
  operation("PUT", "/:podcastId/feed-redirect", "set_feed_redirect", {
    summary: "Redirect a podcast's feed while the podcast stays, or end that",
    params: PodcastLifecyclePathParams,
    json: RequiredRedirect,
    response: PodcastLifecycleResponse,
    errors: [403, 404, 409, 429],
  }),
  operation("PUT", "/:podcastId/deleted-redirect", "update_deleted_podcast_redirect", {
    summary: "Correct the redirect of a deleted podcast, for a year, as its former owner",
    params: PodcastLifecyclePathParams,
    json: RequiredRedirect,
    response: UpdateDeletedPodcastRedirectResponse,
    errors: [403, 404, 409, 429],
  }),
  operation("POST", "/:podcastId/cancel-deletion", "cancel_deletion", {
    summary: "Keep a podcast that is pending deletion",
    params: PodcastLifecyclePathParams,
    response: PodcastLifecycleResponse,
    errors: [403, 404, 409],
  }),
]);
