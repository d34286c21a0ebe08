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
  type text, payload jsonb, language text, timezone text, is_address boolean, out title text, out body text)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  key        text := concat_ws('.', type, payload #>> '{params,variant}');
  max_length constant int := case when not is_address then 2000 end;
  params     jsonb;
begin
  if is_address and exists (
    select from private.texts t
    where t.locale = notification_texts.language and t.key = notification_texts.type || '.address.title'
  ) then
    key := type || '.address';
  end if;
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
  params := params || private.text_params(
    (payload - 'params') || coalesce(payload -> 'params', '{}'), language, timezone);
  title := private.shorten_text(private.render_text(private.get_text(language, key || '.title'), params), 300);
  body := nullif(
    private.shorten_text(private.render_text(private.get_text(language, key || '.body'), params), max_length), '');
end $$;
comment on function private.notification_texts is
  'Title and body of a notification in a language; dates are in the time zone. The payload''s params can name a '
  'variant of the texts, <type>.<variant>.title and .body. Recipients that are only an address read '
  '<type>.address.title and .body, if the type has them, and the whole body.';

create function private.notification_link(payload jsonb) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select case
    when payload ? 'invitation_id' then '/invitations/' || (payload ->> 'invitation_id')
    when payload ? 'podcast_id' then '/podcasts/' || (payload ->> 'podcast_id') || coalesce(
      '/episodes/' || (payload ->> 'episode_id'), '/imports/' || (payload ->> 'import_id'), '') end
$$;
comment on function private.notification_link is
  'The path below app_url of what a payload is about. These are all paths of the front end that the service knows.';
