-- The email of an action as its first recipient would read it.
create function private.preview_automation_email(
  execution public.automation_executions, action public.automation_actions, at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  context     constant jsonb := private.current_automation_context(execution.context_data, at);
  target      constant text := action.action_config ->> 'to';
  text_locale constant text := (
    select private.text_locale_of(p.language) from public.podcasts p where p.id = execution.podcast_id);
  template    public.automation_templates;
  recipient   record;
begin
  select t.* into strict template from public.automation_templates t where t.id = action.template_id;
  select r.* into recipient from private.automation_recipients(context, target) r
  order by r.skip_reason is not null limit 1;
  if not found then
    return null;
  end if;
  return private.automation_email(context, template, recipient, text_locale)
    || jsonb_build_object('template_id', template.id, 'missing_tags',
      private.missing_tags(template, private.automation_email_tags(context, recipient, text_locale)));
end $$;
comment on function private.preview_automation_email is
  'The email of an action to its first recipient, {template_id, subject, body_html, body_text, missing_tags}, without '
  'a token in its links. Null without a recipient.';
