-- The rows of this domain: settings, queues, cron jobs, notification types.
create function private.install_notifications() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('max_chat_notifications_per_minute', 'count', '60', 'Maximum chat messages that a sender notifies of per minute'),
    ('email_token_ttl_days', 'days', '90', 'Lifetime of the links in emails of notifications, in days'),
    ('max_push_subscriptions_per_user', 'count', '20', 'Maximum push subscriptions per user, inactive ones included'),
    ('max_push_subscriptions_per_hour', 'count', '60', 'Maximum push subscriptions registered per user and hour'),
    ('max_deliveries_per_run', 'count', '200', 'Maximum emails and pushes enqueued per run of enqueue_due_deliveries'),
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
    _fair_key => 'recipient');
  perform private.install_queue('push_deliveries', 20, '5 seconds', '1 hour', 'Sends the push of a delivery',
    _fair_key => 'recipient');

  perform private.schedule_job('fan_out_waiting_events', '10 seconds');
  perform private.schedule_job('enqueue_due_deliveries', '10 seconds');
  perform private.schedule_job('purge_notifications', '* * * * *');
  perform private.schedule_job('release_due_notifications', '10 seconds');
  perform private.schedule_job('fold_notification_counts', '10 seconds');
  perform private.schedule_job('end_rejected_push_subscriptions', '47 3 * * *');

  insert into public.notification_types as t
    (type, category, priority, preference, channels, default_channels, email_delay, push_ttl, is_essential,
      is_essential_to_addresses) values
    ('episode.team_added', 'episode', 'normal', 'team_added', '{in_app,email,push}', '{in_app,email}', '0', '1 day',
      false, false),
    ('episode.published', 'episode', 'low', 'episode_published', '{in_app,email,push}', '{in_app,push}', '0',
      '1 day', false, false),
    ('chat.message', 'collaboration', 'normal', 'chat_message', '{in_app,email,push}', '{in_app,email,push}',
      '2 minutes', '4 hours', false, false),
    ('chat.mention', 'collaboration', 'immediate', 'chat_mention', '{in_app,email,push}', '{in_app,email,push}',
      '2 minutes', '4 hours', false, false),
    ('guest.invited', 'collaboration', 'normal', null, '{}', '{}', '0', '1 day', false, true),
    ('guest.accepted', 'collaboration', 'normal', 'guest_accepted', '{in_app,email,push}', '{in_app,push}', '0',
      '1 day', false, false),
    ('podcast.member_invited', 'team', 'normal', 'member_invited', '{in_app,push}', '{in_app,push}', '0', '1 day',
      false, true),
    ('podcast.transfer_offered', 'team', 'immediate', 'transfer_offered', '{in_app,email,push}',
      '{in_app,email,push}', '0', '1 day', false, false),
    ('podcast.transfer_accepted', 'team', 'normal', 'transfer_accepted', '{in_app,email,push}', '{in_app,email}',
      '0', '1 day', false, false),
    ('booking.requested', 'booking', 'immediate', 'new_booking', '{in_app,email,push}', '{in_app,email,push}', '0',
      '1 day', false, false),
    ('booking.confirmed', 'booking', 'normal', 'booking_confirmed', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, true),
    ('booking.rescheduled', 'booking', 'normal', 'booking_rescheduled', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, true),
    ('booking.declined', 'booking', 'normal', null, '{}', '{}', '0', '1 day', false, true),
    ('booking.cancelled', 'booking', 'immediate', 'booking_cancelled', '{in_app,email,push}', '{in_app,email,push}',
      '0', '1 day', false, true),
    ('import.completed', 'system', 'normal', 'import_completed', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, false),
    ('import.failed', 'system', 'immediate', 'import_failed', '{in_app,email,push}', '{in_app,email,push}', '0',
      '1 day', false, false),
    ('podcast.paused', 'system', 'normal', 'podcast_paused', '{in_app,email,push}', '{in_app,email}', '0', '1 day',
      false, false),
    ('podcast.unpaused', 'system', 'normal', 'podcast_unpaused', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, false),
    ('podcast.deletion_scheduled', 'system', 'immediate', 'deletion_scheduled', '{in_app,email,push}',
      '{in_app,email,push}', '0', '1 day', true, false),
    ('podcast.deletion_canceled', 'system', 'normal', 'deletion_canceled', '{in_app,email,push}', '{in_app,email}',
      '0', '1 day', false, false),
    ('automation.failed', 'system', 'normal', 'automation_failed', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, false),
    ('automation.email', 'system', 'normal', null, '{}', '{}', '0', '1 day', false, false),
    ('automation.address_requested', 'system', 'normal', null, '{}', '{}', '0', '1 day', false, false)
  on conflict (type) do update set category = excluded.category, priority = excluded.priority,
    preference = excluded.preference, channels = excluded.channels, default_channels = excluded.default_channels,
    email_delay = excluded.email_delay, push_ttl = excluded.push_ttl, is_essential = excluded.is_essential,
    is_essential_to_addresses = excluded.is_essential_to_addresses
    where t is distinct from excluded;
end $$;
comment on function private.install_notifications is 'Part of private.install(): writes the rows of this domain.';
