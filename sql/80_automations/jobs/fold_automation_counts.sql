-- Adds the recorded changes to the counts of executions. Cron calls it.
create function private.fold_automation_counts(max_rows int default 100000) returns bigint
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  folded_count bigint;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold-automation-counts', 0)) then  -- two folds could deadlock
    return 0;
  end if;
  with taken as (
    delete from private.automation_count_changes c where c.ctid = any (array(
      -- a deletion of a podcast locks the changes that it deletes
      select o.ctid from private.automation_count_changes o limit max_rows for update skip locked))
    returning c.*
  ), listed as (
    insert into private.automation_execution_counts as c (podcast_id, rule_id, pending, running, completed, failed,
      canceled)
    select t.podcast_id, t.rule_id, sum(t.pending), sum(t.running), sum(t.completed), sum(t.failed), sum(t.canceled)
    from taken t group by t.podcast_id, t.rule_id
    on conflict on constraint rule_has_one_row do update set pending = c.pending + excluded.pending,
      running = c.running + excluded.running, completed = c.completed + excluded.completed,
      failed = c.failed + excluded.failed, canceled = c.canceled + excluded.canceled
  ), hourly as (
    insert into private.automation_hourly_counts as c (podcast_id, hour, trigger_type, pending, running, completed,
      failed, canceled, emails, webhooks, updates)
    select t.podcast_id, t.hour, t.trigger_type, sum(t.pending), sum(t.running), sum(t.completed), sum(t.failed),
      sum(t.canceled), sum(t.emails), sum(t.webhooks), sum(t.updates)
    from taken t where t.hour is not null group by t.podcast_id, t.hour, t.trigger_type
    on conflict (podcast_id, hour, trigger_type) do update set pending = c.pending + excluded.pending,
      running = c.running + excluded.running, completed = c.completed + excluded.completed,
      failed = c.failed + excluded.failed, canceled = c.canceled + excluded.canceled,
      emails = c.emails + excluded.emails, webhooks = c.webhooks + excluded.webhooks,
      updates = c.updates + excluded.updates
  )
  select count(*) into folded_count from taken;
  return folded_count;
end $$;
comment on function private.fold_automation_counts is
  'Moves automation_count_changes into the counts of executions, at most so many; returns their number. Scheduled '
  'every 10 seconds.';
-- No grant: cron runs it as the owner.
