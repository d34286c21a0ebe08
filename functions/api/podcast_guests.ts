/** /api/podcast-guests: a podcast's guest records. The rules are in sql/40_guests. */
import { ListPodcastGuestsQuery, PodcastGuestPathParams, UpdatePodcastGuestRequest } from "../../types/guests.ts";
import { authenticatedRouter } from "../app/app.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const podcastGuests = authenticatedRouter()
  .get("/", valid("query", ListPodcastGuestsQuery), async (c) => {
    return reply(await c.var.db.call("list_podcast_guests", c.req.valid("query")));
  })
  .get("/:id", valid("param", PodcastGuestPathParams), async (c) => {
    return reply(await c.var.db.call("get_podcast_guest", c.req.valid("param")));
  })
  .put("/:id", valid("param", PodcastGuestPathParams), valid("json", UpdatePodcastGuestRequest), async (c) => {
    const changes = c.req.valid("json");
    return reply(await c.var.db.call("update_podcast_guest", { ...c.req.valid("param"), changes }));
  });
