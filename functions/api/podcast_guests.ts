/** /api/podcast-guests: a podcast's guest records. The rules are in sql/40_guests. */
import { GuestChanges, GuestId, GuestSearch } from "../../types/guests.ts";
import { router } from "../app/app.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const podcastGuests = router()
  .get("/", valid("query", GuestSearch), async (c) => {
    return reply(await c.var.db.call("list_podcast_guests", c.req.valid("query")));
  })
  .get("/:id", valid("param", GuestId), async (c) => {
    return reply(await c.var.db.call("get_podcast_guest", c.req.valid("param")));
  })
  .put("/:id", valid("param", GuestId), valid("json", GuestChanges), async (c) => {
    const changes = c.req.valid("json");
    return reply(await c.var.db.call("update_podcast_guest", { ...c.req.valid("param"), changes }));
  });
