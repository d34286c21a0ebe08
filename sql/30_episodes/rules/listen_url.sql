-- The URL of a listen page, as feeds and public reads show it.
create function private.listen_url(
  podcast_slug text, episode_slug text default null,
  base text default private.get_setting('listen_url')  -- callers that build many URLs read the setting once
) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return case when base like 'http%' then base || '/' || private.encode_path_segment(podcast_slug)
    || coalesce('/' || private.encode_path_segment(episode_slug), '') end;
end $$;
comment on function private.listen_url is
  'Returns the URI of the listen page of a podcast or of one of its episodes, or null while neither pages_url nor '
  'listen_url is set. Slugs may contain any script.';
grant execute on function private.listen_url to anon, authenticated, service_role;
