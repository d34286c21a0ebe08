-- Retries the failed and canceled executions of a rule, such as those of a receiver's outage.
create function private.retry_failed_automation_executions(
  _rule_id uuid, _from timestamptz, _to timestamptz, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write executions
set search_path = ''
as $$
declare
  max_retries  constant int := 500;
  max_examined constant int := 5000;  -- each looks at its occurrence
  ended        public.automation_executions;
  retry        public.automation_executions;
  retry_ids    uuid[] := '{}';
  skipped      int := 0;
  next_from    timestamptz;
begin
  perform private.require_writable_podcast(private.require_automation_role('rule', _rule_id));
  perform from public.automation_rules r where r.id = _rule_id for no key update;  -- another call waits
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Automation rule not found';
  end if;
  perform private.require_active_rule(_rule_id);
  perform private.pause_execution_broadcasts(true);  -- of each retry
  for ended in
    select e.* from public.automation_executions e
    where e.rule_id = _rule_id and e.status in ('failed', 'canceled') and not e.is_test
      and (_from is null or e.created_at >= _from) and (_to is null or e.created_at < _to)
      and not exists (select from public.automation_executions r where r.retry_of_id = e.id)
    order by e.created_at, e.id limit max_examined + 1
  loop
    if cardinality(retry_ids) = max_retries or cardinality(retry_ids) + skipped = max_examined then
      next_from := ended.created_at;
      exit;
    elsif private.occurrence_problem(ended.trigger_type, ended.context_data, at) is not null then
      skipped := skipped + 1;
    else
      perform from public.automation_executions e where e.id = ended.id for no key update;  -- a single retry waits
      retry := private.insert_retry(ended, private.completed_results(ended.action_results), at);
      if retry.id is not null then
        retry_ids := retry_ids || retry.id;
      end if;
    end if;
  end loop;
  perform private.pause_execution_broadcasts(false);
  perform private.broadcast_executions(retry_ids);
  return jsonb_build_object('retried', cardinality(retry_ids), 'skipped', skipped, 'has_more', next_from is not null,
    'next_from', private.format_timestamp(next_from));
end $$;
grant execute on function private.retry_failed_automation_executions to authenticated;

create function public.retry_failed_automation_executions(
  rule_id uuid, "from" timestamptz default null, "to" timestamptz default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_failed_automation_executions(rule_id, "from", "to");
comment on function public.retry_failed_automation_executions is
  'POST /api/automations/rules/{id}/retry-failed: {retried, skipped, has_more, next_from}. Retries the failed and '
  'canceled executions of a rule that were created in [from, to) and not retried, without tests, oldest first: 500 of '
  'at most 5,000 per call. The next call continues from next_from. skipped counts those whose occurrence no longer '
  'holds. Over an hourly limit the retries wait. Requires admin. 403, 404, 409 RULE_NOT_ACTIVE or '
  'PODCAST_PENDING_DELETION.';
grant execute on function public.retry_failed_automation_executions to authenticated;
