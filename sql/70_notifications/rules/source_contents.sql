-- Emails that are rendered when they are sent: the catalogue names the function in private that knows their source.
create function private.render_source(_delivery_id uuid, _type text, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  renderer  text;
  source_id uuid;
  rendered  jsonb;
begin
  select t.content_function, a.source_id into renderer, source_id
  from public.notification_types t join private.delivery_addresses a on a.delivery_id = _delivery_id
  where t.type = _type;
  if num_nulls(renderer, source_id) > 0 then
    return null;
  end if;
  execute format('select private.%I($1, $2)', renderer) into rendered using source_id, at;
  if rendered ? 'title' then
    update private.delivery_addresses a set title = rendered ->> 'title', body = rendered ->> 'body',
      html = rendered ->> 'html', url = rendered ->> 'url',
      access = nullif(rendered -> 'access', 'null')
    where a.delivery_id = _delivery_id;
  end if;
  return rendered;
end $$;
comment on function private.render_source is
  'Renders the email of a delivery whose type has a content function, from the facts of now, into its row of '
  'delivery_addresses. Returns what the function did: {title, body, html, url, access, content}, whose '
  '`content` replaces members of private.email_content(); {problem}, why the email must not be sent; or {wait_until}. '
  'Null of another type.';
