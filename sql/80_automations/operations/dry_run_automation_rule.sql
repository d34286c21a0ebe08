-- Shows what a rule would do for a booking or an episode, without doing it.
create function private.plan_automation(_rule_id uuid, _booking_id uuid, _episode_id uuid, at timestamptz default now())
returns jsonb
language plpgsql stable security definer  -- callers may not read recipients
set search_path = ''
as $$
declare
  rule        public.automation_rules;
  booking     public.bookings;
  execution   public.automation_executions;
  template    public.automation_templates;
  action      public.automation_actions;
  recipient   record;
  text_locale text;
  email       jsonb;
  outcome     jsonb;
  plans       jsonb := '[]';
begin
  perform private.require_automation_role('rule', _rule_id);
  select r.* into rule from public.automation_rules r where r.id = _rule_id;
  if rule.trigger_type = 'episode.published' then
    if _booking_id is not null or _episode_id is null then
      raise sqlstate 'PT400' using message = 'Provide episode_id, and no booking_id, for this rule';
    elsif not exists (
      select from public.episodes e where e.id = _episode_id and e.podcast_id = rule.podcast_id) then
      raise sqlstate 'PT404' using message = 'Episode not found';
    end if;
  else
    if _episode_id is not null or _booking_id is null then
      raise sqlstate 'PT400' using message = 'Provide booking_id, and no episode_id, for this rule';
    end if;
    select b.* into booking from public.bookings b
    where b.id = _booking_id and b.podcast_id = rule.podcast_id;
    if not found then
      raise sqlstate 'PT404' using message = 'Booking not found';
    end if;
  end if;
  execution.id := gen_random_uuid();
  execution.podcast_id := rule.podcast_id;
  execution.rule_id := rule.id;
  execution.rule_name := rule.name;
  execution.trigger_type := rule.trigger_type;
  execution.occurrence_id := execution.id;
  execution.context_data := private.automation_context(rule.podcast_id, _booking_id,
    coalesce(_episode_id, booking.episode_id), at);
  select private.text_locale_of(p.language) into text_locale from public.podcasts p where p.id = rule.podcast_id;
  for action in
    select a.* from public.automation_actions a where a.rule_id = rule.id order by a.execution_order
  loop
    if action.action_type = 'send_email' then
      select t.* into strict template from public.automation_templates t where t.id = action.template_id;
      select r.*, count(*) over () as recipient_count into recipient
      from private.automation_recipients(execution.context_data, action.action_config ->> 'to') r
      where r.skip_reason is null limit 1;
      outcome := private.unsendable_result(action, case when found then recipient.recipient_count else 0 end::int);
      if outcome is null then
        email := private.automation_email(execution.context_data, template, recipient, text_locale);
        outcome := case when octet_length(email::text) > private.max_email_bytes()
          then private.action_result(action, 'failed', '{"error": "The email is too long with its values"}')
          else private.action_result(action, 'completed', email || jsonb_build_object('template_id', template.id,
            'recipient_count', recipient.recipient_count,
            'missing_tags', private.missing_tags(template, execution.context_data -> 'tags'))) end;
      end if;
      plans := plans || outcome;
    elsif action.action_type = 'send_webhook' then
      email := private.plan_webhook(execution, action, at);
      plans := plans || private.action_result(action, case when email ->> 'problem' is null then 'completed'
        else 'failed' end, email - 'problem' || jsonb_strip_nulls(jsonb_build_object('error', email -> 'problem')));
    else
      plans := plans || private.action_result(action, 'pending', action.action_config || jsonb_build_object(
        'ids', to_jsonb(private.update_field_targets(execution.context_data, action.action_config ->> 'entity'))));
    end if;
  end loop;
  return jsonb_build_object(
    -- the occurrence may be one that has not happened yet, such as the publication of a draft
    'problem', coalesce(private.rule_problem(rule.id), case
      when rule.trigger_config ? 'booking_link_id'
        and (rule.trigger_config ->> 'booking_link_id')::uuid is distinct from booking.booking_link_id
        then 'The rule is for another booking link' end),
    'context_data', execution.context_data, 'action_results', plans);
end $$;
comment on function private.plan_automation is
  'What a rule would do, for dry_run_automation_rule. Checks the role itself. An update_field is pending: the caller '
  'tries it.';
grant execute on function private.plan_automation to authenticated;

create function private.try_automated_update(plan jsonb) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  id              text;
  tried           constant text := 'tried';
  schema_name     text;
  table_name      text;
  constraint_name text;
begin
  if plan #> '{result,ids}' = '[]' then
    return plan || jsonb_build_object('status', 'skipped', 'result', jsonb_build_object(
      'reason', format('The occurrence has no %s', plan #>> '{result,entity}')));
  end if;
  for id in select jsonb_array_elements_text(plan #> '{result,ids}') loop
    perform private.update_automated_field(plan #>> '{result,entity}', id::uuid, plan #>> '{result,field}',
      plan #> '{result,value}');
  end loop;
  raise sqlstate 'PT409' using message = tried;  -- undoes the update
exception when others then
  if sqlerrm = tried then
    return plan || '{"status": "completed"}';
  end if;
  get stacked diagnostics schema_name = schema_name, table_name = table_name, constraint_name = constraint_name;
  return plan || jsonb_build_object('status', 'failed', 'result', jsonb_build_object('error', coalesce(
    private.write_error(sqlstate, sqlerrm, private.constraint_message(schema_name, table_name, constraint_name)),
    'The update could not be tried; try again')));
end $$;
comment on function private.try_automated_update is
  'Tries an update_field as the caller, undoes it, and returns its result.';
grant execute on function private.try_automated_update to authenticated;
grant execute on function private.write_error to authenticated;

create function public.dry_run_automation_rule(
  rule_id uuid, booking_id uuid default null, episode_id uuid default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  plan jsonb := private.plan_automation(dry_run_automation_rule.rule_id, dry_run_automation_rule.booking_id,
    dry_run_automation_rule.episode_id);
begin
  return jsonb_build_object('dry_run', jsonb_build_object(
    'would_run', plan ->> 'problem' is null, 'problem', plan -> 'problem', 'context_data', plan -> 'context_data',
    'action_results', coalesce((
      select jsonb_agg(case when p.action ->> 'status' = 'pending' then private.try_automated_update(p.action)
        else p.action end order by p.n)
      from jsonb_array_elements(plan -> 'action_results') with ordinality p (action, n)), '[]')));
end $$;
comment on function public.dry_run_automation_rule is
  'POST /api/automations/rules/{id}/dry-run: {dry_run: {would_run, problem, context_data, action_results}} for a '
  'booking_id, or an episode_id of episode.published. Nothing is sent or changed. By rpc, body_html is not sanitized, '
  'and another admin may have written it: the route sanitizes it. problem says why the rule would not '
  'run; result shows the first recipient''s email, the payload of the webhook, or the tried update. Requires admin. '
  '400, 403, 404.';
grant execute on function public.dry_run_automation_rule to authenticated;
