/** /api/notifications/mutes: what the caller wants no emails and pushes about. The rules are in sql/70_notifications. */
import {
  ListNotificationMutesResponse,
  MuteNotificationsRequest,
  NotificationMutePathParams,
  NotificationMuteResponse,
} from "../../../types/notification_mutes.ts";
import { authenticatedRouter } from "../../app/app.ts";
import { operation } from "../../app/operation.ts";

export const mutes = authenticatedRouter([
  operation("GET", "/", "list_notification_mutes", {
    summary: "List what the caller has muted",
    response: ListNotificationMutesResponse,
    errors: [403],
  }),
  operation("POST", "/", "mute_notifications", {
    summary: "Mute (201) a podcast, an episode or a chat, or change (200) a mute",
    description:
      "The inbox still shows what happens; emails and pushes end, except essential ones, and mentions unless " +
      "mutesMentions is true.",
    json: MuteNotificationsRequest,
    response: NotificationMuteResponse,
    status: [200, 201],
    errors: [403, 404, 409],
  }),
  operation("DELETE", "/:id", "unmute_notifications", {
    summary: "End a mute of the caller",
    params: NotificationMutePathParams,
    rename: { id: "muteId" },
    response: NotificationMuteResponse,
    errors: [403, 404],
  }),
]);
