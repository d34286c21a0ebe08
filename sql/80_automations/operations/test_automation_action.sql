-- Tests an action: an execution that runs only this action, for its caller.
create function private.sample_occurrence(rule public.automation_rules, at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  context constant jsonb := private.automation_context(rule.podcast_id, null, null, at);
begin
  return context || jsonb_build_object('is_sample', true, 'tags', (
    select jsonb_object_agg(t.tag, case t.kind  -- an email shows a moment in the recipient's zone
      when 'moment' then private.format_timestamp(translate(t.example, '()', '')::timestamptz) else t.example end)
    from public.automation_tags t
    where rule.trigger_type = any (t.triggers || t.optional_triggers)
      and t.tag <> 'booking_manage_url')  -- only an email to the guest has one
    || (context -> 'tags'));
end $$;
comment on function private.sample_occurrence is
  'The context_data of an occurrence that never happened: the examples of the trigger''s tags, and the values that the '
  'podcast has.';

create function private.test_automation_action(_action_id uuid, _booking_id uuid, _episode_id uuid,
  _episode_guest_id uuid, _import_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write executions
set search_path = ''
as $$
declare
  action    public.automation_actions;
  rule      public.automation_rules;
  execution public.automation_executions;
  reset_at  timestamptz;
begin
  perform private.require_user();
  select a.* into action from public.automation_actions a where a.id = _action_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Automation action not found';
  end if;
  perform private.require_writable_podcast(private.require_automation_role('rule', action.rule_id));
  select r.* into rule from public.automation_rules r where r.id = action.rule_id for key share;
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Automation action not found';
  elsif action.action_type = 'update_field' then
    raise sqlstate 'PT409' using hint = 'ACTION_NOT_TESTABLE',
      message = 'A test would change the episode or guest; use the dry run of the rule';
  end if;
  perform private.consume_rate_limit('automation_tests:' || auth.uid(),
    private.get_setting('max_automation_tests_per_hour')::int, interval '1 hour', at);
  reset_at := private.automation_limit_reset(rule.podcast_id, action.action_type, 1, at);
  if reset_at is not null then
    perform private.raise_rate_limited(
      private.automation_limit_message(action.action_type, reset_at, at), reset_at);
  end if;
  insert into public.automation_executions (podcast_id, rule_id, rule_name, trigger_type, test_action_id, context_data,
    created_at)
  values (rule.podcast_id, rule.id, rule.name, rule.trigger_type, action.id,
    case when num_nonnulls(_booking_id, _episode_id, _episode_guest_id, _import_id) = 0
      then private.sample_occurrence(rule, at)
      else private.named_occurrence(rule, _booking_id, _episode_id, _episode_guest_id, _import_id, at) end
    || jsonb_build_object('tested_by', auth.uid()), at)
  returning * into execution;
  perform private.enqueue_execution(execution.id, execution.podcast_id, at => at);
  return jsonb_build_object('execution', private.automation_execution_json(execution));
end $$;
grant execute on function private.test_automation_action to authenticated;

create function public.test_automation_action(action_id uuid, booking_id uuid default null,
  episode_id uuid default null, episode_guest_id uuid default null, import_id uuid default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.test_automation_action(action_id, booking_id, episode_id, episode_guest_id, import_id);
comment on function public.test_automation_action is
  'POST /api/automations/actions/{id}/test: {execution}, one with is_test and status pending that sends the email to '
  'the caller only, or the webhook once, marked as a test. For the booking_id, episode_id, episode_guest_id or '
  'import_id that the trigger is about, in any state, or with sample values if none is given. The rule may be '
  'disabled or paused, and its conditions do not count. Requires admin. 400, 403, 404, 409 ACTION_NOT_TESTABLE for '
  'update_field or PODCAST_PENDING_DELETION, 429 with rate_limit_reset_at.';
grant execute on function public.test_automation_action to authenticated;
