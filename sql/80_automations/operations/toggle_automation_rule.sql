-- Enables or disables a rule.
create function public.toggle_automation_rule(rule_id uuid, is_enabled boolean default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- before the rule, as a deletion of the podcast does
  perform private.require_writable_podcast(private.require_automation_role('rule', toggle_automation_rule.rule_id));
  -- the row's own value, under its lock, so that two flips at the same time are two
  update public.automation_rules r set is_enabled = coalesce(toggle_automation_rule.is_enabled, not r.is_enabled)
  where r.id = toggle_automation_rule.rule_id;
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Automation rule not found';
  end if;
  return (
    select jsonb_build_object('rule', private.automation_rule_json(r)) from public.automation_rules r
    where r.id = toggle_automation_rule.rule_id);
end $$;
comment on function public.toggle_automation_rule is
  'POST /api/automations/rules/{id}/toggle: {rule}, enabled as given, else the other way round. Requires admin, who '
  'becomes the author by enabling it. 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.toggle_automation_rule to authenticated;
