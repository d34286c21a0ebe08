-- What a notification says: title and body in a language, and the path of its subject in the front end.
create function private.podcast_title_of(payload jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce(
    (select p.title from public.podcasts p where p.id = (payload ->> 'podcast_id')::uuid), payload ->> 'podcast_title');
end $$;
comment on function private.podcast_title_of is
  'The title of the podcast that a payload is about, which the payload has if the podcast may be deleted by now.';

create function private.notification_texts(
  type text, payload jsonb, text_locale text, timezone text, is_address boolean, is_unsolicited boolean,
  out title text, out body text)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  language   constant text := private.language_of(text_locale);
  -- the most specific one first
  keys       constant text[] := array[
    case when is_address then concat_ws('.', type || '.address', payload #>> '{params,variant}') end,
    case when is_address then type || '.address' end,
    concat_ws('.', type, payload #>> '{params,variant}'), type];
  zone       constant text := coalesce(timezone, private.timezone_or_utc(payload #>> '{params,timezone}'));
  key        text;
  location   text;
  message    text;
  max_length constant int := case when not is_address then 2000 end;
  params     jsonb;
begin
  select k.key, l.text, m.text into key, location, message
  from unnest(keys) with ordinality k (key, n)
  left join private.texts t on t.locale = language and t.key = k.key || '.title'
  left join private.texts l on l.locale = t.locale and l.key = k.key || '.location'
  left join private.texts m on m.locale = t.locale and m.key = k.key || '.message'
  order by t.key is null, k.n limit 1;
  select jsonb_build_object(
    'podcast', private.podcast_title_of(payload),
    'episode', (select e.title from public.episodes e where e.id = (payload ->> 'episode_id')::uuid),
    'actor', coalesce(
      (select f.display_name from public.profiles f where f.id = (payload ->> 'actor_id')::uuid),
      private.get_text(language, 'name.member')),
    'guest', coalesce(
      (select g.display_name from public.podcast_guests g where g.id = (payload ->> 'podcast_guest_id')::uuid),
      private.get_text(language, 'name.guest')))
  into params;
  params := params
    || private.text_params((payload - 'params') || coalesce(payload -> 'params', '{}'), text_locale, zone);
  if is_unsolicited then
    params := (
      select jsonb_object_agg(p.key, case
        when jsonb_typeof(p.value) <> 'string' or p.key like '%\_at' or p.key = 'email' then p.value
        when p.key in ('message', 'location') then to_jsonb(private.without_active_links(p.value #>> '{}'))
        else to_jsonb(coalesce(private.without_links(p.value #>> '{}'), case p.key
          when 'podcast' then private.get_text(language, 'name.podcast') else '…' end)) end)
      from jsonb_each(params) p);
  end if;
  title := private.shorten_text(private.render_text(private.get_text(language, key || '.title'), params), 300);
  body := private.render_text(private.get_text(language, key || '.body'), params);
  if location is not null and params ->> 'location' is not null then
    body := body || E'\n\n' || private.render_text(location, params);
  end if;
  if message is not null and not private.is_blank(params ->> 'message') then
    -- marked, so that no line of it can pass for ours
    body := body || E'\n\n' || private.render_text(message, jsonb_build_object(
      'message', regexp_replace(params ->> 'message', '^', '> ', 'gn')));
  end if;
  body := nullif(private.shorten_text(body, max_length), '');
end $$;
comment on function private.notification_texts is
  'Title and body of a notification for a locale of texts; dates are in the time zone, and for users who chose none in '
  'that of the payload''s params, if they have one. The params can name a variant of the texts, <type>.<variant>.title '
  'and .body, which are used if they exist. Recipients that are only an address read <type>.address.<variant>.title or '
  '<type>.address.title, if they exist, and the whole body. With the text .location beside them, the body tells the '
  '`location` of the params, and with .message it ends with their `message`, each line marked with "> ". In '
  'unsolicited emails, names and titles have no links, and '
  'those of location and message are plain text.';

create function private.type_text(_type text, _part text, _language text, _is_address boolean) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce((
    select t.text from private.texts t where t.locale = _language
      and t.key = _type || '.address.' || _part and _is_address), private.get_text(_language, _type || '.' || _part));
end $$;
comment on function private.type_text is
  'The text <type>.<part> in a language, such as the label of a button. Recipients that are only an address read '
  '<type>.address.<part>, if it exists.';

create function private.notification_link(payload jsonb) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case
  when payload ? 'invitation_id' then '/invitations/' || (payload ->> 'invitation_id')
  when payload ? 'podcast_id' then '/podcasts/' || (payload ->> 'podcast_id') || coalesce(
    '/episodes/' || (payload ->> 'episode_id'), '/imports/' || (payload ->> 'import_id'), '') end;
comment on function private.notification_link is
  'The path below app_url of what a payload is about. These are all paths of the front end that the service knows.';
