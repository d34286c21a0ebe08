-- Updates a template: an absent field stays unchanged. An update of automation_templates does the same.
create function private.update_automation_template(_template_id uuid, _changes jsonb) returns jsonb
language plpgsql volatile security definer  -- callers may not call validate_changes
set search_path = ''
as $$
declare
  template public.automation_templates;
  changed  public.automation_templates;
begin
  perform private.require_automation_role('template', _template_id);
  select t.* into template from public.automation_templates t where t.id = _template_id for no key update;
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Template not found';
  end if;
  _changes := private.changed_fields(_changes, private.automation_template_json(template), '{"name": ["string"],
    "description": ["string"], "category": ["string"], "subject": ["string"], "body_html": ["string"],
    "body_text": ["string"], "has_button": ["boolean"]}');
  changed := jsonb_populate_record(template, _changes);
  if changed is distinct from template then
    update public.automation_templates t set (name, description, category, subject, body_html, body_text,
      has_button) = (changed.name, changed.description, changed.category, changed.subject, changed.body_html,
      changed.body_text, changed.has_button)
    where t.id = _template_id
    returning * into template;
  end if;
  return jsonb_build_object('template', private.automation_template_json(template));
end $$;
grant execute on function private.update_automation_template to authenticated;

create function public.update_automation_template(template_id uuid, changes jsonb) returns jsonb
language sql volatile security invoker set search_path = ''
return private.update_automation_template(template_id, changes);
comment on function public.update_automation_template is
  'PUT /api/automations/templates/{id}: {template} with the changed fields; read-only ones are ignored. An '
  'execution that runs later sends the new texts. Requires admin. 400, 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.update_automation_template to authenticated;
