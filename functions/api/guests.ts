/** /api/guests: who is invited to an episode, and what guests do with the token of their mail. The rules are in sql/40_guests. */
import { NoFields } from "../../types/envelope.ts";
import {
  EpisodeGuestPathParams,
  GuestTokenRequest,
  InviteGuestRequest,
  ListGuestMessagesRequest,
  PostGuestMessageRequest,
} from "../../types/guests.ts";
import { authenticatedRouter, publicRouter } from "../app/app.ts";
import { flatReply, reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

const hosts = authenticatedRouter()
  .post("/", valid("json", InviteGuestRequest), async (c) => {
    return reply(await c.var.db.call("invite_guest", c.req.valid("json")));
  })
  .delete("/:episodeGuestId", valid("param", EpisodeGuestPathParams), valid("json", NoFields), async (c) => {
    return flatReply(await c.var.db.call("remove_episode_guest", c.req.valid("param")));
  });

// The hosts' routes come last: what stands before them asks for no login
export const guests = publicRouter()
  .post("/accept", valid("json", GuestTokenRequest), async (c) => {
    return reply(await c.var.db.call("accept_guest_invitation", c.req.valid("json")));
  })
  .post("/decline", valid("json", GuestTokenRequest), async (c) => {
    return reply(await c.var.db.call("decline_guest_invitation", c.req.valid("json")));
  })
  .post("/episode", valid("json", GuestTokenRequest), async (c) => {
    return reply(await c.var.db.call("get_guest_episode", c.req.valid("json")));
  })
  .post("/messages/list", valid("json", ListGuestMessagesRequest), async (c) => {
    return flatReply(await c.var.db.call("list_guest_messages", c.req.valid("json")));
  })
  .post("/messages", valid("json", PostGuestMessageRequest), async (c) => {
    return reply(await c.var.db.call("post_guest_message", c.req.valid("json")));
  })
  .route("/", hosts);
