-- Results of actions: {action_id, action_type, status, result} each. The statuses are completed, failed, skipped,
-- rate_limited, and running for a webhook that is being sent.
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

-- Lock order: podcast, limits, execution. Deletions lock the podcast, or podcast, rule and executions.
create function private.lock_execution(_execution_id uuid, to_run boolean default false)
returns public.automation_executions
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast_id constant uuid := (
    select e.podcast_id from public.automation_executions e where e.id = _execution_id);
  execution  public.automation_executions;
begin
  perform from public.podcasts p where p.id = podcast_id for key share;
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

create function private.end_execution(
  execution public.automation_executions, _status public.automation_execution_status, _error text, at timestamptz)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  author_id uuid;
begin
  update public.automation_executions e set status = _status, action_results = execution.action_results,
    error_message = left(_error, 1000), started_at = coalesce(e.started_at, at),
    completed_at = at, next_attempt_at = null, waits_for = null
  where e.id = execution.id;
  if _status = 'failed' then
    select r.author_id into author_id from public.automation_rules r where r.id = execution.rule_id;
    perform private.notify('automation.failed', private.user_recipients(author_id),
      jsonb_build_object('podcast_id', execution.podcast_id, 'params', jsonb_build_object('rule', execution.rule_name)),
      _dedupe_key => private.repeated_notice_key('automation_failed:' || execution.rule_id, 5, at),
      _group_key => 'automation:' || execution.rule_id,
      _link => format('/podcasts/%s/automations/%s', execution.podcast_id, execution.id), at => at);
  end if;
end $$;
comment on function private.end_execution is
  'Ends a locked execution with its results. The author of the rule is notified of a failure: of 5 a day, then of one '
  'an hour.';

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
