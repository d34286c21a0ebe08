-- Returns the newest published episode of a podcast to anonymous callers.
create function private.get_latest_public_episode(_slug text) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  found_episode jsonb;
begin
  select e.body into found_episode from private.published_episodes e
  where e.podcast_id = (select p.id from public.podcasts p where p.slug = _slug)
  order by e.published_at desc, e.id desc limit 1;
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  return found_episode;
end $$;
grant execute on function private.get_latest_public_episode to anon, authenticated, service_role;

create function public.get_latest_public_episode(slug text) returns jsonb
language sql stable security invoker set search_path = ''
return jsonb_build_object('data', private.get_latest_public_episode(slug));
comment on function public.get_latest_public_episode is
  'GET /v1/podcasts/{slug}/episodes/latest: {data} of the newest published episode. 404.';
grant execute on function public.get_latest_public_episode to anon, authenticated, service_role;
