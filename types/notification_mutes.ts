/** What a user muted, over the wire. */
import { z } from "zod";
import { Id, idParam, Instant, successEnvelope, Timestamp } from "./envelope.ts";

export const NotificationMuteScope = z.enum(["podcast", "episode", "chat"]);

export const NotificationMute = z.strictObject({
  id: Id,
  scope: NotificationMuteScope,
  podcast_id: Id,
  episode_id: Id.nullable().describe("Of an episode, or of its chat"),
  muted_until: Timestamp.nullable().describe("null: permanently"),
  mutes_mentions: z.boolean(),
  created_at: Timestamp,
}).meta({ id: "NotificationMute" });

/** GET /api/notifications/mutes */
export const ListNotificationMutesResponse = successEnvelope(
  z.strictObject({ mutes: z.array(NotificationMute).describe("Newest first") }),
);

/** POST /api/notifications/mutes */
export const MuteNotificationsRequest = z.strictObject({
  scope: NotificationMuteScope,
  podcastId: Id.optional().describe("Of the scope podcast"),
  episodeId: Id.optional().describe("Of the scopes episode and chat"),
  mutedUntil: Instant.nullish().describe("null: permanently"),
  mutesMentions: z.boolean().optional().meta({ default: false }),
}).meta({
  if: { properties: { scope: { const: "podcast" } } },
  then: { required: ["podcastId"], properties: { podcastId: {}, episodeId: false } },
  else: { required: ["episodeId"], properties: { episodeId: {}, podcastId: false } },
});
export const NotificationMuteResponse = successEnvelope(z.strictObject({ mute: NotificationMute }));

/** DELETE /api/notifications/mutes/{id} */
export const NotificationMutePathParams = z.object({ id: idParam("mute") });
