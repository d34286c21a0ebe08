-- Renders a template without saving it, and says what is wrong with it.
create function private.validate_sample_data(sample_data jsonb) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  problem text := case
    when jsonb_typeof(sample_data) <> 'object' then 'must be an object'
    when octet_length(sample_data::text) > 65536 then 'must be at most 65,536 bytes'
    when exists (
      select from jsonb_each(sample_data) s where jsonb_typeof(s.value) not in ('string', 'number', 'boolean', 'null')
        or char_length(s.value #>> '{}') > 2000) then 'values must be texts of at most 2,000 characters' end;
begin
  if problem is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'sample_data: ' || problem;
  end if;
end $$;
comment on function private.validate_sample_data is 'Requires an object of at most 64 KB with short values. PT400.';

create function private.localize_sample(sample_data jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  sample  constant jsonb := jsonb_strip_nulls(sample_data);
  zone    text := sample ->> 'booking_timezone';
  profile public.profiles;
begin
  select f.* into profile from public.profiles f where f.id = auth.uid();
  if private.is_timezone(zone) is not true then
    zone := private.timezone_or_utc(profile.timezone);
  end if;
  return private.localize_tags(sample, zone, private.text_locale_of(profile.locale));
end $$;
comment on function private.localize_sample is
  'Sample values as an email to the caller shows them: moments are in the sample''s booking_timezone or the caller''s.';

create function private.missing_context(
  used text[], sample jsonb, trigger_type public.automation_trigger) returns text[]
language sql stable security invoker set search_path = ''
as $$
  select coalesce(array_agg(u.tag order by u.tag), '{}')
  from unnest(used) u (tag) left join public.automation_tags t on t.tag = u.tag
  where sample ->> u.tag is null and private.is_template_tag(u.tag)
    and ((trigger_type = any (t.triggers)) is not true
      -- the pages need the setting pages_url
      or u.tag in ('podcast_url', 'episode_url') and private.listen_url('slug') is null)
$$;
comment on function private.missing_context is
  'The known tags among these that have no sample value, and that an occurrence of the trigger may leave empty.';

create function private.preview_automation_template(
  _subject text, _body_html text, _body_text text, sample_data jsonb, trigger_type public.automation_trigger,
  at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- callers may not call the helpers
set search_path = ''
as $$
declare
  subject   text := coalesce(_subject, '');
  body_html text := coalesce(_body_html, '');
  body_text text := coalesce(_body_text, '');
  errors    text[];
  sample    jsonb;
  used      text[];
  unknown   text[];
begin
  perform private.require_account();
  perform private.consume_rate_limit('template_previews:' || auth.uid(),
    private.get_setting('max_template_previews_per_minute')::int, interval '1 minute', at);
  perform private.validate_sample_data(sample_data);
  errors := private.template_errors(subject, body_html, body_text);
  -- a text that is too long to be saved is not shown, because it would take seconds
  subject := case when private.template_size_error('subject', subject) is null then subject else '' end;
  body_html := case when private.template_size_error('body_html', body_html) is null then body_html else '' end;
  body_text := case when private.template_size_error('body_text', body_text) is null then body_text else '' end;
  used := array(
    select distinct u.tag from unnest(array[subject, body_html, body_text]) t (template)
    cross join lateral unnest(private.used_tags(t.template)) u (tag) order by u.tag);
  unknown := array(select u.tag from unnest(used) u (tag) where not private.is_template_tag(u.tag) order by u.tag);
  sample := private.localize_sample(sample_data);
  if (  -- a short template could repeat a long value
    select sum(u.uses * greatest(octet_length(private.escape_tag(s.value, 'bare')), 3 * octet_length(s.value)))
    from (
      select private.tag_name(m.tag[1]) as tag, count(*) as uses
      from regexp_matches(concat_ws(' ', subject, body_html, body_text), '\{([^{}]*)\}', 'g') m (tag) group by 1) u
    join jsonb_each_text(sample) s on s.key = u.tag) > 524288
  then
    -- not raised, because a call that fails counts for no limit
    errors := array_append(errors, 'sample_data: its values make the preview too long');
    subject := '';
    body_html := '';
    body_text := '';
  end if;
  return jsonb_build_object(
    -- a tag without a value stays visible
    'preview', private.render_template(subject, body_html, body_text, (
      select coalesce(jsonb_object_agg(u.tag, coalesce(sample ->> u.tag, '{' || u.tag || '}')), '{}')
      from unnest(used) u (tag))),
    'validation', jsonb_build_object(
      'used_tags', used,
      'invalid_tags', unknown,
      'missing_context', private.missing_context(used, sample, trigger_type),
      'errors', errors,
      'is_valid', errors = '{}' and unknown = '{}'));
end $$;
grant execute on function private.preview_automation_template to authenticated;

create function public.preview_automation_template(
  subject text default '', body_html text default '', body_text text default '', sample_data jsonb default '{}',
  trigger_type public.automation_trigger default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.preview_automation_template(subject, body_html, body_text, coalesce(sample_data, '{}'), trigger_type);
comment on function public.preview_automation_template is
  'POST /api/automations/templates/preview: {preview: {subject, body_html, body_text}, validation: {is_valid, '
  'used_tags, invalid_tags, missing_context, errors}}. Moments are shown as in an email to the caller. missing_context '
  'lists tags without a sample value that the trigger_type, if given, does not provide, or for which a setting is '
  'missing; such a template is valid. A text that is too long, also with its values, has an error and an empty '
  'preview. By rpc, body_html is the caller''s own HTML, with escaped values: the route sanitizes it, and derives an '
  'empty body_text from it. Requires an account. 400, 429 with rate_limit_reset_at.';
grant execute on function public.preview_automation_template to authenticated;
