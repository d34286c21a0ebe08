-- Runs an execution, action by action, until a webhook is enqueued, a limit or a pause makes it wait, or it ends.
create function private.rule_problem(rule public.automation_rules, _tested_by uuid default null) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return case
    when _tested_by is null and not rule.is_enabled then 'The rule was disabled'
    when _tested_by is null and rule.is_paused then 'The rule was paused'
    when (select p.status from public.podcasts p where p.id = rule.podcast_id) = 'pending_deletion'
      then 'The podcast is scheduled for deletion'
    when (
      select m.role >= 'admin' from public.podcast_members m
      where m.podcast_id = rule.podcast_id and m.user_id = coalesce(_tested_by, rule.author_id)) is not true
      then case when _tested_by is null then 'The author of the rule is no longer an admin'
        else 'The user who asked for the test is no longer an admin' end end;
end $$;
comment on function private.rule_problem is
  'Why a rule must not run, or why this user must not test it; null if it may. A disabled or paused one can be tested.';

create function private.trigger_problem(
  rule public.automation_rules, _trigger_type public.automation_trigger, context jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if rule.trigger_type <> _trigger_type then
    return 'The rule has another trigger now';
  elsif not rule.trigger_config ? 'booking_link_id' then  -- most often
    return null;
  end if;
  return case when (rule.trigger_config ->> 'booking_link_id')::uuid is distinct from (
    select b.booking_link_id from public.bookings b where b.id = (context ->> 'booking_id')::uuid)
    then 'The rule is for another booking link' end;
end $$;
comment on function private.trigger_problem is
  'Why a rule, as it is now, is not for an occurrence of this trigger; null if it is.';

create function private.reason_to_skip(
  execution public.automation_executions, rule public.automation_rules, at timestamptz) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  problem text;
begin
  if execution.is_test then
    return null;
  end if;
  problem := coalesce(private.occurrence_problem(execution.trigger_type, execution.context_data, at),
    private.trigger_problem(rule, execution.trigger_type, execution.context_data));
  if problem is null and rule.conditions <> '[]'  -- the context costs more than the rest
     -- they held, and what the rule itself wrote must not stop it
     and not execution.action_results @> '[{"action_type": "update_field", "status": "completed"}]' then
    problem := private.unmet_condition(rule, private.current_automation_context(execution.context_data, at));
  end if;
  return problem;
end $$;
comment on function private.reason_to_skip is
  'Why there is nothing left to do: the occurrence no longer holds, or is not one for which the rule runs, by the rule '
  'and the facts of now. Null if the actions run. A test runs for any occurrence.';

create function private.run_automation_action(execution public.automation_executions,
  action public.automation_actions, author_id uuid, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return case action.action_type
    when 'send_email' then private.run_send_email(execution, action, at)
    when 'send_webhook' then private.run_send_webhook(execution, action, at)
    when 'update_field' then case when author_id is null then private.plan_update_field(execution, action, at)
      else private.run_update_field(execution, author_id, action, at) end end;
end $$;
comment on function private.run_automation_action is
  'Runs an action and returns its result. Without an author, an update_field is only planned: a dry run''s caller '
  'tries it.';

create function private.run_automation_execution(_execution_id uuid, at timestamptz default clock_timestamp())
returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  execution  public.automation_executions := private.lock_execution(_execution_id, true);
  rule       public.automation_rules;
  action     public.automation_actions;
  known      jsonb;
  outcome    jsonb;
  is_checked boolean := false;
  skipped    text;         -- why all actions that are left are skipped
  limited    jsonb;        -- the result of the action that waits for its limit
  is_held    boolean := false;
  error      text;
begin
  if execution.status not in ('pending', 'running') is not false then  -- it ended, or was deleted
    return execution.status;
  elsif execution.rule_id is null then
    return private.end_execution(execution, 'canceled', 'The rule was deleted', at);
  end if;
  select r.* into rule from public.automation_rules r where r.id = execution.rule_id;
  for action in
    select a.* from public.automation_actions a where a.rule_id = execution.rule_id
      and (execution.test_action_id is null
        or a.id = execution.test_action_id and a.action_type <> 'update_field')  -- changed since the request
    order by a.execution_order
  loop
    known := private.find_action_result(execution.action_results, action.id);
    if known ->> 'action_type' <> action.action_type::text and known ->> 'status' in ('running', 'skipped') then
      known := null;  -- it is another action now
    end if;
    if known ->> 'status' in ('completed', 'skipped') then
      continue;
    elsif known ->> 'status' = 'failed' then
      error := coalesce(error, case when not action.continue_on_error then known #>> '{result,error}' end);
      continue;
    elsif known ->> 'status' = 'running' then
      exit when private.blocks_later_actions(known, at);  -- its result continues the execution
      continue;
    end if;
    if error is null and not is_checked then
      is_held := rule.is_enabled and rule.is_paused and not execution.is_test;
      exit when is_held;
      error := private.rule_problem(rule, (execution.context_data ->> 'tested_by')::uuid);
      if error is not null then
        return private.end_execution(execution, 'canceled', error, at);
      end if;
      skipped := private.reason_to_skip(execution, rule, at);
      is_checked := true;
    end if;
    outcome := case
      when error is not null then private.action_result(action, 'skipped', '{"reason": "An earlier action failed"}')
      when skipped is not null then private.action_result(action, 'skipped', jsonb_build_object('reason', skipped))
      else private.run_automation_action(execution, action, rule.author_id, at) end;
    if outcome ->> 'status' = 'rate_limited'
       and at >= coalesce(execution.resumed_at, execution.created_at) + interval '1 day' then
      outcome := outcome || '{"status": "failed"}';  -- each wait is bounded
    end if;
    execution.action_results := private.put_action_result(execution.action_results, outcome);
    if outcome ->> 'status' = 'rate_limited' then
      limited := outcome;
      exit;
    end if;
    exit when outcome ->> 'status' = 'running' and private.blocks_later_actions(outcome, at);
    if outcome ->> 'status' = 'failed' and not action.continue_on_error then
      error := outcome #>> '{result,error}';
    end if;
  end loop;
  if is_held then
    return private.hold_execution(execution, at);
  elsif limited is not null or execution.action_results @> '[{"status": "running"}]' then
    return private.await_execution(execution, limited, at);
  end if;
  execution.action_results := private.skip_limited_results(execution.action_results, 'The action was deleted');
  error := coalesce(error, (  -- of an action that was deleted meanwhile; or nothing was done, because all others failed
    select r.entry #>> '{result,error}' from jsonb_array_elements(execution.action_results) r (entry)
    where r.entry ->> 'status' = 'failed' and (not execution.action_results @> '[{"status": "completed"}]'
      or not exists (
        select from public.automation_actions a where a.id = (r.entry ->> 'action_id')::uuid))
    limit 1));
  return private.end_execution(execution,
    case when error is null then 'completed' else 'failed' end::public.automation_execution_status, error, at);
end $$;
comment on function private.run_automation_execution is
  'Runs an execution until it ends, waits for the result of a webhook (running) or for an hourly limit (pending, with '
  'a message for later), or is held because its rule is paused, and returns its status. Each action runs once, '
  'regardless of how many workers call it. A webhook makes later actions wait for two hours at most. An execution that '
  'waits for a limit for longer than a day fails.';

create function private.run_automation_executions(execution_ids uuid[], at timestamptz default clock_timestamp())
returns text[]
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  errors text[] := array_fill(null::text, array[cardinality(execution_ids)]);
  listed record;
begin
  perform private.pause_execution_broadcasts(true);  -- of each execution
  for listed in
    select e.id, u.n from unnest(execution_ids) with ordinality u (id, n)
    join public.automation_executions e on e.id = u.id
    join public.podcasts p on p.id = e.podcast_id
    -- concurrent calls lock in this order: the limits of an owner, those of a podcast, executions
    order by p.owner_id, e.podcast_id, e.rule_id, e.created_at, e.id
  loop
    begin
      perform private.run_automation_execution(listed.id, at);
    exception when others then
      errors[listed.n] := sqlerrm;
    end;
  end loop;
  perform private.pause_execution_broadcasts(false);
  perform private.broadcast_executions(execution_ids);
  return errors;
end $$;
grant execute on function private.run_automation_executions to service_role;
comment on function private.run_automation_executions is
  'Runs executions for the worker, in one transaction. Returns the error of each, in their order; null if there is '
  'none. An error undoes its execution only, and the queue retries it.';
