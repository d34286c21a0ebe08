/** /api/podcast-guests: a podcast's guests. The rules are in sql/40_guests. */
import {
  ListPodcastGuestsQuery,
  ListPodcastGuestsResponse,
  PodcastGuestPathParams,
  PodcastGuestResponse,
  UpdatePodcastGuestRequest,
  UpdatePodcastGuestResponse,
} from "../../types/guests.ts";
import { authenticatedRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const podcastGuests = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listPodcastGuests",
      summary: "List or search a podcast's guests",
      response: ListPodcastGuestsResponse,
      errors: [403, 404],
    }),
    valid("query", ListPodcastGuestsQuery),
    async (c) => {
      return reply(await c.var.db.call("list_podcast_guests", c.req.valid("query")));
    },
  )
  .get(
    "/:id",
    describeRoute({
      operationId: "getPodcastGuest",
      summary: "Get a guest with their episodes",
      response: PodcastGuestResponse,
      errors: [403, 404],
    }),
    valid("param", PodcastGuestPathParams),
    async (c) => {
      return reply(await c.var.db.call("get_podcast_guest", { podcastGuestId: c.req.valid("param").id }));
    },
  )
  .put(
    "/:id",
    describeRoute({
      operationId: "updatePodcastGuest",
      summary: "Update a guest's name, notes or bio",
      response: UpdatePodcastGuestResponse,
      errors: [403, 404, 409],
    }),
    valid("param", PodcastGuestPathParams),
    valid("json", UpdatePodcastGuestRequest),
    async (c) => {
      const { id: podcastGuestId } = c.req.valid("param");
      const changes = c.req.valid("json");
      return reply(await c.var.db.call("update_podcast_guest", { podcastGuestId, changes }));
    },
  );
