-- Updates a rule: an absent field stays unchanged, and actions replace the list.
create function private.update_automation_rule(_rule_id uuid, _changes jsonb) returns jsonb
language plpgsql volatile security definer  -- callers may not call validate_changes
set search_path = ''
as $$
declare
  rule    public.automation_rules;
  changed public.automation_rules;
begin
  -- before the rule, as a deletion of the podcast does
  perform private.require_writable_podcast(private.require_automation_role('rule', _rule_id));
  select r.* into rule from public.automation_rules r where r.id = _rule_id for no key update;
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Automation rule not found';
  end if;
  -- the shapes of null have checks of their own, whose messages a new rule has too
  _changes := private.changed_fields(_changes, private.automation_rule_json(rule), '{"name": ["string"],
    "description": ["string"], "trigger_type": ["string"], "trigger_config": null, "workflow_data": null,
    "conditions": null, "condition_mode": ["string"], "reply_to": ["string"], "is_enabled": ["boolean"],
    "is_paused": ["boolean"], "actions": null}');
  changed := jsonb_populate_record(rule, _changes);
  if changed is distinct from rule then
    update public.automation_rules r set (name, description, trigger_type, trigger_config, workflow_data, conditions,
      condition_mode, reply_to, is_enabled, is_paused) = (changed.name, changed.description, changed.trigger_type,
      changed.trigger_config, changed.workflow_data, changed.conditions, changed.condition_mode, changed.reply_to,
      changed.is_enabled, changed.is_paused)
    where r.id = _rule_id;
  end if;
  if _changes ? 'actions' then
    perform private.replace_actions(_rule_id, _changes -> 'actions');
  end if;
  return (
    select jsonb_build_object('rule', private.automation_rule_json(r)) from public.automation_rules r
    where r.id = _rule_id);
end $$;
grant execute on function private.update_automation_rule to authenticated;

create function public.update_automation_rule(rule_id uuid, changes jsonb) returns jsonb
language sql volatile security invoker set search_path = ''
return private.update_automation_rule(rule_id, changes);
comment on function public.update_automation_rule is
  'PUT /api/automations/rules/{id}: {rule} with the changed fields; read-only ones are ignored. actions replace the '
  'list; one with the id of an action, or its place and type, keeps its secret. Requires admin, who becomes the author '
  'by changing trigger, conditions or actions, and by enabling or resuming the rule. 400 with the path of what is '
  'wrong, 403, 404, 409 TOO_MANY_AUTOMATIONS or PODCAST_PENDING_DELETION.';
grant execute on function public.update_automation_rule to authenticated;
