-- The rows of this domain: settings, queues, cron jobs, automation tags.
create function private.install_automations() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  every_trigger constant public.automation_trigger[] := enum_range(null::public.automation_trigger);
  of_bookings   constant public.automation_trigger[] := '{booking.confirmed,time.before_recording}';
  of_episodes   constant public.automation_trigger[] := '{episode.published}';
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('max_automation_emails_per_hour', 'count', '100', 'Maximum recipients of send_email per podcast and hour'),
    ('max_automation_webhooks_per_hour', 'count', '500', 'Maximum send_webhook actions per podcast and hour'),
    ('max_automation_updates_per_hour', 'count', '200', 'Maximum update_field actions per podcast and hour'),
    ('automation_execution_retention_days', 'days', '90', 'How long ended automation executions are kept, in days'),
    ('automation_address_url', 'url', '{app_url}/automations/confirm-address',
      'Page where a holder confirms an address for automations; the access token is appended as #token='),
    ('max_automation_addresses_per_hour', 'count', '20',
      'Maximum addresses for automations requested per user and hour'),
    ('max_automation_address_emails_per_recipient', 'count', '3',
      'Maximum emails to confirm an address for automations, per podcast and recipient in 30 days')
  ) s (key, kind, default_value, description);

  perform private.install_queue('automation_runs', 10, '5 seconds', '30 minutes',
    'Runs the actions of an automation''s execution', _fair_key => 'podcast_id');
  perform private.install_queue('automation_webhooks', 10, '5 seconds', '30 minutes',
    'Sends a webhook of an automation''s execution', _fair_key => 'podcast_id');

  perform private.schedule_job('start_due_automations', '10 seconds');
  perform private.schedule_job('purge_automations', '*/10 * * * *');

  insert into public.automation_tags as t (tag, kind, triggers, example) values
    ('podcast_title', 'text', every_trigger, 'Night Trains'),
    ('podcast_url', 'text', every_trigger, 'https://podcasts.example/night-trains'),
    ('host_name', 'text', every_trigger, 'Ada'),
    -- a booking provides those of its episode, if it has one
    ('episode_title', 'text', of_episodes, 'Paris to Vienna'),
    ('episode_number', 'text', '{}', '12'),  -- an episode may have none
    ('episode_url', 'text', of_episodes, 'https://podcasts.example/night-trains/paris-to-vienna'),
    ('episode_published_at', 'moment', of_episodes, '2026-07-06T08:00:00.000Z'),
    -- an episode provides those of its first active guest, and an email to its guests those of each
    ('guest_first_name', 'text', of_bookings, 'Grace'),
    ('guest_full_name', 'text', of_bookings, 'Grace Hopper'),
    ('guest_email', 'text', of_bookings, 'grace@example.com'),
    ('booking_start', 'moment', of_bookings, '2026-07-06T15:00:00.000Z'),
    ('booking_end', 'moment', of_bookings, '2026-07-06T16:00:00.000Z'),
    ('booking_timezone', 'text', of_bookings, 'Europe/Berlin'),
    ('booking_link_name', 'text', of_bookings, 'Interview'),
    ('recording_start', 'moment', of_bookings, '2026-07-06T15:00:00.000Z')
  on conflict (tag) do update set kind = excluded.kind, triggers = excluded.triggers, example = excluded.example
    where t is distinct from excluded;
end $$;
comment on function private.install_automations is 'Part of private.install(): writes the rows of this domain.';
