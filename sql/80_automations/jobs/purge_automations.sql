-- Deletes what the history of automations no longer needs. Cron calls it.
create function private.purge_automations(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.delete_old_rows('private.automation_usage', 'used_at', at - interval '2 hours', 50000);
  -- an hour more than the statistics show
  perform private.delete_old_rows('private.automation_hourly_counts', 'hour', at - interval '366 days', 50000);
  delete from private.automation_execution_counts c  -- of deleted rules
  where (c.pending, c.running, c.completed, c.failed, c.canceled) = (0, 0, 0, 0, 0);
  return private.delete_old_rows('public.automation_executions', 'created_at', at - make_interval(
    days => private.get_setting('automation_execution_retention_days')::int), 5000,
    $c$o.status in ('completed', 'failed', 'canceled')$c$);
end $$;
comment on function private.purge_automations is
  'Deletes ended executions after their retention, usage that no limit counts, and statistics after a year. Cron calls '
  'it every ten minutes. Returns how many executions.';
