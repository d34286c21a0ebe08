/** /api/guests: inviting and removing guests, and the calls of guests by access token. The rules are in sql/40_guests. */
import { NoFields } from "../../types/envelope.ts";
import {
  EpisodeGuestPathParams,
  GuestEpisodeResponse,
  GuestInvitationResponse,
  GuestMessageResponse,
  GuestTokenRequest,
  InviteGuestRequest,
  ListGuestMessagesRequest,
  ListGuestMessagesResponse,
  PostGuestMessageRequest,
  RemoveEpisodeGuestResponse,
  SentGuestInvitationResponse,
} from "../../types/guests.ts";
import { authenticatedRouter, publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { flatReply, reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

const teamRoutes = authenticatedRouter()
  .post(
    "/",
    describeRoute({
      operationId: "inviteGuest",
      summary: "Invite a guest by email, or send the invitation again",
      response: SentGuestInvitationResponse,
      status: 201,
      errors: [403, 404, 409, 429],
    }),
    valid("json", InviteGuestRequest),
    async (c) => {
      return reply(await c.var.db.call("invite_guest", c.req.valid("json")));
    },
  )
  .delete(
    "/:episodeGuestId",
    describeRoute({
      operationId: "removeEpisodeGuest",
      summary: "Remove a guest and revoke their token",
      response: RemoveEpisodeGuestResponse,
      errors: [403, 404, 409],
    }),
    valid("param", EpisodeGuestPathParams),
    valid("json", NoFields),
    async (c) => {
      return flatReply(await c.var.db.call("remove_episode_guest", c.req.valid("param")));
    },
  );

// The team's routes come last, because their router requires a login
export const guests = publicRouter()
  .post(
    "/accept",
    describeRoute({
      operationId: "acceptGuestInvitation",
      summary: "Accept an invitation",
      response: GuestInvitationResponse,
      errors: [401, 409, 429],
    }),
    valid("json", GuestTokenRequest),
    async (c) => {
      return reply(await c.var.db.call("accept_guest_invitation", c.req.valid("json")));
    },
  )
  .post(
    "/decline",
    describeRoute({
      operationId: "declineGuestInvitation",
      summary: "Decline an invitation",
      response: GuestInvitationResponse,
      errors: [401, 409, 429],
    }),
    valid("json", GuestTokenRequest),
    async (c) => {
      return reply(await c.var.db.call("decline_guest_invitation", c.req.valid("json")));
    },
  )
  .post(
    "/episode",
    describeRoute({
      operationId: "getGuestEpisode",
      summary: "Get the invited episode's public details",
      response: GuestEpisodeResponse,
      errors: [401],
    }),
    valid("json", GuestTokenRequest),
    async (c) => {
      return reply(await c.var.db.call("get_guest_episode", c.req.valid("json")));
    },
  )
  .post(
    "/messages/list",
    describeRoute({
      operationId: "listGuestMessages",
      summary: "List the episode's chat messages, newest first",
      response: ListGuestMessagesResponse,
      errors: [401, 403],
    }),
    valid("json", ListGuestMessagesRequest),
    async (c) => {
      return flatReply(await c.var.db.call("list_guest_messages", c.req.valid("json")));
    },
  )
  .post(
    "/messages",
    describeRoute({
      operationId: "postGuestMessage",
      summary: "Post a chat message",
      response: GuestMessageResponse,
      status: 201,
      errors: [401, 403, 409, 429],
    }),
    valid("json", PostGuestMessageRequest),
    async (c) => {
      return reply(await c.var.db.call("post_guest_message", c.req.valid("json")));
    },
  )
  .route("/", teamRoutes);
