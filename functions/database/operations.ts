import type { Database, Json } from "../../types/database.ts";

/**
 * The public functions of sql/, each with the statement that runs it as its caller (`private.call_<function>`, in
 * sql/00_foundation). The set is closed, so that no name is ever built from input; tests/database compares it with the
 * catalog.
 */
const names = [
  "accept_guest_invitation",
  "accept_podcast_invitation",
  "accept_podcast_transfer",
  "add_episode_person",
  "add_push_subscription",
  "archive_episode",
  "archive_notification",
  "archive_notification_group",
  "authorize_artwork_import",
  "authorize_audio_upload",
  "authorize_image_upload",
  "authorize_transcript_upload",
  "begin_artwork_import",
  "begin_artwork_move",
  "begin_audio_upload",
  "begin_calendar_connection",
  "begin_direct_upload",
  "begin_direct_upload_completion",
  "begin_feed_recheck",
  "begin_image_upload",
  "begin_transcript_upload",
  "cancel_booking",
  "cancel_deletion",
  "cancel_guest_booking",
  "cancel_import",
  "check_health",
  "confirm_automation_address",
  "confirm_booking",
  "confirm_import",
  "create_automation_rule",
  "create_automation_template",
  "create_booking_link",
  "create_episode",
  "create_podcast",
  "decline_booking",
  "decline_guest_invitation",
  "decline_podcast_invitation",
  "decline_podcast_transfer",
  "delete_account",
  "delete_automation_address",
  "delete_automation_rule",
  "delete_automation_template",
  "delete_booking_link",
  "delete_episode_message",
  "delete_notification",
  "delete_podcast",
  "delete_podcast_image",
  "dry_run_automation_rule",
  "export_account",
  "get_automation_execution",
  "get_automation_rule",
  "get_automation_stats",
  "get_automation_template",
  "get_availability",
  "get_billing",
  "get_episode_cover",
  "get_feed_report",
  "get_guest_booking",
  "get_guest_episode",
  "get_import",
  "get_import_report",
  "get_latest_public_episode",
  "get_month_availability",
  "get_notification_counts",
  "get_oembed",
  "get_podcast_guest",
  "get_podcast_lifecycle",
  "get_public_booking_link",
  "get_public_chapters",
  "get_public_episode",
  "get_public_episode_by_id",
  "get_public_podcast",
  "get_storage_usage",
  "get_unread_count",
  "invite_guest",
  "invite_podcast_member",
  "lift_email_suppression",
  "list_automation_addresses",
  "list_automation_executions",
  "list_automation_rules",
  "list_automation_templates",
  "list_booking_links",
  "list_bookings",
  "list_calendars",
  "list_episode_people",
  "list_guest_messages",
  "list_notifications",
  "list_podcast_guests",
  "list_public_episodes",
  "list_public_transcripts",
  "list_push_subscriptions",
  "mark_all_notifications_read",
  "mark_guest_notifications_read",
  "mark_notification_group_read",
  "mark_notification_read",
  "mark_notification_unread",
  "notify_chat_message",
  "offer_podcast_transfer",
  "pause_podcast",
  "post_guest_message",
  "presign_audio_upload",
  "presign_image_upload",
  "presign_transcript_upload",
  "preview_automation_template",
  "publish_episode",
  "record_email_click",
  "record_email_open",
  "record_push_click",
  "remove_calendar_connection",
  "remove_episode_audio",
  "remove_episode_guest",
  "remove_episode_person",
  "remove_episode_person_credit",
  "remove_push_subscription",
  "reorder_episode_credits",
  "request_automation_address",
  "request_booking",
  "reschedule_booking",
  "reschedule_guest_booking",
  "resend_ownership_code",
  "resend_podcast_invitation",
  "resume_import",
  "retry_automation_execution",
  "retry_failed_deliveries",
  "retry_failed_import_items",
  "retry_import_item",
  "rotate_webhook_secret",
  "schedule_episode",
  "select_calendars",
  "set_episode_chapters",
  "set_episode_person_credit",
  "set_podcast_credits",
  "start_import",
  "toggle_automation_rule",
  "unarchive_all_notifications",
  "unarchive_notification",
  "unpause_podcast",
  "unpublish_episode",
  "unsubscribe_email",
  "update_automation_rule",
  "update_automation_template",
  "update_booking_link",
  "update_deletion_redirect",
  "update_episode_person",
  "update_podcast_guest",
  "verify_guest_booking",
  "verify_import_ownership",
  "withdraw_podcast_invitation",
  "withdraw_podcast_transfer",
] as const satisfies (keyof Functions)[];

export type Operation = typeof names[number];

/** The arguments of an operation by their names in TypeScript: episodeId is episode_id in SQL. */
export type Arguments<O extends Operation> = {
  [Name in keyof Functions[O]["Args"] as CamelName<Name>]: Argument<Functions[O]["Args"][Name]>;
};

type Functions = Database["public"]["Functions"];
type Argument<T> = Json extends T ? object | null | undefined : undefined extends T ? T | null : T;
type CamelName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : Name;

/**
 * Public reads: their functions return the same to every caller, so that the service runs them, without the cost of a
 * change of role. tests/database checks that they are stable and that anonymous callers may execute them.
 */
export const publicReads = [
  "get_latest_public_episode",
  "get_oembed",
  "get_public_chapters",
  "get_public_episode",
  "get_public_episode_by_id",
  "get_public_podcast",
  "list_public_episodes",
  "list_public_transcripts",
] as const satisfies Operation[];

export type PublicRead = typeof publicReads[number];

/**
 * Returns JSON text with its ETag; no text if `$1` is the ETag, so that an unchanged result is not transferred. The
 * other parameters are the values of the arguments. `offset 0` prevents Postgres from running the function twice.
 */
export function readStatement(read: PublicRead, args: Record<string, unknown>): string {
  const list = Object.keys(args).map((name, n) => `"${toSqlName(name)}" => $${n + 2}`);
  return `
    select t.etag, case when t.etag is distinct from $1 then t.text end as text from (
      select '"' || md5(r.text) || '"' as etag, r.text
      from (select public.${read}(${list})::text as text offset 0) r offset 0) t`;
}

/** Takes callParameters(). */
export const callStatements = Object.fromEntries(
  names.map((name) => [
    name,
    `select status, data::text as text from private.call_${name}($1::text::json, $2::text::jsonb)`,
  ]),
) as Record<Operation, string>;

/** The claims and the arguments, both as JSON text; as jsonb, the driver would encode the text once more. */
export function callParameters(claims: string, args: Record<string, unknown>): [claims: string, args: string] {
  return [
    claims,
    JSON.stringify(Object.fromEntries(Object.entries(args).map(([name, value]) => [toSqlName(name), value]))),
  ];
}

/** episodeId is episode_id in SQL. */
const toSqlName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
