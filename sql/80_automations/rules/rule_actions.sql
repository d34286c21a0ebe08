-- The list of a rule's actions, as create_automation_rule and update_automation_rule take it. The table checks each
-- action_config.
create function private.require_actions(actions jsonb) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  action  jsonb;
  n       int := 0;
  orders  int[] := '{}';
  ids     uuid[] := '{}';
  -- what a read shows besides is ignored
  keys    constant text[] := array(select jsonb_object_keys(private.automation_action_json(null)));
  problem text;
begin
  if jsonb_typeof(actions) is distinct from 'array' then
    problem := 'actions: must be a list';
  elsif jsonb_array_length(actions) > 10 then
    problem := 'actions: must have at most 10 actions';
  else
    for action in select value from jsonb_array_elements(actions) loop
      problem := case
        when jsonb_typeof(action) <> 'object' then ': must be an object with action_type and action_config'
        when (action ->> 'action_type' in ('send_email', 'send_webhook', 'update_field')) is not true
          then '.action_type: must be send_email, send_webhook or update_field'
        when (coalesce(jsonb_typeof(action -> 'execution_order'), 'number') = 'number'
          and coalesce(action ->> 'execution_order', '0') ~ '^[0-9]{1,2}$') is not true
          then '.execution_order: must be an integer from 0 to 99'
        when coalesce((action ->> 'execution_order')::int, n) = any (orders)
          then '.execution_order: must differ from those of the other actions'
        when coalesce(jsonb_typeof(action -> 'continue_on_error'), 'boolean') <> 'boolean'
          then '.continue_on_error: must be true or false'
        when action ? 'id' and pg_input_is_valid(action ->> 'id', 'uuid') is not true then '.id: must be an id'
        when (action ->> 'id')::uuid = any (ids) then '.id: must differ from those of the other actions'
        else private.unknown_key_error('', action, keys) end;
      if problem is not null then
        problem := format('actions[%s]%s', n, problem);
        exit;
      end if;
      orders := orders || coalesce((action ->> 'execution_order')::int, n);
      ids := ids || (action ->> 'id')::uuid;
      n := n + 1;
    end loop;
  end if;
  if problem is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = problem;
  end if;
end $$;
comment on function private.require_actions is
  'Requires at most 10 actions {action_type, action_config, execution_order?, continue_on_error?, id?}. PT400.';

-- An action keeps its id, and so its secret and what executions did with it, if it has the same id, or the same place
-- and type. One that stays as it is is not written, because a write makes its user the rule's author.
create function private.replace_actions(_rule_id uuid, _actions jsonb) returns void
language plpgsql volatile security definer  -- callers may not call the helpers
set search_path = ''
as $$
declare
  own_ids uuid[];
  matched jsonb;
  wanted  record;
  problem text;
  title   text;
  code    text;
begin
  perform private.require_automation_role('rule', _rule_id);
  perform private.require_actions(_actions);
  perform from public.automation_rules r where r.id = _rule_id for no key update;
  set constraints public.execution_order_unique_per_rule deferred;
  own_ids := array(
    select (e.action ->> 'id')::uuid from jsonb_array_elements(_actions) e (action) where e.action ? 'id');
  select coalesce(jsonb_agg('{"continue_on_error": false}' || w.action || jsonb_build_object('n', w.n - 1,
    'execution_order', w.place, 'is_enabled_again', w.action -> 'disabled_reason' = 'null',
    'kept_id', coalesce((w.action ->> 'id')::uuid, a.id)) order by w.n), '[]')
  into matched
  from (
    select e.action, e.n, coalesce((e.action ->> 'execution_order')::int, e.n::int - 1) as place
    from jsonb_array_elements(_actions) with ordinality e (action, n)) w
  left join public.automation_actions a on not w.action ? 'id' and a.rule_id = _rule_id
    and a.execution_order = w.place and a.action_type::text = w.action ->> 'action_type'
    and a.id <> all (own_ids);
  delete from public.automation_actions a
  where a.rule_id = _rule_id and not matched @> jsonb_build_array(jsonb_build_object('kept_id', a.id));
  for wanted in
    select * from jsonb_to_recordset(matched) w (n int, id uuid, kept_id uuid, action_config jsonb,
      action_type public.automation_action_type, execution_order int, continue_on_error boolean,
      is_enabled_again boolean)
    order by w.n
  loop
    begin
      if exists (select from public.automation_actions a where a.id = wanted.kept_id and a.rule_id = _rule_id) then
        update public.automation_actions a set action_type = wanted.action_type, action_config = wanted.action_config,
          execution_order = wanted.execution_order, continue_on_error = wanted.continue_on_error,
          disabled_reason = case when wanted.is_enabled_again is not true then a.disabled_reason end
        where a.id = wanted.kept_id
          and ((a.action_type, a.action_config, a.execution_order, a.continue_on_error) is distinct from
              (wanted.action_type, wanted.action_config, wanted.execution_order, wanted.continue_on_error)
            or wanted.is_enabled_again and a.disabled_reason is not null);
      elsif wanted.id is not null then
        raise sqlstate 'PT400' using message = 'Invalid request', detail = 'id: must be an action of this rule';
      else
        insert into public.automation_actions (rule_id, action_type, action_config, execution_order, continue_on_error)
        values (_rule_id, wanted.action_type, wanted.action_config, wanted.execution_order, wanted.continue_on_error);
      end if;
    exception when sqlstate 'PT400' then
      get stacked diagnostics title = message_text, code = pg_exception_hint, problem = pg_exception_detail;
      problem := format('actions[%s].%s', wanted.n, problem);
      if code <> '' then  -- of a URL
        raise sqlstate 'PT400' using message = title, hint = 'BLOCKED_URL', detail = problem;
      end if;
      raise sqlstate 'PT400' using message = 'Invalid request', detail = problem;
    end;
  end loop;
  set constraints public.execution_order_unique_per_rule immediate;
end $$;
comment on function private.replace_actions is
  'Makes these the actions of a rule. Requires admin. PT400 with the path of what is wrong, BLOCKED_URL for a webhook '
  'that the server would not send, PT403, PT404, PT409.';
grant execute on function private.replace_actions to authenticated;
