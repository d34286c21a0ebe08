-- Returns the episodes that were published before and after one, to anonymous callers.
create function private.get_public_neighbors(_slug text, id_or_slug text) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  episode record;
begin
  select e.id, e.podcast_id, e.published_at into episode from public.episodes e
  where e.id = (select private.find_published_episode(_slug, id_or_slug));
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  return jsonb_build_object(
    'previous', (
      select jsonb_build_object('slug', e.slug, 'title', e.title) from public.episodes e
      where e.podcast_id = episode.podcast_id and e.status = 'published'
        and (e.published_at, e.id) < (episode.published_at, episode.id)
      order by e.published_at desc, e.id desc limit 1),
    'next', (
      select jsonb_build_object('slug', e.slug, 'title', e.title) from public.episodes e
      where e.podcast_id = episode.podcast_id and e.status = 'published'
        and (e.published_at, e.id) > (episode.published_at, episode.id)
      order by e.published_at, e.id limit 1));
end $$;
grant execute on function private.get_public_neighbors to anon, authenticated, service_role;

create function public.get_public_neighbors(slug text, id_or_slug text) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_public_neighbors(slug, id_or_slug);
comment on function public.get_public_neighbors is
  'For listen pages: {previous, next}, each {slug, title} or null: the published episodes before and after this one. '
  '404.';
grant execute on function public.get_public_neighbors to anon, authenticated, service_role;
