-- Returns a published episode to anonymous callers, by its id alone.
create function public.get_public_episode_by_id(episode_id uuid) returns jsonb
language sql stable security invoker
return jsonb_build_object('data', private.get_public_episode(null, episode_id::text));
comment on function public.get_public_episode_by_id is
  'GET /v1/episodes/{episodeId}: {data} of a published episode. 404.';
grant execute on function public.get_public_episode_by_id to anon, authenticated, service_role;
