-- One published episode, for strangers.
create function public.get_public_episode(slug text, id_or_slug text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('data', private.public_episode_of(get_public_episode.slug, get_public_episode.id_or_slug));
end $$;
comment on function public.get_public_episode is
  'A published episode of a podcast, by its slug or its id: {data}. 404 when there is none.';
grant execute on function public.get_public_episode to anon, authenticated, service_role;
