/** The inbox over the wire: notifications of the caller. */
import { z } from "zod";
import { booleanParam, Cursor, Id, idParam, limitParam, successEnvelope, Timestamp } from "./envelope.ts";

export const NotificationCategory = z.enum(["episode", "collaboration", "team", "booking", "system"]);
export const NotificationPriority = z.enum(["low", "normal", "immediate"]);

export const Notification = z.strictObject({
  id: Id,
  type: z.string().describe("A row of the table notification_types, such as chat.message"),
  category: NotificationCategory,
  priority: NotificationPriority,
  title: z.string(),
  body: z.string().nullable(),
  link: z.string().nullable().describe("A path of the app"),
  group_key: z.string().nullable().describe("Notifications with the same key are a thread"),
  scheduled_for: Timestamp.nullable().describe("The notification is due from then on"),
  read_at: Timestamp.nullable(),
  archived_at: Timestamp.nullable(),
  created_at: Timestamp,
  metadata: z.record(z.string(), z.unknown()).describe("Ids and values of what the notification is about"),
}).meta({ id: "Notification" });

/** GET /api/notifications */
export const ListNotificationsQuery = z.object({
  limit: limitParam(100, 25),
  cursor: Cursor.optional().describe("cursor of the previous page"),
  archivedOnly: booleanParam.optional().meta({ default: false }).describe("Archived notifications, due or not"),
  unreadOnly: booleanParam.optional().meta({ default: false }).describe("Unread notifications"),
  category: NotificationCategory.optional().describe("Only notifications of this category"),
  priority: NotificationPriority.optional().describe("Only notifications of this priority"),
});
export const ListNotificationsResponse = successEnvelope(z.strictObject({
  notifications: z.array(Notification).describe("Newest first"),
  cursor: Cursor.nullable().describe("Opaque; null on the last page"),
  hasMore: z.boolean(),
}));

/** GET /api/notifications/unread-count */
export const UnreadCountResponse = successEnvelope(z.strictObject({ unreadCount: z.int().min(0) }));

/** GET /api/notifications/counts */
export const NotificationCountsResponse = successEnvelope(
  z.strictObject({
    inbox: z.int().min(0).describe("Due and not archived"),
    unread: z.int().min(0).describe("Due and unread"),
    archived: z.int().min(0),
    needsAttention: z.int().min(0).describe("Unread ones of priority immediate, due or not"),
    byCategory: z.record(NotificationCategory, z.int().min(0)).describe("The inbox by category"),
  }).meta({ id: "NotificationCounts" }),
);

/** Present only if the rows are more than a request can change: the next one continues. */
const hasMore = z.literal(true).optional().describe("Repeat the request to change the others");

/** POST /api/notifications/read-all */
export const ReadAllQuery = z.strictObject({ // a misspelt category would mark all
  category: NotificationCategory.exclude(["system"]).optional().describe("Only notifications of this category"),
});
export const MarkedCountResponse = successEnvelope(z.strictObject({ markedCount: z.int().min(0), hasMore }));

/** POST /api/notifications/read-group, …/archive-group */
export const NotificationGroupRequest = z.strictObject({
  groupKey: z.string().refine((key) => key !== "" && [...key].length <= 200, "must be 1 to 200 characters")
    .meta({ minLength: 1, maxLength: 200 }),
  link: z.string().nullable().describe("null matches notifications without a link"),
});
export const ArchivedCountResponse = successEnvelope(z.strictObject({ archivedCount: z.int().min(0), hasMore }));

/** POST /api/notifications/unarchive-all */
export const RestoredCountResponse = successEnvelope(z.strictObject({ restoredCount: z.int().min(0), hasMore }));

/** The path /api/notifications/{id} */
export const NotificationPathParams = z.object({ id: idParam("notification") });

/** GET /api/notifications/email-status */
export const EmailStatusResponse = successEnvelope(
  z.strictObject({
    email: z.string().nullable().describe("The caller's confirmed address"),
    isSuppressed: z.boolean(),
    reason: z.enum(["complaint", "bounce"]).nullable()
      .describe("complaint: emails that are not essential stop; bounce: all stop"),
    since: Timestamp.nullable(),
  }).meta({ id: "EmailStatus" }),
);

/** POST /api/notifications/email-status/confirm */
export const ConfirmEmailAddressRequest = z.strictObject({ code: z.string().regex(/^\d{6}$/, "must be 6 digits") });
