-- Creates a rule with its actions. Inserts into automation_rules and automation_actions do the same.
create function public.create_automation_rule(
  podcast_id     uuid,
  name           text,
  trigger_type   public.automation_trigger,
  trigger_config jsonb default '{}',
  workflow_data  jsonb default '{"nodes": [], "connections": []}',
  is_enabled     boolean default true,
  actions        jsonb default '[]',
  description    text default '',
  conditions     jsonb default '[]',
  condition_mode text default 'all',
  reply_to       text default 'host'
) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  rule public.automation_rules;
begin
  perform private.require_role(create_automation_rule.podcast_id, 'admin');
  insert into public.automation_rules (podcast_id, name, description, trigger_type, trigger_config, workflow_data,
    conditions, condition_mode, reply_to, is_enabled)
  values (create_automation_rule.podcast_id, create_automation_rule.name,
    coalesce(create_automation_rule.description, ''), create_automation_rule.trigger_type,
    create_automation_rule.trigger_config, create_automation_rule.workflow_data, create_automation_rule.conditions,
    create_automation_rule.condition_mode, create_automation_rule.reply_to, create_automation_rule.is_enabled)
  returning * into rule;
  perform private.replace_actions(rule.id, create_automation_rule.actions);
  perform set_config('response.status', '201', true);
  return (
    select jsonb_build_object('rule', private.automation_rule_json(r)) from public.automation_rules r
    where r.id = rule.id);
end $$;
comment on function public.create_automation_rule is
  'POST /api/automations/rules: 201 {rule} with automation_actions. actions are {action_type, action_config, '
  'execution_order?, continue_on_error?}; conditions are {field, operator, value?}, of which condition_mode all or any '
  'must hold. Requires admin, who becomes the rule''s author. 400 with the path of what is '
  'wrong or BLOCKED_URL, 403, 404, 409 TOO_MANY_AUTOMATIONS or PODCAST_PENDING_DELETION.';
grant execute on function public.create_automation_rule to authenticated;
