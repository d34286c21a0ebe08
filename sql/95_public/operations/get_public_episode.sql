-- Returns a published episode to anonymous callers.
create function private.get_public_episode(_slug text, id_or_slug text) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  found_episode jsonb;
begin
  select e.body into found_episode from private.published_episodes e
  where e.id = (select private.find_published_episode(_slug, id_or_slug));
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  return found_episode;
end $$;
grant execute on function private.get_public_episode to anon, authenticated, service_role;

create function public.get_public_episode(slug text, id_or_slug text) returns jsonb
language sql stable security invoker set search_path = ''
return jsonb_build_object('data', private.get_public_episode(slug, id_or_slug));
comment on function public.get_public_episode is
  'GET /v1/podcasts/{slug}/episodes/{idOrSlug}: {data} of a published episode. A slug wins over an id. 404.';
grant execute on function public.get_public_episode to anon, authenticated, service_role;
