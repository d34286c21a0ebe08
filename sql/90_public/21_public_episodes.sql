-- What strangers may read: published episodes, newest first, by keyset cursor.
create function private.listen_url(podcast_slug text, episode_slug text default null) returns text
language sql stable security invoker set search_path = ''
as $$ select private.setting('listen_url') || '/' || podcast_slug || coalesce('/' || episode_slug, '') $$;
comment on function private.listen_url is 'The page where people listen to a podcast or one of its episodes.';
revoke all on function private.listen_url from public, anon, authenticated, service_role;
grant execute on function private.listen_url to anon, authenticated, service_role;

create function private.public_episode(episode public.episodes, podcast_slug text) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'id', episode.id, 'podcastSlug', podcast_slug, 'slug', episode.slug, 'guid', episode.guid, 'title', episode.title,
    'description', coalesce(nullif(episode.description, ''), episode.summary, ''),
    'seasonNumber', episode.season_number, 'episodeNumber', episode.episode_number, 'episodeType', episode.episode_type,
    'explicit', episode.explicit, 'publishedAt', private.iso(episode.published_at),
    'durationSeconds', episode.audio_duration_seconds, 'audioUrl', episode.audio_url,
    'audioContentType', episode.audio_content_type, 'audioFileSizeBytes', episode.audio_file_size_bytes,
    'coverImageUrl', episode.cover_image_url,
    'listenUrl', private.listen_url(podcast_slug, episode.slug),
    'embedUrl', private.setting('embed_url') || '/ep/' || episode.id)
$$;
comment on function private.public_episode is 'The published fields of an episode, as /v1 shows them.';
revoke all on function private.public_episode from public, anon, authenticated, service_role;

-- Cursors are opaque to clients: the place after the last row seen.
create function private.episode_cursor(published_at timestamptz, id uuid) returns text
language sql immutable parallel safe set search_path = ''
as $$
  select rtrim(translate(encode(convert_to(
    extract(epoch from published_at)::text || ' ' || id, 'UTF8'), 'base64'), E'+/\n', '-_'), '=')
$$;
revoke all on function private.episode_cursor from public, anon, authenticated, service_role;

create function private.public_episodes(slug text, most int, cursor text) returns jsonb
language plpgsql stable security definer  -- reads for strangers, published fields only
set search_path = ''
as $$
declare
  podcast record;
  decoded text;
  before  timestamptz := 'infinity';
  below   uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  page    public.episodes[];
begin
  if most is null or most not between 1 and 100 then
    raise sqlstate 'PT400' using message = 'limit must be between 1 and 100';
  end if;
  select p.id, p.slug into podcast from public.podcasts p where p.slug = public_episodes.slug and p.status <> 'deleted';
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  if cursor is not null then
    begin
      decoded := convert_from(decode(translate(cursor, '-_', '+/') || repeat('=', -length(cursor) & 3), 'base64'), 'UTF8');
      before := to_timestamp(0) + split_part(decoded, ' ', 1)::numeric * interval '1 second';
      below := split_part(decoded, ' ', 2)::uuid;
    exception when others then
      raise sqlstate 'PT400' using message = 'cursor is not one that this API gave out';
    end;
  end if;
  page := array(
    select e from public.episodes e
    where e.podcast_id = podcast.id and e.status = 'published' and (e.published_at, e.id) < (before, below)
    order by e.published_at desc, e.id desc
    limit most + 1);
  return jsonb_build_object(
    'data', coalesce((
      select jsonb_agg(private.public_episode(e, podcast.slug) order by e.published_at desc, e.id desc)
      from unnest(page[1:most]) e), '[]'),
    'pagination', jsonb_build_object(
      'nextCursor', case when cardinality(page) > most then private.episode_cursor(page[most].published_at, page[most].id) end,
      'hasMore', cardinality(page) > most));
end $$;
revoke all on function private.public_episodes from public, anon, authenticated, service_role;
grant execute on function private.public_episodes to anon, authenticated, service_role;

create function private.public_episode_of(slug text, id_or_slug text) returns jsonb
language plpgsql stable security definer  -- reads for strangers, published fields only
set search_path = ''
as $$
declare
  found_episode public.episodes;
begin
  select e.* into found_episode
  from public.podcasts p join public.episodes e on e.podcast_id = p.id
  where p.slug = public_episode_of.slug and p.status <> 'deleted' and e.status = 'published'
    and e.slug = public_episode_of.id_or_slug;
  if not found and pg_input_is_valid(public_episode_of.id_or_slug, 'uuid') then
    select e.* into found_episode
    from public.podcasts p join public.episodes e on e.podcast_id = p.id
    where p.slug = public_episode_of.slug and p.status <> 'deleted' and e.status = 'published'
      and e.id = public_episode_of.id_or_slug::uuid;
  end if;
  if found_episode.id is null then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  return private.public_episode(found_episode, public_episode_of.slug);
end $$;
revoke all on function private.public_episode_of from public, anon, authenticated, service_role;
grant execute on function private.public_episode_of to anon, authenticated, service_role;
