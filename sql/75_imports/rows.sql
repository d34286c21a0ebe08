-- The rows of this domain: queues, cron jobs, plan limits.
create function private.install_imports() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_queue('import_feeds', 4, '5 seconds', '1 minute', 'Reads a feed and stages its episodes',
    _retried_by => 'the team, with another import');
  perform private.install_queue('import_items', 6, '5 seconds', '15 minutes',
    'Fetches an episode''s audio and artwork and writes the episode', _max_concurrency => 4, _fair_key => 'account_id',
    _retried_by => 'retry_import_item and retry_failed_import_items');
  perform private.install_queue('import_files', 6, '5 seconds', '15 minutes',
    'Copies a transcript, the chapters or an image of an imported feed',
    _max_concurrency => 4, _fair_key => 'account_id', _retried_by => 'retry_import_files');
  perform private.install_queue('ownership_codes', 5, '5 seconds', '5 minutes',
    'Emails the verification code to the owner of a locked feed',
    _retried_by => 'resend_ownership_code');

  perform private.schedule_job('delete_stale_imports', '* * * * *');

  perform private.install_plan_limit(l.plan_code, l.name, l.max_count) from (values
    ('free', 'max_feed_imports_per_hour', 30), ('pro', 'max_feed_imports_per_hour', 200)
  ) l (plan_code, name, max_count);
end $$;
comment on function private.install_imports is 'Part of private.install(): writes the rows of this domain.';
