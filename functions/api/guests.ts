/** /api/guests: inviting and removing guests, and the calls of guests by access token. The rules are in sql/40_guests. */
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
import { operation } from "../app/operation.ts";
import { flatReply } from "../app/reply.ts";

const teamRoutes = authenticatedRouter([
  operation("POST", "/", "invite_guest", {
    summary: "Invite a guest by email, or send the invitation again",
    json: InviteGuestRequest,
    response: SentGuestInvitationResponse,
    status: 201,
    errors: [403, 404, 409, 429],
  }),
  operation("DELETE", "/:episodeGuestId", "remove_episode_guest", {
    summary: "Remove a guest and revoke their token",
    params: EpisodeGuestPathParams,
    reply: flatReply,
    response: RemoveEpisodeGuestResponse,
    errors: [403, 404, 409],
  }),
]);

// The team's routes come last, because their router requires a login
export const guests = publicRouter([
  operation("POST", "/accept", "accept_guest_invitation", {
    summary: "Accept an invitation",
    json: GuestTokenRequest,
    response: GuestInvitationResponse,
    errors: [401, 409, 429],
  }),
  operation("POST", "/decline", "decline_guest_invitation", {
    summary: "Decline an invitation",
    json: GuestTokenRequest,
    response: GuestInvitationResponse,
    errors: [401, 409, 429],
  }),
  operation("POST", "/episode", "get_guest_episode", {
    summary: "Get the invited episode's public details",
    json: GuestTokenRequest,
    response: GuestEpisodeResponse,
    errors: [401],
  }),
  operation("POST", "/messages/list", "list_guest_messages", {
    summary: "List the episode's chat messages, newest first",
    json: ListGuestMessagesRequest,
    reply: flatReply,
    response: ListGuestMessagesResponse,
    errors: [401, 403],
  }),
  operation("POST", "/messages", "post_guest_message", {
    summary: "Post a chat message",
    json: PostGuestMessageRequest,
    response: GuestMessageResponse,
    status: 201,
    errors: [401, 403, 409, 429],
  }),
  teamRoutes,
]);
