-- Emails that are rendered when they are sent: a function that is named after their type knows their source.
create function private.render_source(_delivery_id uuid, _type text, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  source_id constant uuid := (
    select a.source_id from public.notification_types t
    join private.delivery_addresses a on a.delivery_id = _delivery_id
    where t.type = _type and t.is_rendered_when_sent);
  rendered  jsonb;
begin
  if source_id is null then
    return null;
  end if;
  execute format('select private.%I($1, $2)', replace(_type, '.', '_') || '_content') into rendered
  using source_id, at;
  if rendered ? 'title' then
    update private.delivery_addresses a set title = rendered ->> 'title', body = rendered ->> 'body',
      html = rendered ->> 'html', url = rendered ->> 'url', access = nullif(rendered -> 'access', 'null')
    where a.delivery_id = _delivery_id;
  end if;
  return rendered;
end $$;
comment on function private.render_source is
  'Renders the email of a delivery whose type is rendered when it is sent, from the facts of now, into its row of '
  'delivery_addresses. Returns what private.<type>_content(source_id, at) did: {title, body, html, url, access, '
  'content}, whose `content` replaces members of private.email_content(); {problem}, why the email must not be sent; '
  'or {wait_until}. Null of another type.';
