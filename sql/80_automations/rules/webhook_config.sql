-- The action_config of send_webhook: what may be saved, and how its payload_template is filled.
create function private.webhook_header_error(name text, value jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case
    when name !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]+$' or char_length(name) > 100
      then '.headers: names must be tokens of at most 100 characters'
    when lower(name) ~ '^(webhook-|proxy-)' or lower(name) = any ('{connection,content-encoding,content-length,expect,
      host,keep-alive,te,trailer,transfer-encoding,upgrade,user-agent}')
      then format('.headers.%s: is a header that the server sets itself', name)
    -- never says the value, which is a secret
    when value <> 'null' and (jsonb_typeof(value) = 'string' and char_length(value #>> '{}') <= 1000
      and value #>> '{}' ~ '^[!-~]([ -~]*[!-~])?$') is not true
      then format('.headers.%s: must be null or 1 to 1,000 visible ASCII characters, with spaces between them',
        name) end;
end $$;
comment on function private.webhook_header_error is
  'What is wrong with a header of a webhook, as a path in action_config; null: nothing.';

create function private.webhook_headers_error(headers jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(headers) <> 'object' then '.headers: must be an object with a value per name'
    when (select count(*) from jsonb_object_keys(headers)) > 10 then '.headers: must have at most 10 headers'
    when (select count(distinct lower(n)) < count(*) from jsonb_object_keys(headers) n)
      then '.headers: must have each name once, in lower or upper case'
    else (
      select private.webhook_header_error(h.key, h.value) from jsonb_each(headers) h
      where private.webhook_header_error(h.key, h.value) is not null order by h.key limit 1) end;
end $$;
comment on function private.webhook_headers_error is
  'What is wrong with the headers of a webhook, {name: value or null}; null: nothing.';

create function private.payload_template_error(template jsonb, path text, depth int default 1) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  entry   record;
  problem text;
begin
  if jsonb_typeof(template) = 'string' then
    return coalesce(private.unbalanced_brace_error(path, template #>> '{}'), (
      select format('%s: unknown tag {%s}', path, u.tag) from unnest(private.used_tags(template #>> '{}')) u (tag)
      where not private.is_template_tag(u.tag) order by u.tag limit 1));
  elsif jsonb_typeof(template) not in ('object', 'array') then
    return null;
  elsif depth > 10 then
    return path || ': must be at most 10 levels deep';
  end if;
  for entry in
    select '.' || left(m.key, 100) as place, m.value
    from jsonb_each(case jsonb_typeof(template) when 'object' then template else '{}' end) m
    union all
    select format('[%s]', e.n - 1), e.value
    from jsonb_array_elements(case jsonb_typeof(template) when 'array' then template else '[]' end)
      with ordinality e (value, n)
  loop
    problem := private.payload_template_error(entry.value, path || entry.place, depth + 1);
    exit when problem is not null;
  end loop;
  return problem;
end $$;
comment on function private.payload_template_error is
  'The first problem of a payload_template, as `path: problem`: too many levels, unbalanced braces, or an unknown tag.';

create function private.webhook_config_error(config jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  template constant jsonb := config -> 'payload_template';
begin
  return case
    when (jsonb_typeof(config -> 'url') = 'string' and private.is_http_url(config ->> 'url')) is not true
      then '.url: must be an http or https URL'
    when not private.is_parsable_http_url(config ->> 'url')
      then '.url: must have a valid host and port; write an international host name in punycode (xn--…)'
    when config ? 'secret' and private.is_webhook_secret(config ->> 'secret') is not true
      then '.secret: must be whsec_ and 24 to 64 bytes in base64'
    when coalesce(jsonb_typeof(config -> 'sign'), 'boolean') <> 'boolean' then '.sign: must be true or false'
    when private.webhook_headers_error(config -> 'headers') is not null
      then private.webhook_headers_error(config -> 'headers')
    when jsonb_typeof(template) not in ('object', 'array') then '.payload_template: must be an object or a list'
    when octet_length(template::text) > 32768 then '.payload_template: must be at most 32,768 bytes'
    when (select count(*) from jsonb_path_query(template, 'strict $.**')) > 1000  -- each takes time in each webhook
      then '.payload_template: must have at most 1,000 values'
    else coalesce(private.payload_template_error(template, '.payload_template'),
      private.unknown_key_error('', config, '{url,secret,payload_template,headers,sign}')) end;
end $$;
comment on function private.webhook_config_error is
  'What is wrong with the action_config of send_webhook, or null: {url, secret?, payload_template?, headers?, sign?}.';

create function private.is_signed_webhook(config jsonb) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return coalesce((config ->> 'sign')::boolean, not config ? 'payload_template');
end $$;
comment on function private.is_signed_webhook is
  'Whether a webhook has a signature: as `sign` says, else unless it has a payload_template.';

create function private.render_payload(template jsonb, tags jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case jsonb_typeof(template)
    when 'string' then case when strpos(template #>> '{}', '{') = 0 then template
      else to_jsonb(private.render_template('', '', template #>> '{}', tags) ->> 'body_text') end
    when 'object' then (
      select coalesce(jsonb_object_agg(m.key, private.render_payload(m.value, tags)), '{}') from jsonb_each(template) m)
    when 'array' then (
      select coalesce(jsonb_agg(private.render_payload(e.value, tags) order by e.n), '[]')
      from jsonb_array_elements(template) with ordinality e (value, n))
    else template end;
end $$;
comment on function private.render_payload is
  'Fills the {tags} in the texts of a payload_template. Values cannot change its structure.';
