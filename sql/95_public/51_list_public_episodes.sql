-- Published episodes, newest first, for strangers.
create function public.list_public_episodes(slug text, "limit" int default 25, cursor text default null) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.public_episodes(list_public_episodes.slug, list_public_episodes."limit", list_public_episodes.cursor);
end $$;
comment on function public.list_public_episodes is
  'GET /v1/podcasts/{slug}/episodes: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. 400 limit or cursor, 404.';
grant execute on function public.list_public_episodes to anon, authenticated, service_role;
