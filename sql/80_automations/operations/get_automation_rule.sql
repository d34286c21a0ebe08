-- Reads one rule with its actions.
create function public.get_automation_rule(rule_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_automation_role('rule', get_automation_rule.rule_id);
  return (
    select jsonb_build_object('rule', private.automation_rule_json(r)) from public.automation_rules r
    where r.id = get_automation_rule.rule_id);
end $$;
comment on function public.get_automation_rule is
  'GET /api/automations/rules/{id}: {rule} with automation_actions, without secrets. Requires admin. 403, 404.';
grant execute on function public.get_automation_rule to authenticated;
