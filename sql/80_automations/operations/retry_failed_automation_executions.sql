-- Retries the failed and canceled executions of a rule, such as those of a receiver's outage.
create function private.retry_failed_automation_executions(
  _rule_id uuid, _from timestamptz, _to timestamptz, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write executions
set search_path = ''
as $$
declare
  max_retries constant int := 500;
  ended       public.automation_executions;
  retried     int := 0;
  skipped     int := 0;
  has_more    boolean := false;
begin
  perform private.require_writable_podcast(private.require_automation_role('rule', _rule_id));
  perform from public.automation_rules r where r.id = _rule_id for no key update;  -- another call waits
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Automation rule not found';
  end if;
  perform private.require_active_rule(_rule_id);
  for ended in
    select e.* from public.automation_executions e
    where e.rule_id = _rule_id and e.status in ('failed', 'canceled') and not e.is_test
      and (_from is null or e.created_at >= _from) and (_to is null or e.created_at < _to)
      and not exists (select from public.automation_executions r where r.retry_of_id = e.id)
    order by e.created_at, e.id
  loop
    if private.occurrence_problem(ended.trigger_type, ended.context_data, at) is not null then
      skipped := skipped + 1;
    elsif retried = max_retries then
      has_more := true;
      exit;
    else
      perform from public.automation_executions e where e.id = ended.id for no key update;  -- a single retry waits
      if (private.insert_retry(ended, private.completed_results(ended.action_results), at)).id is not null then
        retried := retried + 1;
      end if;
    end if;
  end loop;
  return jsonb_build_object('retried', retried, 'skipped', skipped, 'has_more', has_more);
end $$;
grant execute on function private.retry_failed_automation_executions to authenticated;

create function public.retry_failed_automation_executions(
  rule_id uuid, "from" timestamptz default null, "to" timestamptz default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_failed_automation_executions(rule_id, "from", "to");
comment on function public.retry_failed_automation_executions is
  'POST /api/automations/rules/{id}/retry-failed: {retried, skipped, has_more}. Retries the failed and canceled '
  'executions of a rule that were created in [from, to) and not retried, without tests, oldest first, at most 500 per '
  'call. skipped '
  'counts those whose occurrence no longer holds. Over an hourly limit the retries wait. Requires admin. 403, 404, 409 '
  'RULE_NOT_ACTIVE or PODCAST_PENDING_DELETION.';
grant execute on function public.retry_failed_automation_executions to authenticated;
