-- Retries a failed execution: a new one runs the actions that had not completed.
create function private.retry_automation_execution(_execution_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write executions
set search_path = ''
as $$
declare
  failed   public.automation_executions;
  retry    public.automation_executions;
  done     jsonb;
  limited  record;
begin
  perform private.require_writable_podcast(private.require_automation_role('execution', _execution_id));
  -- before the execution, as deletions of the rule do
  perform from public.automation_rules r
  where r.id = (
    select e.rule_id from public.automation_executions e where e.id = _execution_id)
  for key share;
  select e.* into failed from public.automation_executions e
  where e.id = _execution_id for no key update;
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Automation execution not found';
  elsif failed.status <> 'failed' then
    raise sqlstate 'PT409' using hint = 'EXECUTION_NOT_FAILED',
      message = format('Only a failed execution can be retried; this one is %s', failed.status);
  end if;
  select e.* into retry from public.automation_executions e where e.retry_of_id = failed.id;
  if found then
    raise sqlstate 'PT409' using message = 'The execution was retried before; retry the newer one if it failed',
      hint = 'EXECUTION_ALREADY_RETRIED', detail = jsonb_build_object('execution_id', retry.id)::text;
  end if;
  perform from public.automation_rules r where r.id = failed.rule_id and r.is_enabled and not r.is_paused;
  if not found then
    raise sqlstate 'PT409' using message = 'The rule was deleted, or is disabled or paused; enable it first',
      hint = 'RULE_NOT_ACTIVE';
  end if;
  select coalesce(jsonb_agg(r.entry order by r.n), '[]') into done
  from jsonb_array_elements(failed.action_results) with ordinality r (entry, n)
  where r.entry ->> 'status' = 'completed';
  select a.action_type, l.reset_at into limited
  from public.automation_actions a
  cross join lateral private.automation_limit_reset(
    failed.podcast_id, a.action_type, case a.action_type when 'send_email' then greatest(1, (
      select count(*) from private.automation_recipients(failed.context_data, a.action_config ->> 'to') r
      where r.skip_reason is null))::int
      else 1 end, at) l (reset_at)
  where a.rule_id = failed.rule_id and l.reset_at is not null and private.find_action_result(done, a.id) is null
  order by a.execution_order limit 1;
  if found then
    perform private.raise_rate_limited(private.automation_limit_message(limited.action_type, limited.reset_at, at),
      limited.reset_at);
  end if;
  insert into public.automation_executions (podcast_id, rule_id, rule_name, trigger_type, occurrence_id, retry_of_id,
    context_data, action_results, created_at)
  values (failed.podcast_id, failed.rule_id, failed.rule_name, failed.trigger_type, failed.occurrence_id, failed.id,
    failed.context_data, done, at)
  returning * into retry;
  perform private.enqueue_execution(retry.id, retry.podcast_id);
  return jsonb_build_object('execution', private.automation_execution_json(retry));
end $$;
grant execute on function private.retry_automation_execution to authenticated;

create function public.retry_automation_execution(execution_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_automation_execution(execution_id);
comment on function public.retry_automation_execution is
  'POST /api/automations/executions/{id}/retry: {execution}, a new one with status pending and retry_of_id. Actions '
  'that completed are not repeated; the others run as the rule has them now. Requires admin. 403, 404, 409 '
  'EXECUTION_NOT_FAILED, EXECUTION_ALREADY_RETRIED, RULE_NOT_ACTIVE or PODCAST_PENDING_DELETION, 429 while the hourly '
  'limit of one of the actions is reached.';
grant execute on function public.retry_automation_execution to authenticated;
