-- The rows of this domain: settings, queues, cron jobs.
create function private.install_bookings() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('calendar_connected_url', 'url', '{app_url}/calendars/connected',
      'Page of the front end that finishes the connection of a calendar account; state and code follow as #state='),
    ('max_calendar_connections_per_hour', 'count', '30',
      'Maximum connections of calendar accounts begun per user and hour'),
    ('max_calendar_urls_per_hour', 'count', '30', 'Maximum calendar URLs added per user and hour'),
    ('max_calendar_connections_per_user', 'count', '10', 'Maximum connected calendar accounts and URLs of a user'),
    ('booking_url', 'url', '{app_url}/booking',
      'Page where guests manage a booking; the access token is appended as #token='),
    ('pending_booking_ttl_hours', 'hours', '72', 'How long a booking request waits for an answer, in hours'),
    ('instant_booking_ttl_hours', 'hours', '24',
      'How long a request that needs no answer of a host waits for its guest to verify the address, in hours'),
    ('max_instant_bookings_per_guest', 'count', '5',
      'Maximum sessions ahead that a guest has by a booking link that needs no answer of a host'),
    ('max_bookings_per_hour', 'count', '10',
      'Maximum bookings requested per IP address or user, booking link and hour'),
    ('max_pending_bookings_per_guest', 'count', '5',
      'Maximum booking requests that wait for an answer, verified by the holder of an email address'),
    ('max_unverified_bookings_per_sender', 'count', '10',
      'Maximum booking requests of unverified guests that wait for an answer, per IP address or user and booking link'),
    ('booking_retention_days', 'days', '730', 'How long bookings are kept after their session, in days'),
    ('calendar_cache_seconds', 'seconds', '60', 'How long the busy times of a calendar are not read again, in seconds'),
    ('calendar_refresh_minutes', 'minutes', '10',
      'Age in minutes from which the busy times of calendars are read again without a visitor'),
    ('max_calendar_cpu_ms_per_minute', 'count', '3000',
      'Computing time in milliseconds that reading the calendars of a user may take per minute')
  ) s (key, kind, default_value, description);
  perform private.install_setting('booking_organizer_email', 'email', '',
    'Address of the organizer in calendar entries of new bookings; empty: the address of MAIL_FROM',
    _can_be_empty => true);

  perform private.install_queue('calendar_reads', 3, '5 seconds', '1 minute',
    'Reads the busy times of a connection''s calendars', _fair_key => 'user_id');

  perform private.schedule_job('enqueue_due_calendar_reads', '* * * * *');
  perform private.schedule_job('expire_pending_bookings', '* * * * *');
  perform private.schedule_job('send_due_reminders', '15 seconds');
  perform private.schedule_job('tell_untold_guest', '10 seconds');
  perform private.schedule_job('purge_bookings', '29 * * * *');
end $$;
comment on function private.install_bookings is 'Part of private.install(): writes the rows of this domain.';
