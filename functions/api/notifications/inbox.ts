/** The caller's inbox. The rules are in sql/70_notifications. */
import type { z } from "zod";
import { SuccessResponse } from "../../../types/envelope.ts";
import {
  ArchivedCountResponse,
  ListNotificationsQuery,
  ListNotificationsResponse,
  MarkedCountResponse,
  NotificationCountsResponse,
  NotificationGroupRequest,
  NotificationPathParams,
  ReadAllQuery,
  RestoredCountResponse,
  UnreadCountResponse,
} from "../../../types/notifications.ts";
import { authenticatedRouter } from "../../app/app.ts";
import { operation } from "../../app/operation.ts";
import { successReply } from "../../app/reply.ts";

/** SQL takes null as a link; the generated types do not know it. */
const GroupRequest = NotificationGroupRequest as z.ZodType<{ groupKey: string; link: string }>;

/** Routes of a notification: `:id` is the argument `notificationId`, and the response says only that they succeeded. */
const ofNotification = {
  params: NotificationPathParams,
  rename: { id: "notificationId" } as const,
  reply: successReply,
  response: SuccessResponse,
  errors: [403, 404],
};
const changeOfNotification = { ...ofNotification, errors: [403, 404, 429] };

export const inbox = authenticatedRouter([
  operation("GET", "/", "list_notifications", {
    summary: "List the caller's notifications; filters combine",
    query: ListNotificationsQuery,
    response: ListNotificationsResponse,
    errors: [403],
  }),
  operation("GET", "/unread-count", "get_unread_count", {
    summary: "Count the caller's unread notifications",
    response: UnreadCountResponse,
    errors: [403],
  }),
  operation("GET", "/counts", "get_notification_counts", {
    summary: "Count the caller's notifications by state and category",
    response: NotificationCountsResponse,
    errors: [403],
  }),
  operation("POST", "/read-all", "mark_all_notifications_read", {
    summary: "Mark all due notifications, or those of a category, as read",
    query: ReadAllQuery,
    repeatedCount: "markedCount",
    response: MarkedCountResponse,
    errors: [403],
  }),
  operation("POST", "/read-group", "mark_notification_group_read", {
    summary: "Mark the due notifications of a group and link as read",
    json: GroupRequest,
    repeatedCount: "markedCount",
    response: MarkedCountResponse,
    errors: [403],
  }),
  operation("POST", "/archive-group", "archive_notification_group", {
    summary: "Archive the due unread notifications of a group and link",
    json: GroupRequest,
    repeatedCount: "archivedCount",
    response: ArchivedCountResponse,
    errors: [403],
  }),
  operation("POST", "/unarchive-all", "unarchive_all_notifications", {
    summary: "Return all archived notifications to the inbox",
    repeatedCount: "restoredCount",
    response: RestoredCountResponse,
    errors: [403],
  }),
  operation("POST", "/:id/read", "mark_notification_read", {
    summary: "Mark a notification as read; it must be due and not archived",
    ...changeOfNotification,
  }),
  operation("POST", "/:id/unread", "mark_notification_unread", {
    summary: "Mark a notification as unread; it must be read and not archived",
    ...changeOfNotification,
  }),
  operation("POST", "/:id/archive", "archive_notification", {
    summary: "Archive a notification, which marks it as read",
    ...changeOfNotification,
  }),
  operation("POST", "/:id/unarchive", "unarchive_notification", {
    summary: "Return an archived notification to the inbox",
    ...changeOfNotification,
  }),
  operation("DELETE", "/:id", "delete_notification", {
    summary: "Delete a notification from the inbox, which archives it",
    ...ofNotification,
  }),
]);
