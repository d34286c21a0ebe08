-- The rows of this domain: settings, queues, cron jobs, notification types.
-- Channels are those of the preferences' columns <channel>_<preference>, and the email of an essential type.
create function private.known_notification_types() returns setof public.notification_types
language sql stable security invoker set search_path = ''
as $$
  with known (type, category, priority, preference, required_role, more) as (values
    ('episode.team_added', 'episode', 'normal', 'team_added', 'member', '{"can_wait": true}'::jsonb),
    ('episode.published', 'episode', 'low', 'episode_published', 'member', '{"can_wait": true}'),
    ('chat.message', 'collaboration', 'normal', 'chat_message', 'member',
      '{"can_wait": true, "quotes_people": true, "collapses": true, "email_delay": "2 minutes",
        "push_ttl": "4 hours"}'),
    ('chat.mention', 'collaboration', 'immediate', 'chat_mention', 'member',
      '{"passes_quiet_hours": true, "passes_mutes": true, "quotes_people": true, "collapses": true,
        "email_delay": "2 minutes", "push_ttl": "4 hours"}'),
    ('guest.invited', 'collaboration', 'normal', null, null, '{"is_essential_to_addresses": true}'),
    ('guest.accepted', 'collaboration', 'normal', 'guest_accepted', 'admin', '{"can_wait": true}'),
    ('guest.declined', 'collaboration', 'normal', 'guest_declined', 'admin', '{"can_wait": true}'),
    ('podcast.member_invited', 'team', 'normal', 'member_invited', null,
      '{"subject": "podcast_invitation", "asks_for_answer": true, "is_essential_to_addresses": true}'),
    ('podcast.invitation_declined', 'team', 'normal', 'request_declined', 'admin', '{"can_wait": true}'),
    ('podcast.member_joined', 'team', 'normal', 'team_changes', 'admin', '{"can_wait": true}'),
    ('podcast.member_left', 'team', 'normal', 'team_changes', 'admin', '{"can_wait": true}'),
    ('podcast.member_removed', 'team', 'normal', 'team_changes', null, '{}'),
    ('podcast.member_role_changed', 'team', 'normal', 'team_changes', 'member', '{}'),
    ('podcast.transfer_offered', 'team', 'immediate', 'transfer_offered', 'member',
      '{"subject": "podcast_transfer", "asks_for_answer": true, "passes_quiet_hours": true, "passes_mutes": true}'),
    ('podcast.transfer_accepted', 'team', 'normal', 'transfer_accepted', 'member', '{}'),
    ('podcast.owner_email_needed', 'team', 'normal', 'transfer_accepted', 'owner',
      '{"subject": "podcast_owner_email", "asks_for_answer": true}'),
    ('podcast.transfer_declined', 'team', 'normal', 'request_declined', 'member', '{"can_wait": true}'),
    ('booking.requested', 'booking', 'immediate', 'new_booking', 'admin',
      '{"subject": "booking", "asks_for_answer": true}'),
    ('booking.confirmed', 'booking', 'normal', 'booking_confirmed', 'admin', '{"is_essential_to_addresses": true}'),
    ('booking.rescheduled', 'booking', 'normal', 'booking_rescheduled', 'admin', '{"is_essential_to_addresses": true}'),
    ('booking.declined', 'booking', 'normal', 'booking_declined', 'admin', '{"is_essential_to_addresses": true}'),
    ('booking.cancelled', 'booking', 'immediate', 'booking_cancelled', 'admin', '{"is_essential_to_addresses": true}'),
    ('booking.reminder', 'booking', 'normal', 'booking_reminder', 'admin', '{"subject": "booking"}'),
    ('calendar.failing', 'booking', 'normal', 'calendar', null,
      '{"subject": "calendar_connection", "asks_for_answer": true}'),
    ('calendar.revoked', 'booking', 'immediate', 'calendar', null,
      '{"subject": "calendar_connection", "asks_for_answer": true}'),
    ('import.completed', 'system', 'normal', 'import_completed', 'admin', '{"can_wait": true}'),
    ('import.failed', 'system', 'immediate', 'import_failed', 'admin', '{}'),
    ('podcast.paused', 'system', 'normal', 'podcast_paused', 'member', '{"can_wait": true}'),
    ('podcast.pause_ending', 'system', 'normal', 'podcast_paused', 'owner', '{"subject": "podcast_pause"}'),
    ('podcast.unpaused', 'system', 'normal', 'podcast_unpaused', 'member', '{"can_wait": true}'),
    ('podcast.deletion_scheduled', 'system', 'immediate', 'deletion_scheduled', 'member',
      '{"subject": "podcast_deletion", "asks_for_answer": true, "passes_quiet_hours": true, "is_essential": true}'),
    ('podcast.deleted', 'system', 'normal', 'deletion_scheduled', null, '{"is_essential": true}'),
    ('podcast.deletion_near', 'system', 'immediate', 'deletion_scheduled', 'admin',
      '{"subject": "podcast_deletion", "asks_for_answer": true, "is_essential": true}'),
    ('podcast.redirect_changed', 'system', 'immediate', 'deletion_scheduled', null, '{"is_essential": true}'),
    ('podcast.redirect_failing', 'system', 'immediate', 'deletion_scheduled', null,
      '{"is_essential": true, "subject": "redirect_failure"}'),
    ('podcast.deletion_canceled', 'system', 'normal', 'deletion_canceled', 'member', '{"can_wait": true}'),
    ('billing.storage_high', 'system', 'normal', 'storage', null, '{"subject": "storage", "can_wait": true}'),
    ('billing.storage_full', 'system', 'immediate', 'storage', null, '{"subject": "storage"}'),
    ('billing.storage_exceeded', 'system', 'normal', 'storage', null, '{"subject": "storage_overage"}'),
    ('billing.payment_failed', 'system', 'immediate', 'billing', null,
      '{"subject": "payment", "asks_for_answer": true, "is_essential": true}'),
    ('billing.plan_reduced', 'system', 'normal', 'billing', null, '{"is_essential": true}'),
    ('billing.subscription_ending', 'system', 'normal', 'billing', null,
      '{"subject": "subscription_end", "is_essential": true}'),
    ('inbox.digest', 'system', 'low', 'digest', null, '{}'),
    ('automation.failed', 'system', 'normal', 'automation_failed', 'admin', '{"can_wait": true}'),
    ('automation.webhook_disabled', 'system', 'normal', 'automation_failed', 'admin', '{}'),
    ('automation.email', 'system', 'normal', null, null,
      '{"is_unsubscribed_per_podcast": true, "is_rendered_when_sent": true}'),
    ('automation.address_requested', 'system', 'normal', null, null, '{}')
  ), choice as (
    select a.attname as name, pg_get_expr(d.adbin, d.adrelid) = 'true' as is_default
    from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = 'public.notification_preferences'::regclass
  )
  select t
  from known k
  cross join lateral (
    select coalesce(jsonb_agg(h.channel order by h.channel), '[]') as all,
      coalesce(jsonb_agg(h.channel order by h.channel) filter (where coalesce(c.is_default, true)), '[]') as default
    from unnest(enum_range(null::public.notification_channel)) h (channel)
    left join choice c on c.name = h.channel || '_' || k.preference
    where c.name is not null or h.channel = 'email' and k.preference is not null and k.more @> '{"is_essential": true}'
  ) channels
  cross join lateral jsonb_populate_record(null::public.notification_types,
    '{"asks_for_answer": false, "passes_quiet_hours": false, "passes_mutes": false, "can_wait": false,
      "quotes_people": false, "collapses": false, "email_delay": "0", "push_ttl": "1 day",
      "is_essential": false, "is_essential_to_addresses": false, "is_unsubscribed_per_podcast": false,
      "is_rendered_when_sent": false}'
    || jsonb_build_object('type', k.type, 'category', k.category, 'priority', k.priority, 'preference', k.preference,
      'required_role', k.required_role, 'channels', channels.all, 'default_channels', channels.default)
    || k.more) t
$$;
comment on function private.known_notification_types is 'The rows of notification_types.';

create function private.install_notifications() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('max_chat_notifications_per_minute', 'count', '60', 'Maximum chat messages that a sender notifies of per minute'),
    ('max_notification_changes_per_minute', 'count', '600',
      'Maximum notifications that a user marks or archives one by one per minute'),
    ('max_email_confirmations_per_day', 'count', '3',
      'Maximum emails per day by which a user confirms a suppressed address'),
    ('email_token_ttl_days', 'days', '90', 'Lifetime of the links in emails of notifications, in days'),
    ('max_push_subscriptions_per_user', 'count', '20', 'Maximum push subscriptions per user, inactive ones included'),
    ('max_push_subscriptions_per_hour', 'count', '60', 'Maximum push subscriptions registered per user and hour'),
    ('max_inbox_broadcasts', 'count', '500', 'Maximum messages about changed inboxes per statement'),
    ('max_notification_mutes_per_user', 'count', '500', 'Maximum podcasts, episodes and chats that a user mutes'),
    ('max_deliveries_per_run', 'count', '200', 'Maximum emails and pushes enqueued per run of enqueue_due_deliveries'),
    ('max_notifications_per_call', 'count', '250000',
      'Maximum notifications that one call reads, archives or unarchives'),
    ('notification_retention_days', 'days', '365',
      'How long read notifications and their emails and pushes are kept, in days'),
    ('unread_notification_retention_days', 'days', '730',
      'How long unread notifications and their emails and pushes are kept, in days')
  ) s (key, kind, default_value, description);
  perform private.install_setting('push_service_hosts', 'host_patterns',
    'fcm.googleapis.com, jmt17.google.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com',
    'Comma-separated hosts of push services (host, *.domain or *) to which push messages are sent',
    _can_be_empty => true);

  -- retries end within the 24 hours for which Resend keeps an idempotency key, even with an hour between all of them
  perform private.install_queue('email_deliveries', 20, '5 seconds', '1 hour', 'Sends the email of a delivery',
    _fair_key => 'recipient', _retried_by => 'retry_failed_deliveries');
  perform private.install_queue('push_deliveries', 20, '5 seconds', '1 hour', 'Sends the push of a delivery',
    _fair_key => 'recipient', _retried_by => 'retry_failed_deliveries');
  perform private.install_queue('email_confirmations', 5, '5 seconds', '5 minutes',
    'Emails a user the code that lifts the suppression of their address',
    _retried_by => 'the user, who requests another code');

  perform private.schedule_job('fan_out_waiting_events', '10 seconds');
  perform private.schedule_job('enqueue_due_deliveries', '10 seconds');
  perform private.schedule_job('send_due_digests', '* * * * *');
  perform private.schedule_job('end_missed_notifications', '23 * * * *');
  perform private.schedule_job('purge_notifications', '* * * * *');
  perform private.schedule_job('release_due_notifications', '10 seconds');
  perform private.schedule_job('fold_notification_counts', '10 seconds');
  perform private.schedule_job('end_rejected_push_subscriptions', '47 3 * * *');

  delete from public.notification_types t where not exists (
    select from private.known_notification_types() k where k is not distinct from t);
  insert into public.notification_types select k.* from private.known_notification_types() k on conflict do nothing;
end $$;
comment on function private.install_notifications is 'Part of private.install(): writes the rows of this domain.';
