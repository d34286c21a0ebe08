-- Returns a published episode to anonymous callers, by its id alone.
create function private.get_public_episode_by_id(_episode_id uuid) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  found_episode jsonb;
begin
  select e.body into found_episode from private.published_episodes e where e.id = _episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  return found_episode;
end $$;
grant execute on function private.get_public_episode_by_id to anon, authenticated, service_role;

create function public.get_public_episode_by_id(episode_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
return jsonb_build_object('data', private.get_public_episode_by_id(episode_id));
comment on function public.get_public_episode_by_id is
  'GET /v1/episodes/{episodeId}: {data} of a published episode. 404.';
grant execute on function public.get_public_episode_by_id to anon, authenticated, service_role;
