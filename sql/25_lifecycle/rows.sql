-- The rows of this domain: queues, cron jobs, plan limits.
create function private.install_lifecycle() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting('podcast_deletion_sign_in', 'choice', 'any',
    'Whether the deletion of a podcast needs a fresh sign-in, of the last ten minutes, as the deletion of an account '
    'does', _choices => '{any,fresh}');
  perform private.install_setting('redirect_delay_minutes', 'minutes', '0',
    'How long a new redirect of a feed is held back after the team was told of it, in minutes');

  perform private.install_queue('podcast_deletions', 10, '5 seconds', '1 hour',
    'Deletes podcasts whose deletion is due');
  perform private.install_queue('redirect_checks', 5, '1 minute', '1 hour',
    'Checks where the redirect of a feed leads');

  perform private.schedule_job('end_expired_pauses', '11 * * * *');
  perform private.schedule_job('enqueue_due_deletions', '23 * * * *');
  perform private.schedule_job('announce_near_ends', '37 * * * *');
  perform private.schedule_job('enqueue_due_redirect_checks', '53 * * * *');

  perform private.install_plan_limit('free', 'max_podcast_deletions_per_hour', 20);
  perform private.install_plan_limit('free', 'max_redirect_changes_per_hour', 20);
end $$;
comment on function private.install_lifecycle is 'Part of private.install(): writes the rows of this domain.';
