-- Deletes a template that no rule sends. A delete from automation_templates does the same.
create function public.delete_automation_template(template_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_automation_role('template', delete_automation_template.template_id);
  delete from public.automation_templates t where t.id = delete_automation_template.template_id;
  return jsonb_build_object('success', true);
end $$;
comment on function public.delete_automation_template is
  'DELETE /api/automations/templates/{id}: {success: true}. Requires admin. 403, 404, 409 TEMPLATE_IN_USE or '
  'PODCAST_PENDING_DELETION.';
grant execute on function public.delete_automation_template to authenticated;
