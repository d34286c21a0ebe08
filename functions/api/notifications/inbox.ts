/** The caller's inbox. The rules are in sql/70_notifications. */
import { NoFields, SuccessResponse } from "../../../types/envelope.ts";
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
import { describeRoute } from "../../app/describe_route.ts";
import { reply, successReply } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";

export const inbox = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listNotifications",
      summary: "List the caller's notifications; filters combine",
      response: ListNotificationsResponse,
      errors: [403],
    }),
    valid("query", ListNotificationsQuery),
    async (c) => {
      return reply(await c.var.db.call("list_notifications", c.req.valid("query")));
    },
  )
  .get(
    "/unread-count",
    describeRoute({
      operationId: "getUnreadCount",
      summary: "Count the caller's unread notifications",
      response: UnreadCountResponse,
      errors: [403],
    }),
    async (c) => {
      return reply(await c.var.db.call("get_unread_count", {}));
    },
  )
  .get(
    "/counts",
    describeRoute({
      operationId: "getNotificationCounts",
      summary: "Count the caller's notifications by state and category",
      response: NotificationCountsResponse,
      errors: [403],
    }),
    async (c) => {
      return reply(await c.var.db.call("get_notification_counts", {}));
    },
  )
  .post(
    "/read-all",
    describeRoute({
      operationId: "markAllNotificationsRead",
      summary: "Mark all due notifications, or those of a category, as read",
      response: MarkedCountResponse,
      errors: [403],
    }),
    valid("query", ReadAllQuery),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("mark_all_notifications_read", c.req.valid("query")));
    },
  )
  .post(
    "/read-group",
    describeRoute({
      operationId: "markNotificationGroupRead",
      summary: "Mark the due notifications of a group and link as read",
      response: MarkedCountResponse,
      errors: [403],
    }),
    valid("json", NotificationGroupRequest),
    async (c) => {
      return reply(await c.var.db.call("mark_notification_group_read", groupArgs(c.req.valid("json"))));
    },
  )
  .post(
    "/archive-group",
    describeRoute({
      operationId: "archiveNotificationGroup",
      summary: "Archive the due unread notifications of a group and link",
      response: ArchivedCountResponse,
      errors: [403],
    }),
    valid("json", NotificationGroupRequest),
    async (c) => {
      return reply(await c.var.db.call("archive_notification_group", groupArgs(c.req.valid("json"))));
    },
  )
  .post(
    "/unarchive-all",
    describeRoute({
      operationId: "unarchiveAllNotifications",
      summary: "Return all archived notifications to the inbox",
      response: RestoredCountResponse,
      errors: [403],
    }),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("unarchive_all_notifications", {}));
    },
  )
  .post(
    "/:id/read",
    describeRoute({
      operationId: "markNotificationRead",
      summary: "Mark a notification as read; it must be due and not archived",
      response: SuccessResponse,
      errors: [403, 404],
    }),
    valid("param", NotificationPathParams),
    valid("json", NoFields),
    async (c) => {
      return successReply(await c.var.db.call("mark_notification_read", idParam(c.req.valid("param"))));
    },
  )
  .post(
    "/:id/unread",
    describeRoute({
      operationId: "markNotificationUnread",
      summary: "Mark a notification as unread; it must be read and not archived",
      response: SuccessResponse,
      errors: [403, 404],
    }),
    valid("param", NotificationPathParams),
    valid("json", NoFields),
    async (c) => {
      return successReply(await c.var.db.call("mark_notification_unread", idParam(c.req.valid("param"))));
    },
  )
  .post(
    "/:id/archive",
    describeRoute({
      operationId: "archiveNotification",
      summary: "Archive a notification, which marks it as read",
      response: SuccessResponse,
      errors: [403, 404],
    }),
    valid("param", NotificationPathParams),
    valid("json", NoFields),
    async (c) => {
      return successReply(await c.var.db.call("archive_notification", idParam(c.req.valid("param"))));
    },
  )
  .post(
    "/:id/unarchive",
    describeRoute({
      operationId: "unarchiveNotification",
      summary: "Return an archived notification to the inbox",
      response: SuccessResponse,
      errors: [403, 404],
    }),
    valid("param", NotificationPathParams),
    valid("json", NoFields),
    async (c) => {
      return successReply(await c.var.db.call("unarchive_notification", idParam(c.req.valid("param"))));
    },
  )
  .delete(
    "/:id",
    describeRoute({
      operationId: "deleteNotification",
      summary: "Delete a notification from the inbox, which archives it",
      response: SuccessResponse,
      errors: [403, 404],
    }),
    valid("param", NotificationPathParams),
    valid("json", NoFields),
    async (c) => {
      return successReply(await c.var.db.call("delete_notification", idParam(c.req.valid("param"))));
    },
  );

/** The paths' `id` is the notificationId of the SQL functions. */
const idParam = ({ id }: { id: string }) => ({ notificationId: id });

/** SQL takes null as a link; the generated types do not know it. */
const groupArgs = ({ groupKey, link }: { groupKey: string; link: string | null }) => ({ groupKey, link: link! });
