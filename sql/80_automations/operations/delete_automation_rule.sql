-- Deletes a rule with its actions and schedules. Its executions stay; those that wait are canceled.
create function public.delete_automation_rule(rule_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- before the rule, as a deletion of the podcast does
  perform private.require_writable_podcast(private.require_automation_role('rule', delete_automation_rule.rule_id));
  delete from public.automation_rules r where r.id = delete_automation_rule.rule_id;
  return jsonb_build_object('success', true);
end $$;
comment on function public.delete_automation_rule is
  'DELETE /api/automations/rules/{id}: {success: true}. Executions keep the rule''s name. Requires admin. 403, 404, '
  '409 PODCAST_PENDING_DELETION.';
grant execute on function public.delete_automation_rule to authenticated;
