-- Retries a failed or canceled execution, or replays a completed one: a new execution with the facts of now.
create function private.insert_retry(
  ended public.automation_executions, kept_results jsonb, at timestamptz) returns public.automation_executions
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  retry public.automation_executions;
begin
  insert into public.automation_executions (podcast_id, rule_id, rule_name, trigger_type, retry_of_id, context_data,
    action_results, created_at)
  values (ended.podcast_id, ended.rule_id, ended.rule_name, ended.trigger_type, ended.id,
    private.current_automation_context(ended.context_data, at), kept_results, at)
  on conflict (retry_of_id) where retry_of_id is not null do nothing
  returning * into retry;
  perform private.enqueue_execution(retry.id, retry.podcast_id, at => at) where retry.id is not null;
  return retry;
end $$;
comment on function private.insert_retry is
  'Writes and enqueues the retry of an execution, another occurrence for receivers, which does not repeat the actions '
  'of the kept results. Null if the execution was retried before.';

create function private.completed_results(results jsonb) returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return jsonb_path_query_array(results, '$[*] ? (@.status == "completed")');
end $$;
comment on function private.completed_results is 'The results of the actions that completed.';

create function private.require_active_rule(rule_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if not exists (
    select from public.automation_rules r where r.id = rule_id and r.is_enabled and not r.is_paused) then
    raise sqlstate 'PT409' using message = 'The rule was deleted, or is disabled or paused; enable it first',
      hint = 'RULE_NOT_ACTIVE';
  end if;
end $$;
comment on function private.require_active_rule is 'PT409 RULE_NOT_ACTIVE for a rule that does not run.';

create function private.retry_automation_execution(
  _execution_id uuid, _replay boolean, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write executions
set search_path = ''
as $$
declare
  ended   public.automation_executions;
  retry   public.automation_executions;
  kept    jsonb;
  limited record;
  problem text;
begin
  perform private.require_writable_podcast(private.require_automation_role('execution', _execution_id));
  -- before the execution, as deletions of the rule do
  perform from public.automation_rules r
  where r.id = (
    select e.rule_id from public.automation_executions e where e.id = _execution_id)
  for key share;
  select e.* into ended from public.automation_executions e
  where e.id = _execution_id for no key update;
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Automation execution not found';
  elsif ended.is_test then
    raise sqlstate 'PT409' using message = 'A test cannot be retried; test the action again',
      hint = 'EXECUTION_IS_TEST';
  elsif ended.status not in ('failed', 'canceled') and not (_replay and ended.status = 'completed') then
    raise sqlstate 'PT409' using hint = 'EXECUTION_NOT_FAILED', message = format(
      case when _replay then 'Only an execution that has ended can be replayed; this one is %s'
        else 'Only a failed or canceled execution can be retried; this one is %s' end, ended.status);
  end if;
  select e.* into retry from public.automation_executions e where e.retry_of_id = ended.id;
  if found then
    raise sqlstate 'PT409' using message = 'The execution was retried before; retry the newer one if it failed',
      hint = 'EXECUTION_ALREADY_RETRIED', detail = jsonb_build_object('execution_id', retry.id)::text;
  end if;
  perform private.require_active_rule(ended.rule_id);
  problem := private.occurrence_problem(ended.trigger_type, ended.context_data, at);
  if problem is not null then
    raise sqlstate 'PT409' using message = problem || ', so the execution cannot be retried', hint = 'OCCURRENCE_OVER';
  end if;
  kept := case when _replay then '[]' else private.completed_results(ended.action_results) end;
  select a.action_type, l.reset_at into limited
  from public.automation_actions a
  cross join lateral private.automation_limit_reset(
    ended.podcast_id, a.action_type, case a.action_type when 'send_email' then greatest(1, (
      select count(*) from private.automation_recipients(ended.context_data, a.action_config ->> 'to') r
      where r.skip_reason is null))::int
      else 1 end, at) l (reset_at)
  where a.rule_id = ended.rule_id and l.reset_at is not null and private.find_action_result(kept, a.id) is null
  order by a.execution_order limit 1;
  if found then
    perform private.raise_rate_limited(private.automation_limit_message(limited.action_type, limited.reset_at, at),
      limited.reset_at);
  end if;
  retry := private.insert_retry(ended, kept, at);
  return jsonb_build_object('execution', private.automation_execution_json(retry));
end $$;
grant execute on function private.retry_automation_execution to authenticated;

create function public.retry_automation_execution(execution_id uuid, replay boolean default false) returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_automation_execution(execution_id, coalesce(replay, false));
comment on function public.retry_automation_execution is
  'POST /api/automations/executions/{id}/retry: {execution}, a new one with status pending and retry_of_id, for a '
  'failed or canceled execution. It has the facts of now. Actions that completed are not repeated; the others run as '
  'the rule has them now. With replay, a completed execution is taken too, and all actions are repeated. Requires '
  'admin. 403, 404, 409 EXECUTION_NOT_FAILED, EXECUTION_ALREADY_RETRIED, EXECUTION_IS_TEST, RULE_NOT_ACTIVE, '
  'OCCURRENCE_OVER or '
  'PODCAST_PENDING_DELETION, 429 while the hourly limit of one of the actions is reached.';
grant execute on function public.retry_automation_execution to authenticated;
