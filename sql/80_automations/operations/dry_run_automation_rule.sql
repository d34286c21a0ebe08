-- Shows what a rule would do, without doing it: runs its actions, and undoes them.
create function private.rehearse_automation(
  rule public.automation_rules, context jsonb, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  undone    constant text := 'rehearsed';
  execution public.automation_executions;
  action    public.automation_actions;
  outcome   jsonb;
  outcomes  jsonb := '[]';
begin
  insert into public.automation_executions (podcast_id, rule_id, rule_name, trigger_type, context_data, created_at)
  values (rule.podcast_id, rule.id, rule.name, rule.trigger_type, context, at) returning * into execution;
  for action in
    select a.* from public.automation_actions a where a.rule_id = rule.id order by a.execution_order
  loop
    outcome := private.run_automation_action(execution, action, null, at);
    if action.action_type = 'send_email' and outcome ->> 'status' = 'completed' then
      outcome := outcome || jsonb_build_object('result',
        outcome -> 'result' || private.preview_automation_email(execution, action, at));
    elsif outcome ->> 'status' = 'running' then
      outcome := outcome || jsonb_build_object('status', 'completed',
        'result', private.plan_webhook(execution, action, at) - 'problem');
    end if;
    outcomes := outcomes || (outcome || jsonb_build_object('continue_on_error', action.continue_on_error));
  end loop;
  raise sqlstate 'PT409' using message = undone;
exception when sqlstate 'PT409' then
  if sqlerrm <> undone then
    raise;
  end if;
  return outcomes;
end $$;
comment on function private.rehearse_automation is
  'Runs the actions of a rule for an occurrence, undoes all that they did, and returns their results, with the '
  'rendered email and the planned webhook. An update_field is only planned.';

create function private.plan_automation(_rule_id uuid, _booking_id uuid, _episode_id uuid, _episode_guest_id uuid,
  _import_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- callers may not read recipients
set search_path = ''
as $$
declare
  rule    public.automation_rules;
  context jsonb;
begin
  perform private.require_automation_role('rule', _rule_id);
  select r.* into rule from public.automation_rules r where r.id = _rule_id;
  context := private.named_occurrence(rule, _booking_id, _episode_id, _episode_guest_id, _import_id, at);
  return jsonb_build_object(
    'problem', coalesce(
      private.rule_problem(rule),
      private.trigger_problem(rule, rule.trigger_type, context),
      private.planned_occurrence_problem(rule, context, at),
      private.unmet_condition(rule, context)),
    'context_data', context, 'action_results', private.rehearse_automation(rule, context, at));
end $$;
comment on function private.plan_automation is
  'What a rule would do, for dry_run_automation_rule. Checks the role itself. An update_field is pending: the caller '
  'tries it.';
grant execute on function private.plan_automation to authenticated;

create function private.try_planned_update(plan jsonb) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  undone          constant text := 'tried';
  schema_name     text;
  table_name      text;
  constraint_name text;
begin
  perform private.write_planned_fields(plan);
  raise sqlstate 'PT409' using message = undone;
exception when others then
  if sqlerrm = undone then
    return plan || '{"status": "completed"}';
  end if;
  get stacked diagnostics schema_name = schema_name, table_name = table_name, constraint_name = constraint_name;
  return plan || jsonb_build_object('status', 'failed', 'result', jsonb_build_object('error', coalesce(
    private.write_error(sqlstate, sqlerrm, private.constraint_message(schema_name, table_name, constraint_name)),
    'The update could not be tried; try again')));
end $$;
comment on function private.try_planned_update is
  'Tries an update_field as the caller, undoes it, and returns its result.';
grant execute on function private.try_planned_update to authenticated;
grant execute on function private.write_error to authenticated;

create function public.dry_run_automation_rule(rule_id uuid, booking_id uuid default null,
  episode_id uuid default null, episode_guest_id uuid default null, import_id uuid default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  plan     jsonb := private.plan_automation(dry_run_automation_rule.rule_id, dry_run_automation_rule.booking_id,
    dry_run_automation_rule.episode_id, dry_run_automation_rule.episode_guest_id, dry_run_automation_rule.import_id);
  outcome  jsonb;
  outcomes jsonb := '[]';
  is_stopped boolean := false;
begin
  for outcome in select value from jsonb_array_elements(plan -> 'action_results') loop
    if is_stopped then
      outcome := outcome || '{"status": "skipped", "result": {"reason": "An earlier action failed"}}';
    elsif outcome ->> 'status' = 'pending' then
      outcome := private.try_planned_update(outcome);
    end if;
    is_stopped := is_stopped or outcome ->> 'status' = 'failed' and not (outcome -> 'continue_on_error')::boolean;
    outcomes := outcomes || (outcome - 'continue_on_error');
  end loop;
  return jsonb_build_object('dry_run', jsonb_build_object(
    'would_run', plan ->> 'problem' is null, 'problem', plan -> 'problem', 'context_data', plan -> 'context_data',
    'action_results', outcomes));
end $$;
comment on function public.dry_run_automation_rule is
  'POST /api/automations/rules/{id}/dry-run: {dry_run: {would_run, problem, context_data, action_results}} for the '
  'booking_id, episode_id, episode_guest_id or import_id that the trigger is about. The actions are run and undone, so '
  'the results are those of a run: also rate_limited, failed and skipped ones. By rpc, body_html is not sanitized, and '
  'another admin may have written it: the route sanitizes it. problem says why the rule would not run. A completed '
  'result shows the first recipient''s email, the payload of the webhook, or the tried update. Requires admin. 400, '
  '403, 404.';
grant execute on function public.dry_run_automation_rule to authenticated;
