-- Creates a template. An insert into automation_templates does the same.
create function public.create_automation_template(
  podcast_id  uuid,
  name        text,
  subject     text,
  body_html   text default '',
  body_text   text default '',
  description text default '',
  category    public.automation_template_category default 'general',
  has_button  boolean default true
) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  template public.automation_templates;
begin
  perform private.require_role(create_automation_template.podcast_id, 'admin');
  insert into public.automation_templates (podcast_id, name, description, category, subject, body_html, body_text,
    has_button)
  values (create_automation_template.podcast_id, create_automation_template.name,
    coalesce(create_automation_template.description, ''), create_automation_template.category,
    create_automation_template.subject, create_automation_template.body_html, create_automation_template.body_text,
    create_automation_template.has_button)
  returning * into template;
  perform set_config('response.status', '201', true);
  return jsonb_build_object('template', private.automation_template_json(template));
end $$;
comment on function public.create_automation_template is
  'POST /api/automations/templates: 201 {template}. Requires admin. 400 names the field of an empty or long text, of '
  'unbalanced braces, or of an unknown tag; 403, 404, 409 TOO_MANY_AUTOMATIONS or PODCAST_PENDING_DELETION.';
grant execute on function public.create_automation_template to authenticated;
