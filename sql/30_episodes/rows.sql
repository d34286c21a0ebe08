-- The rows of this domain: settings, queues, cron jobs.
create function private.install_episodes() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('listen_url', 'url', '{pages_url}/listen', 'Base URL of the listen pages; a front end may have pages of its own')
  ) s (key, kind, default_value, description);

  perform private.install_queue('show_notes', 10, '2 seconds', '5 minutes',
    'Sanitizes the show notes of a podcast''s episodes');

  perform private.schedule_job('publish_due_episodes', '15 seconds');
  perform private.schedule_job('enqueue_stale_show_notes', '*/5 * * * *');
end $$;
comment on function private.install_episodes is 'Part of private.install(): writes the rows of this domain.';
