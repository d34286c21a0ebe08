-- Returns an episode's effective cover (its own, else the podcast's) and the filename of its download.
create function public.get_episode_cover(episode_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  podcast_id uuid := private.require_episode_role(get_episode_cover.episode_id, 'member');
  slug       text;
  path       text;
begin
  select e.slug, private.own_object_path(coalesce(e.cover_image_url, p.cover_image_url)) into slug, path
  from public.episodes e join public.podcasts p on p.id = e.podcast_id where e.id = get_episode_cover.episode_id;
  -- only objects of this podcast; the pattern excludes path traversal
  if path ~ format('^podcasts/%s/([A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+\.(jpg|png|webp)$', podcast_id) is not true then
    raise sqlstate 'PT404' using message = 'No hosted cover found for this episode';
  end if;
  return jsonb_build_object('path', path, 'filename', slug || '-cover' || substring(path from '\.[a-z]+$'));
end $$;
comment on function public.get_episode_cover is
  'GET /api/media/episode-cover/{episodeId}/download: {path, filename} of the object. Requires membership. 403, 404 no '
  'episode, no cover, or a cover hosted elsewhere.';
grant execute on function public.get_episode_cover to authenticated;
