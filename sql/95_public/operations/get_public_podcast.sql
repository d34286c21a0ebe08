-- Returns a podcast to anonymous callers.
create function private.get_public_podcast(_slug text) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  found_podcast public.podcasts;
  published     record;
begin
  select * into found_podcast from public.podcasts p where p.slug = _slug and not p.is_being_deleted;
  select count(*) as episode_count, max(e.published_at) as newest_at into published
  from public.episodes e where e.podcast_id = found_podcast.id and e.status = 'published';
  if published.episode_count = 0 then  -- a podcast appears with its first published episode
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  return jsonb_build_object(
    'id', found_podcast.id, 'slug', found_podcast.slug, 'title', found_podcast.title,
    'description', private.plain_text(found_podcast.description), 'author', found_podcast.author,
    'language', found_podcast.language, 'explicit', found_podcast.explicit, 'type', found_podcast.type,
    'categories', found_podcast.categories, 'funding', found_podcast.funding, 'link', found_podcast.link,
    'directoryLinks', private.ordered_directory_links(found_podcast.directory_links),
    'coverImageUrl', found_podcast.cover_image_url,
    'coverCopies', private.image_copies(found_podcast.id, 'cover'), 'listenUrl', private.listen_url(found_podcast.slug),
    'feedUrl', case when found_podcast.hosting_type = 'native' then private.feed_url(found_podcast.slug) end,
    'podcastGuid', found_podcast.podcast_guid, 'episodeCount', published.episode_count,
    'latestEpisodeAt', private.format_timestamp(published.newest_at),
    'credits', (
      select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'roleLabel', c.role_label,
        'avatarUrl', c.avatar_url, 'avatarCopies', private.image_url_copies(c.avatar_url),
        'externalUrl', c.external_url) order by c.display_order), '[]')
      from public.podcast_credits c where c.podcast_id = found_podcast.id));
end $$;
grant execute on function private.get_public_podcast to anon, authenticated, service_role;

create function public.get_public_podcast(slug text) returns jsonb
language sql stable security invoker set search_path = ''
return jsonb_build_object('data', private.get_public_podcast(slug));
comment on function public.get_public_podcast is
  'GET /v1/podcasts/{slug}: {data} of a podcast with a published episode. 404.';
grant execute on function public.get_public_podcast to anon, authenticated, service_role;
