-- Results of actions: {action_id, action_type, status, result} each. The statuses are completed, failed, skipped,
-- rate_limited while the execution waits, and running for a webhook that is being sent.
create function private.action_result(
  action public.automation_actions, status text, result jsonb default '{}') returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object(
    'action_id', action.id, 'action_type', action.action_type, 'status', status, 'result', result);
end $$;
comment on function private.action_result is 'The result of an action, as action_results has it.';

create function private.rate_limited_result(
  action public.automation_actions, reset_at timestamptz, at timestamptz) returns jsonb
language sql immutable security invoker set search_path = ''
as $$
  select private.action_result($1, 'rate_limited', jsonb_build_object(
    'error', private.automation_limit_message($1.action_type, $2, $3),
    'rate_limit_reset_at', private.format_timestamp($2)))
$$;
comment on function private.rate_limited_result is 'The result of an action that waits for its hourly limit.';

create function private.find_action_result(results jsonb, action_id uuid) returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return (
    select r.entry from jsonb_array_elements(results) r (entry) where r.entry ->> 'action_id' = action_id::text);
end $$;
comment on function private.find_action_result is 'The result of an action so far; null if it has none.';

create function private.put_action_result(results jsonb, entry jsonb) returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(r.earlier order by r.n), '[]') || jsonb_build_array(entry)
    from jsonb_array_elements(results) with ordinality r (earlier, n)
    where r.earlier ->> 'action_id' is distinct from entry ->> 'action_id');
end $$;
comment on function private.put_action_result is 'Appends the result of an action, and removes its earlier one.';

create function private.skip_limited_results(results jsonb, reason text) returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if not results @> '[{"status": "rate_limited"}]' then  -- most often
    return results;
  end if;
  return (
    select jsonb_agg(case when r.entry ->> 'status' = 'rate_limited' then r.entry || jsonb_build_object(
      'status', 'skipped', 'result', jsonb_build_object('reason', reason)) else r.entry end order by r.n)
    from jsonb_array_elements(results) with ordinality r (entry, n));
end $$;
comment on function private.skip_limited_results is
  'The results of an execution whose actions no longer wait for their hourly limits: those are skipped.';

-- Lock order: podcast, limits, execution. Deletions lock the podcast, or podcast, rule and executions.
create function private.lock_execution(_execution_id uuid, to_run boolean default false)
returns public.automation_executions
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast_id uuid;
  execution  public.automation_executions;
begin
  select p.id into podcast_id from public.podcasts p
  where p.id = (
    select e.podcast_id from public.automation_executions e where e.id = _execution_id)
  for key share;
  if to_run then
    perform private.lock_automation_limits(podcast_id);
  end if;
  select e.* into execution from public.automation_executions e
  where e.id = _execution_id for no key update;
  return execution;
end $$;
comment on function private.lock_execution is
  'Locks the podcast and an execution until the transaction ends, to run it also the limits of the podcast; null if it '
  'was deleted.';

create function private.blocks_later_actions(entry jsonb, at timestamptz) returns boolean
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return coalesce(at < (entry #>> '{result,begun_at}')::timestamptz + interval '2 hours', true);
end $$;
comment on function private.blocks_later_actions is
  'Whether the later actions of an execution wait for the result of a webhook that is running: for its first two '
  'hours.';

create function private.await_execution(
  execution public.automation_executions, limited jsonb, at timestamptz) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  reset_at   constant timestamptz := (limited #>> '{result,rate_limit_reset_at}')::timestamptz;
  is_sending constant boolean := execution.action_results @> '[{"status": "running"}]';
begin
  update public.automation_executions e set
    status = case when is_sending then 'running' else 'pending' end::public.automation_execution_status,
    action_results = execution.action_results, started_at = coalesce(e.started_at, at), held_until = null,
    -- a webhook writes its errors itself
    error_message = coalesce(limited #>> '{result,error}',
      case when e.status = 'running' and e.waits_for is null then e.error_message end),
    next_attempt_at = reset_at, waits_for = (limited ->> 'action_type')::public.automation_action_type
  where e.id = execution.id
    and (reset_at is not null or e.status <> 'running' or e.action_results <> execution.action_results);
  if reset_at is not null then
    perform private.enqueue_execution(execution.id, execution.podcast_id,
      greatest(1, ceil(extract(epoch from reset_at - at)))::int, at);
  end if;
  return case when is_sending then 'running' else 'pending' end;
end $$;
comment on function private.await_execution is
  'Makes a locked execution wait for its webhooks or, with the result of a limited action, for its hourly limit, and '
  'returns its status.';

create function private.hold_execution(execution public.automation_executions, at timestamptz) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  is_sending constant boolean := execution.action_results @> '[{"status": "running"}]';
begin
  if execution.held_until <= at then
    return private.end_execution(execution, 'canceled', 'The rule was paused for too long', at);
  end if;
  update public.automation_executions e set
    status = case when is_sending then 'running' else 'pending' end::public.automation_execution_status,
    held_until = coalesce(e.held_until, at + interval '7 days'), next_attempt_at = null, waits_for = null,
    error_message = 'The rule is paused; the execution continues when it is resumed',
    -- what waits for a limit has no result yet
    action_results = jsonb_path_query_array(execution.action_results, '$[*] ? (@.status != "rate_limited")')
  where e.id = execution.id;
  return case when is_sending then 'running' else 'pending' end;
end $$;
comment on function private.hold_execution is
  'Makes a locked execution wait until its paused rule is resumed, for at most seven days, and returns its status.';

create function private.notify_of_ended_execution(
  execution public.automation_executions, except_user_id uuid, at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.notify_repeatedly('automation_failed:' || execution.rule_id, 1, 'automation.failed',
    private.team_recipients(execution.podcast_id, 'admin', except_user_id),
    jsonb_build_object('podcast_id', execution.podcast_id, 'params', jsonb_build_object(
      'rule', execution.rule_name, 'variant', case execution.status when 'canceled' then 'canceled' end)),
    'automation:' || execution.rule_id,
    format('/podcasts/%s/automations/%s', execution.podcast_id, execution.id), at);
end $$;
comment on function private.notify_of_ended_execution is
  'Notifies the admins, except one, of an execution that failed or was canceled: of the first of a rule in a day at '
  'once, then at the end of the hour.';

create function private.end_execution(
  execution public.automation_executions, _status public.automation_execution_status, _error text, at timestamptz)
returns text
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.automation_executions e set status = _status,
    action_results = private.skip_limited_results(execution.action_results, _error),
    error_message = left(_error, 1000), started_at = coalesce(e.started_at, at), completed_at = at,
    next_attempt_at = null, waits_for = null, held_until = null
  where e.id = execution.id;
  if _status <> 'completed' and execution.rule_id is not null and not execution.is_test then
    execution.status := _status;
    perform private.notify_of_ended_execution(execution, null, at);
  end if;
  return _status;
end $$;
comment on function private.end_execution is
  'Ends a locked execution with its results, and returns its status. The admins are notified of one that failed or '
  'was canceled, unless it is a test.';

create function private.id_of_message(dead_letter jsonb, key text) returns uuid
language plpgsql stable security invoker set search_path = ''
as $$
declare
  id text := dead_letter #>> array['message', key];
begin
  return case when pg_input_is_valid(id, 'uuid') then id::uuid end;
end $$;
comment on function private.id_of_message is
  'An id of the message of a dead letter; null if it has none, because malformed messages become dead letters too.';

create function private.fail_automation_on_dead_letter() returns trigger
language plpgsql security definer  -- the worker's queue functions write dead letters
set search_path = ''
as $$
declare
  execution public.automation_executions;
begin
  -- without the podcast, whose deletion waits for the message that has become this dead letter
  select e.* into execution from public.automation_executions e
  where e.id = private.id_of_message(new.message, 'execution_id') for no key update;
  if execution.status in ('pending', 'running') then
    perform private.end_execution(execution, 'failed', 'The automation could not be run; try again later', now());
  end if;
  return null;
end $$;
comment on function private.fail_automation_on_dead_letter is
  'Trigger: fails an execution whose message failed at each attempt. The dead letter has the reason, for operators.';
