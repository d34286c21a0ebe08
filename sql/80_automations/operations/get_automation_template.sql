-- Reads one template.
create function public.get_automation_template(template_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_automation_role('template', get_automation_template.template_id);
  return (
    select jsonb_build_object('template', private.automation_template_json(t)) from public.automation_templates t
    where t.id = get_automation_template.template_id);
end $$;
comment on function public.get_automation_template is
  'GET /api/automations/templates/{id}: {template}. Requires admin. 403, 404.';
grant execute on function public.get_automation_template to authenticated;
