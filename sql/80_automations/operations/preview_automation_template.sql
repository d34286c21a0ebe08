-- Renders a template without saving it, and says what is wrong with it.
create function private.preview_automation_template(
  subject text, body_html text, body_text text, sample_data jsonb, trigger_type public.automation_trigger)
returns jsonb
language plpgsql stable security definer  -- callers may not call the helpers
set search_path = ''
as $$
declare
  used    text[];
  known   text[];
  errors  text[] := private.template_errors(subject, body_html, body_text);
begin
  perform private.require_account();
  if jsonb_typeof(sample_data) <> 'object' then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'sample_data: must be an object';
  elsif octet_length(sample_data::text) > 65536 then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'sample_data: must be at most 65,536 bytes';
  elsif exists (
    select from jsonb_each(sample_data) s where jsonb_typeof(s.value) not in ('string', 'number', 'boolean', 'null')
      or char_length(s.value #>> '{}') > 2000)
  then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'sample_data: values must be texts of at most 2,000 characters';
  elsif octet_length(subject) > 102400 or octet_length(body_html) > 409600 or octet_length(body_text) > 409600 then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'The template is too long for a preview';
  elsif (  -- a short template could repeat a long value
    select sum(t.uses * octet_length(private.escape_html(sample_data ->> t.tag))) from (
      select m.tag[1] as tag, count(*) as uses
      from regexp_matches(concat_ws(' ', subject, body_html, body_text), '\{([a-z_]+)\}', 'g') m (tag)
      group by m.tag[1]) t) > 524288
  then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'The preview is too long with its values';
  end if;
  used := array(
    select distinct u.tag from unnest(array[subject, body_html, body_text]) t (template)
    cross join lateral unnest(private.used_tags(t.template)) u (tag) order by u.tag);
  known := array(select t.tag from public.automation_tags t where t.tag = any (used) order by t.tag);
  return jsonb_build_object(
    -- a tag without a value stays visible
    'preview', private.render_template(coalesce(subject, ''), coalesce(body_html, ''), coalesce(body_text, ''), (
      select coalesce(jsonb_object_agg(u.tag, coalesce(sample_data ->> u.tag, '{' || u.tag || '}')), '{}')
      from unnest(used) u (tag))),
    'validation', jsonb_build_object(
      'used_tags', used,
      'invalid_tags', array(select u.tag from unnest(used) u (tag) where u.tag <> all (known) order by u.tag),
      'missing_context', array(
        select t.tag from public.automation_tags t
        where t.tag = any (known) and sample_data ->> t.tag is null
          and (trigger_type = any (t.triggers)) is not true
        order by t.tag),
      'errors', errors,
      'is_valid', errors = '{}' and used <@ known));
end $$;
grant execute on function private.preview_automation_template to authenticated;

create function public.preview_automation_template(
  subject text default '', body_html text default '', body_text text default '', sample_data jsonb default '{}',
  trigger_type public.automation_trigger default null) returns jsonb
language sql stable security invoker set search_path = ''
return private.preview_automation_template(subject, body_html, body_text, coalesce(sample_data, '{}'), trigger_type);
comment on function public.preview_automation_template is
  'POST /api/automations/templates/preview: {preview: {subject, body_html, body_text}, validation: {is_valid, '
  'used_tags, invalid_tags, missing_context, errors}}. missing_context lists tags without a sample value that the '
  'trigger_type, if given, does not provide; such a template is valid. By rpc, body_html is '
  'the caller''s own HTML, with escaped values: the route sanitizes it, and derives an empty body_text from it. '
  'Requires an account. 400.';
grant execute on function public.preview_automation_template to authenticated;
