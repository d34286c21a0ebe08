// The rows of a world that strangers must not see: the team, guests, bookings, imports, automations, notifications.
import type { Episode, Row, World } from "./world.ts";

export interface Users {
  owner: string;
  admin: string;
  guest: string;
}

const HASH = `\\x${"ab".repeat(32)}`;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
/** A digest of its own: digests are keys. */
const digest = (id: string) => `\\x${id.replaceAll("-", "").repeat(2)}`;

/** Makes the accounts of a world, with what belongs to an account. */
export function makeUsers({ mark, id, rows, random }: World): Users {
  const add = (table: string, row: Row) => rows.push({ table, row });

  function addUser(): string {
    const userId = id("auth.users.id");
    add("auth.users", {
      id: userId,
      aud: "authenticated",
      role: "authenticated",
      email: `${mark("auth.users.email")}@private.example`,
      email_confirmed_at: inDays(-10),
      encrypted_password: mark("auth.users.encrypted_password"),
      raw_user_meta_data: { display_name: mark("auth.users.raw_user_meta_data") },
    });
    add("public.profiles", { id: userId, timezone: "UTC", locale: "en" });
    add("public.billing_accounts", { user_id: userId, plan_code: "free", storage_bytes_used: 1_000_000 });
    add("private.subscriptions", {
      user_id: userId,
      has_open_podcasts: true,
      is_collection_void: false,
      checkout_price_id: "price_pro",
    });
    add("public.notification_preferences", { user_id: userId });
    add("private.reapable_users", { user_id: userId, checked_at: inDays(-1) });
    add("private.email_suppressions", { digest: digest(userId), type: null, reason: "bounce" });
    add("private.resend_events", {
      type: "email.bounced",
      happened_at: inDays(-1),
      received_at: inDays(-1),
      reason: "bounce",
    });
    add("private.object_removals", { expires_at: inDays(300) });
    const notificationId = id("notifications.id"), deliveryId = id("notification_deliveries.id");
    add("public.notifications", {
      id: notificationId,
      user_id: userId,
      type: "chat.message",
      category: "episode",
      priority: "normal",
      metadata: { note: mark("notifications.metadata") },
    });
    add("public.notification_deliveries", {
      id: deliveryId,
      notification_id: notificationId,
      user_id: userId,
      type: "chat.message",
      channel: "email",
      priority: "normal",
      status: random.one(["pending", "sent", "failed"]),
      due_at: inDays(300),
    });
    add("private.delivery_sends", { delivery_id: deliveryId, content: { html: mark("delivery_sends.content") } });
    add("private.email_tokens", {
      digest: digest(deliveryId),
      delivery_id: deliveryId,
      kind: "click",
      expires_at: inDays(10),
    });
    add("private.notification_keys", { recipient_id: userId, notification_id: notificationId });
    const subscriptionId = id("push_subscriptions.id");
    add("public.push_subscriptions", { id: subscriptionId, user_id: userId });
    add("private.push_sends", { delivery_id: deliveryId, subscription_id: subscriptionId, outcome: "rejected" });
    const connectionId = id("calendar_connections.id"), calendarId = id("connected_calendars.id");
    const isActive = random.chance(0.5);
    add("public.calendar_connections", {
      id: connectionId,
      user_id: userId,
      provider: random.one(["google", "microsoft", "caldav"]),
      status: isActive ? "active" : "failing",
      ...isActive && { last_error: null },
    });
    add("public.connected_calendars", {
      id: calendarId,
      connection_id: connectionId,
      user_id: userId,
      warnings: [{ text: mark("connected_calendars.warnings"), count: 1 }],
    });
    add("private.calendar_busy", { calendar_id: calendarId, failures: 1, due_at: inDays(300) });
    add("private.calendar_events", {
      booking_id: id("calendar_events.booking_id"),
      calendar_id: calendarId,
      creation_key: id("calendar_events.creation_key"),
      attendee_digests: [mark("calendar_events.attendee_digests")],
    });
    add("private.calendar_authorizations", {
      digest: digest(calendarId),
      user_id: userId,
      provider: "google",
      expires_at: inDays(1),
    });
    return userId;
  }

  return { owner: addUser(), admin: addUser(), guest: addUser() };
}

/** Adds what belongs to a podcast, and returns what strangers may try. */
export function addPrivateRows(
  { mark, id, rows, random }: World,
  podcast: Row & { id: string },
  episodes: Episode[],
  users: Users,
) {
  const podcast_id = podcast.id, of = { podcast_id };
  const add = (table: string, row: Row) => rows.push({ table, row });
  const emailOf = (label: string) => `${mark(label)}@private.example`;
  add("public.podcast_members", { ...of, user_id: users.owner, role: "owner" });
  add("public.podcast_members", { ...of, user_id: users.admin, role: random.one(["admin", "member"]) });
  const invitationId = id("podcast_invitations.id");
  add("public.podcast_invitations", {
    ...of,
    id: invitationId,
    status: random.one(["pending", "accepted", "declined", "withdrawn", "expired"]),
    invited_by: users.owner,
    expires_at: inDays(10),
  });
  add("private.podcast_invitation_blocks", { ...of, blocked_at: inDays(-1) });
  add("public.podcast_transfers", {
    ...of,
    id: id("podcast_transfers.id"),
    user_id: users.admin,
    offered_by: users.owner,
    status: random.one(["pending", "declined"]),
  });

  const bookingLink = {
    ...of,
    id: id("booking_links.id"),
    slug: mark("booking_links.slug"),
    name: mark("booking_links.name"),
    description: mark("booking_links.description"),
    timezone: "UTC",
    is_active: random.chance(0.6),
    availability_rules: [1, 2, 3].map((dayOfWeek) => ({ dayOfWeek, startTime: "09:00", endTime: "17:00" })),
    questions: [{ id: mark("booking_links.questions"), label: mark("booking_links.questions") }],
    location: { type: "custom", value: mark("booking_links.location") },
  };
  add("public.booking_links", bookingLink);
  for (let n = random.below(3) + 1; n > 0; n--) {
    const status = random.one(["pending", "confirmed", "declined", "cancelled"]), bookingId = id("bookings.id");
    add("public.bookings", {
      ...of,
      id: bookingId,
      booking_link_id: bookingLink.id,
      episode_id: episodes[0]?.row.id ?? null,
      start_time: inDays(20 + n),
      end_time: inDays(20.02 + n),
      status,
      guest_timezone: "UTC",
      guest_locale: "en",
      answers: { [mark("bookings.answers")]: mark("bookings.answers") },
      location: { type: "custom", value: mark("bookings.location") },
      cancelled_by: status === "cancelled" ? "guest" : null,
      expires_at: status === "pending" ? inDays(5) : null,
    });
    add("private.access_tokens", {
      digest: digest(bookingId),
      kind: "booking",
      subject_id: bookingId,
      expires_at: inDays(30),
    });
    add("private.booking_request_keys", {
      digest: digest(bookingId),
      body_digest: HASH,
      booking_id: bookingId,
      response: { note: mark("booking_request_keys.response") },
      created_at: inDays(0),
    });
    const deliveryId = id("notification_deliveries.id");
    add("public.notification_deliveries", {
      id: deliveryId,
      type: "booking.requested",
      channel: "email",
      priority: "normal",
      due_at: inDays(300),
    });
    add("private.delivery_addresses", {
      delivery_id: deliveryId,
      locale: "en",
      timezone: "UTC",
      attachments: [{ filename: "a.txt", content_type: "text/plain", content: mark("delivery_addresses.attachments") }],
      access: { kind: "booking", subject_id: bookingId, expires_at: inDays(30) },
      calendar_event: {
        uid: mark("delivery_addresses.calendar_event"),
        method: "REQUEST",
        status: "CONFIRMED",
        sequence: 0,
        start: inDays(20),
        end: inDays(20.02),
        summary: mark("delivery_addresses.calendar_event"),
        organizer: {
          name: mark("delivery_addresses.calendar_event"),
          email: emailOf("delivery_addresses.calendar_event"),
        },
        attendee: {
          name: mark("delivery_addresses.calendar_event"),
          email: emailOf("delivery_addresses.calendar_event"),
        },
      },
    });
    add("private.calendar_invitations", {
      email_digest: digest(deliveryId),
      ends_at: inDays(20),
      sequence: 1,
      last_email_id: deliveryId,
    });
  }

  const guestId = id("podcast_guests.id");
  add("public.podcast_guests", { ...of, id: guestId, user_id: random.chance(0.5) ? users.guest : null });
  add("public.podcast_guest_notes", { ...of, guest_id: guestId });
  for (const { row: { id: episode_id } } of episodes) {
    const episodeGuestId = id("episode_guests.id"), status = random.one(["invited", "active", "declined", "removed"]);
    add("public.episode_guests", { ...of, id: episodeGuestId, episode_id, podcast_guest_id: guestId, status });
    add("private.guest_invitations", {
      episode_guest_id: episodeGuestId,
      invited_by: users.admin,
    });
    add("private.access_tokens", {
      digest: digest(episodeGuestId),
      kind: "guest_invitation",
      subject_id: episodeGuestId,
      expires_at: inDays(30),
    });
    const people: Row[] = [
      { source_type: "team", user_id: users.owner },
      { source_type: "guest", guest_id: episodeGuestId },
      { source_type: "external" },
    ];
    for (const person of people) {
      add("public.episode_people", { ...of, id: id("episode_people.id"), episode_id, ...person, credit_id: null });
    }
    const senders: Row[] = [{ sender_user_id: users.owner, sender_name: null }, {
      sender_guest_id: episodeGuestId,
      sender_name: null,
      sender_user_id: null,
    }, { sender_user_id: null }];
    for (const sender of senders) {
      add("public.episode_messages", { ...of, id: id("episode_messages.id"), episode_id, ...sender });
    }
    add("public.notifications", {
      id: id("notifications.id"),
      episode_guest_id: episodeGuestId,
      type: "chat.message",
      category: "episode",
      priority: "normal",
      metadata: { note: mark("notifications.metadata") },
    });
  }

  const { stagedPath } = addUpload();

  function addUpload() {
    const episodeId = episodes[0]?.row.id ?? id("direct_uploads.episode_id");
    const stagedPath = `${mark("direct_uploads.staged_path")}/audio.mp3`;
    add("private.direct_uploads", {
      ...of,
      id: id("direct_uploads.id"),
      episode_id: episodeId,
      staged_path: stagedPath,
      content_type: "audio/mpeg",
      declared_bytes: 1000,
      rejection_code: null,
    });
    add("storage.objects", { bucket_id: "staging", name: stagedPath, metadata: { size: 1000 }, version: null });
    return { stagedPath };
  }

  addImport("failed");
  addImport(random.one(["verification_required", "preview", "pending", "running", "completed", "canceled"]));
  addAutomation();
  add("private.events", {
    type: "episode.published",
    payload: { note: mark("events.payload") },
    recipients: [mark("events.recipients")],
    processed_at: inDays(0),
    scheduled_for: inDays(300),
  });

  function addImport(status: string) {
    const importId = id("podcast_imports.id");
    const isUnread = status === "failed";
    add("public.podcast_imports", {
      ...of,
      id: importId,
      created_by: users.admin,
      status,
      verification_method: status === "verification_required" ? "feed_recheck" : null,
      verification_token: `castbase-verify-${id("podcast_imports.verification_token")}`,
      locked_owner_email: "a***@b***.example",
      staged_at: status === "pending" || isUnread ? null : inDays(-1),
      started_at: status === "running" || status === "completed" ? inDays(-1) : null,
      total_items: 4,
      completed_count: 1,
      failed_count: 1,
      skipped_count: 1,
      detection: { pattern: mark("podcast_imports.detection") },
      warnings: [{ code: "X", message: mark("podcast_imports.warnings"), count: 1 }],
      ...!isUnread && { error_message: null, error_code: null },
    });
    add("public.podcast_import_channels", {
      ...of,
      import_id: importId,
      fields: { title: mark("podcast_import_channels.fields") },
      losses: [{ path: mark("podcast_import_channels.losses") }],
      copies: [{ path: mark("podcast_import_channels.copies") }],
    });
    add("private.import_channels", { import_id: importId, fields: { owner_email: mark("import_channels.fields") } });
    add("private.import_switch_checks", {
      import_id: importId,
      requested_at: inDays(-1),
      begun_at: inDays(-1),
      checked_at: inDays(-1),
      result: { oldFeedUrl: mark("import_switch_checks.result") },
    });
    add("private.import_owner_verifications", { import_id: importId, code_key: HASH });
    for (const status of ["pending", "completed", "failed", "skipped_duplicate"]) {
      const itemId = id("podcast_import_items.id");
      add("public.podcast_import_items", {
        ...of,
        id: itemId,
        import_id: importId,
        position: 0,
        status,
        parsed_payload: { note: mark("podcast_import_items.parsed_payload") },
        warnings: [{ code: "X", message: mark("podcast_import_items.warnings") }],
        refresh_fields: [mark("podcast_import_items.refresh_fields")],
        episode_id: status === "completed" ? episodes[0]?.row.id ?? null : null,
      });
      add("public.podcast_import_item_texts", {
        ...of,
        import_item_id: itemId,
        extra_tags: [mark("podcast_import_item_texts.extra_tags")],
        losses: [{ path: mark("podcast_import_item_texts.losses") }],
        copies: [{ path: mark("podcast_import_item_texts.copies") }],
      });
      add("private.import_item_originals", {
        import_item_id: itemId,
        payload: { note: mark("import_item_originals.payload") },
      });
      add("private.import_transfers", { import_item_id: itemId, content_type: "audio/mpeg" });
    }
  }

  function addAutomation() {
    const templateId = id("automation_templates.id"), ruleId = id("automation_rules.id");
    add("public.automation_templates", { ...of, id: templateId });
    add("public.automation_rules", {
      ...of,
      id: ruleId,
      trigger_type: "episode.published",
      author_id: users.admin,
      is_enabled: false,
      pause_reason: null,
      trigger_config: { note: mark("automation_rules.trigger_config") },
      workflow_data: { note: mark("automation_rules.workflow_data") },
      conditions: [{ value: mark("automation_rules.conditions") }],
      condition_mode: "all",
      reply_to: emailOf("automation_rules.reply_to"),
    });
    add("public.automation_actions", {
      ...of,
      id: id("automation_actions.id"),
      rule_id: ruleId,
      action_type: "send_email",
      action_config: { template_id: templateId, note: mark("automation_actions.action_config") },
    });
    add("public.automation_executions", {
      ...of,
      id: id("automation_executions.id"),
      rule_id: ruleId,
      trigger_type: "episode.published",
      status: "failed",
      completed_at: inDays(0),
      context_data: { tags: { name: mark("automation_executions.context_data") } },
      action_results: [{ result: mark("automation_executions.action_results") }],
    });
    add("private.automation_webhooks", {
      ...of,
      execution_id: id("automation_executions.id"),
      action_id: id("automation_webhooks.action_id"),
      webhook_id: mark("automation_webhooks.webhook_id"),
      body: mark("automation_webhooks.body"),
      receiver: mark("automation_webhooks.receiver"),
      last_error: mark("automation_webhooks.last_error"),
      begun_at: inDays(0),
      next_attempt_at: inDays(1),
    });
    add("public.automation_addresses", { ...of, id: id("automation_addresses.id"), requested_by: users.admin });
  }

  return { bookingLink, stagedPath };
}
