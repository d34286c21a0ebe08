-- Returns a podcast to anonymous callers.
create function private.get_public_podcast(slug text) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  found_podcast public.podcasts;
begin
  select * into found_podcast from public.podcasts p where p.slug = get_public_podcast.slug;
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  return (
    select jsonb_build_object(
      'id', found_podcast.id, 'slug', found_podcast.slug, 'title', found_podcast.title,
      'description', private.plain_text(found_podcast.description), 'author', found_podcast.author,
      'language', found_podcast.language, 'explicit', found_podcast.explicit, 'link', found_podcast.link,
      'coverImageUrl', found_podcast.cover_image_url,
      'feedUrl', case when found_podcast.hosting_type = 'native' then private.feed_url(found_podcast.slug) end,
      'podcastGuid', found_podcast.podcast_guid,
      'episodeCount', count(*), 'latestEpisodeAt', private.format_timestamp(max(e.published_at)))
    from public.episodes e where e.podcast_id = found_podcast.id and e.status = 'published');
end $$;
comment on function private.get_public_podcast is
  'Implementation of get_public_podcast (security definer). Returns the published fields of a podcast. PT404.';
grant execute on function private.get_public_podcast to anon, authenticated, service_role;

create function public.get_public_podcast(slug text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('data', private.get_public_podcast(get_public_podcast.slug));
end $$;
comment on function public.get_public_podcast is 'GET /v1/podcasts/{slug}: {data}. 404.';
grant execute on function public.get_public_podcast to anon, authenticated, service_role;
