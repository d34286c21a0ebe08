/** /api/guests/messages: the chat of the episode that an access token opens. The rules are in sql/40_guests. */
import { GuestMessageListing, NewGuestMessage } from "../../types/guest_messages.ts";
import { part } from "../_shared/app.ts";
import { reply, succeeded } from "../_shared/reply.ts";
import { valid } from "../_shared/valid.ts";

export const guestMessages = part()
  .post("/list", valid("json", GuestMessageListing), async (c) => {
    return succeeded(await c.var.db.call("list_guest_messages", c.req.valid("json")));
  })
  .post("/", valid("json", NewGuestMessage), async (c) => {
    return reply(await c.var.db.call("post_guest_message", c.req.valid("json")));
  });
