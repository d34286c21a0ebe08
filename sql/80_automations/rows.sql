-- The rows of this domain: settings, queues, cron jobs, automation tags.
create function private.install_automations() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  every_trigger constant public.automation_trigger[] := enum_range(null::public.automation_trigger);
  of_bookings   constant public.automation_trigger[] := array(
    select t from unnest(every_trigger) t where private.automation_subject(t) = 'booking_id');
  of_episodes   constant public.automation_trigger[] := '{guest.accepted,episode.scheduled,episode.published}';
  of_guests     constant public.automation_trigger[] := of_bookings || '{guest.accepted}';
  of_both       constant public.automation_trigger[] := of_bookings || of_episodes;
  of_published  constant public.automation_trigger[] := '{episode.published}';
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('max_automation_emails_per_hour', 'count', '100', 'Maximum recipients of send_email per podcast and hour'),
    ('max_automation_webhooks_per_hour', 'count', '500', 'Maximum send_webhook actions per podcast and hour'),
    ('max_automation_updates_per_hour', 'count', '200', 'Maximum update_field actions per podcast and hour'),
    ('max_automation_unverified_recipients_per_day', 'count', '50',
      'Maximum automatic emails per day to guests who are not verified, for all podcasts of an owner'),
    ('automation_execution_retention_days', 'days', '90', 'How long ended automation executions are kept, in days'),
    ('automation_address_url', 'url', '{app_url}/automations/confirm-address',
      'Page where a holder confirms an address for automations; the access token is appended as #token='),
    ('max_automation_addresses_per_hour', 'count', '20',
      'Maximum addresses for automations requested per user and hour'),
    ('max_automation_address_emails_per_recipient', 'count', '3',
      'Maximum emails to confirm an address for automations, per podcast and recipient in 30 days'),
    ('max_template_previews_per_minute', 'count', '120',
      'Maximum previews of automation templates per user and minute'),
    ('max_automation_tests_per_hour', 'count', '30', 'Maximum tests of automations'' actions per user and hour')
  ) s (key, kind, default_value, description);

  perform private.install_queue('automation_runs', 10, '5 seconds', '30 minutes',
    'Runs the actions of an automation''s execution', _fair_key => 'podcast_id',
    _retried_by => 'retry_automation_execution');
  -- attempts of a worker that ends; those that a receiver rejects have their own schedule
  perform private.install_queue('automation_webhooks', 10, '5 seconds', '30 minutes',
    'Sends a webhook of an automation''s execution', _fair_key => 'podcast_id',
    _retried_by => 'retry_automation_execution');

  perform private.schedule_job('start_due_automations', '10 seconds');
  perform private.schedule_job('release_due_webhooks', '5 seconds');
  perform private.schedule_job('purge_automations', '*/10 * * * *');
  perform private.schedule_job('fold_automation_counts', '10 seconds');
  perform private.schedule_job('cancel_held_executions', '*/10 * * * *');

  insert into public.automation_tags as t (tag, kind, triggers, optional_triggers, example) values
    ('podcast_title', 'text', every_trigger, '{}', 'Night Trains'),
    ('podcast_url', 'url', every_trigger, '{}', 'https://podcasts.example/night-trains'),
    ('podcast_cover_url', 'url', '{}', every_trigger, 'https://podcasts.example/night-trains.jpg'),
    ('feed_url', 'url', '{}', every_trigger, 'https://podcasts.example/feeds/night-trains.xml'),  -- not if external
    -- the admin who confirmed the booking, or the owner
    ('host_name', 'text', every_trigger, '{}', 'Ada'),
    ('host_email', 'text', '{}', every_trigger, 'ada@example.com'),
    -- a booking provides those of its episode, if it has one
    ('episode_title', 'text', of_episodes, of_bookings, 'Paris to Vienna'),
    ('episode_number', 'text', '{}', of_both, '12'),
    ('episode_url', 'url', of_episodes, of_bookings, 'https://podcasts.example/night-trains/paris-to-vienna'),
    ('episode_cover_url', 'url', '{}', of_both, 'https://podcasts.example/night-trains/paris-to-vienna.jpg'),
    ('episode_audio_url', 'url', '{}', of_bookings || '{guest.accepted,episode.published}',
      'https://podcasts.example/night-trains/paris-to-vienna.mp3'),  -- not if external
    ('episode_scheduled_at', 'moment', '{episode.scheduled}', of_bookings || '{guest.accepted}',
      'July 6, 2026, 10:00 AM (Europe/Berlin)'),
    ('episode_published_at', 'moment', of_published, of_bookings || '{guest.accepted,episode.scheduled}',
      'July 6, 2026, 10:00 AM (Europe/Berlin)'),
    -- an episode provides those of its first active guest, and an email to its guests those of each
    ('guest_first_name', 'text', of_guests, '{episode.scheduled,episode.published}', 'Grace'),
    ('guest_full_name', 'text', of_guests, '{episode.scheduled,episode.published}', 'Grace Hopper'),
    ('guest_email', 'text', of_guests, '{episode.scheduled,episode.published}', 'grace@example.com'),
    ('booking_start', 'moment', of_bookings, '{}', 'July 6, 2026, 5:00 PM (Europe/Berlin)'),
    ('booking_end', 'moment', of_bookings, '{}', 'July 6, 2026, 6:00 PM (Europe/Berlin)'),
    ('booking_previous_start', 'moment', '{booking.rescheduled}', '{}', 'July 3, 2026, 5:00 PM (Europe/Berlin)'),
    ('booking_timezone', 'text', of_bookings, '{}', 'Europe/Berlin'),
    ('booking_link_name', 'text', of_bookings, '{}', 'Interview'),
    ('booking_manage_url', 'url', of_bookings, '{}', 'https://podcasts.example/booking'),  -- only in the guest's email
    ('booking_location', 'text', '{}', of_bookings, 'https://meet.example/night-trains'),  -- once it is confirmed
    ('booking_notes', 'text', '{}', of_bookings, 'I will be on a train.'),
    ('booking_answers', 'text', '{}', of_bookings, e'Your topic: Sleeping cars\nYour language: English'),
    ('booking_status_message', 'text', '{}', of_bookings, 'We have to find another day.'),
    ('cancelled_by', 'text', '{booking.cancelled}', '{}', 'guest'),  -- host, guest or expiry
    ('recording_start', 'moment', of_bookings, '{}', 'July 6, 2026, 5:00 PM (Europe/Berlin)'),
    ('import_episode_count', 'text', '{import.completed}', '{}', '240'),
    ('import_failed_count', 'text', '{import.completed}', '{}', '2')
  on conflict (tag) do update set kind = excluded.kind, triggers = excluded.triggers,
    optional_triggers = excluded.optional_triggers, example = excluded.example
    where t is distinct from excluded;
end $$;
comment on function private.install_automations is 'Part of private.install(): writes the rows of this domain.';
