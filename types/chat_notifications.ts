/** Notifications about an episode's chat over the wire. */
import { z } from "zod";
import { Id, successEnvelope } from "./envelope.ts";
import { GuestTokenRequest } from "./guests.ts";

const ActiveIds = z.array(Id).max(500).nullish();

/** POST /api/notifications/events/chat */
export const NotifyChatMessageRequest = z.strictObject({
  episodeId: Id,
  messageId: z.string(),
  accessToken: z.string().min(10).nullish().describe("Of the guest who sent the message; it decides if a user calls"),
  activeUserIds: ActiveIds.describe("Users who have the chat open; they are not notified"),
  activeGuestIds: ActiveIds.describe("Guests (ids of episode_guests) who have the chat open; they are not notified"),
});
export const NotifyChatMessageResponse = successEnvelope(z.strictObject({
  notifiedCount: z.int().min(0).describe("People who are notified by this call"),
  dedupedCount: z.int().min(0).describe("People whom an earlier call notified"),
}));

/** POST /api/notifications/guest-read */
export const MarkGuestNotificationsReadRequest = GuestTokenRequest.extend({ episodeId: Id });
