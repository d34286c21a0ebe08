-- What strangers may read: published fields of podcasts. anon has no table grants; these functions are its only way in.
create function private.public_podcast(slug text) returns jsonb
language plpgsql stable security definer  -- reads for strangers, published fields only
set search_path = ''
as $$
declare
  found_podcast public.podcasts;
begin
  select * into found_podcast from public.podcasts p where p.slug = public_podcast.slug and p.status <> 'deleted';
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  return (
    select jsonb_build_object(
      'id', found_podcast.id, 'slug', found_podcast.slug, 'title', found_podcast.title,
      'description', private.plain_text(found_podcast.description), 'author', found_podcast.author, 'language', found_podcast.language,
      'explicit', found_podcast.explicit, 'link', found_podcast.link, 'coverImageUrl', found_podcast.cover_image_url,
      'feedUrl', case when found_podcast.hosting_type = 'native' then private.feed_url(found_podcast.slug) end,
      'podcastGuid', found_podcast.podcast_guid,
      'episodeCount', count(*), 'latestEpisodeAt', private.format_timestamp(max(e.published_at)))
    from public.episodes e where e.podcast_id = found_podcast.id and e.status = 'published');
end $$;
comment on function private.public_podcast is 'The published fields of a podcast; PT404 when there is none.';
grant execute on function private.public_podcast to anon, authenticated, service_role;
