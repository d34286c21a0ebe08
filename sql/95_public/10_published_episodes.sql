-- What strangers may read: published episodes, newest first, by keyset cursor.
-- `base` is for those who ask for many: the setting is then read once
create function private.listen_url(podcast_slug text, episode_slug text default null, base text default private.setting('listen_url'))
returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return base || '/' || private.encode_path_segment(podcast_slug) || coalesce('/' || private.encode_path_segment(episode_slug), '');
end $$;
comment on function private.listen_url is 'The page where people listen to a podcast or one of its episodes: a URI, whatever script the slugs are of.';
grant execute on function private.listen_url to anon, authenticated, service_role;

-- Column by column: a whole row would bring the raw notes along, which are the team's.
create view private.published_episodes with (security_invoker = true) as
  select p.slug as podcast_slug, p.id as podcast_id, e.slug, e.id, e.published_at,
    coalesce(octet_length(e.show_notes_safe_html), 0) as notes_bytes,
    jsonb_build_object(
      'id', e.id, 'podcastSlug', p.slug, 'slug', e.slug, 'guid', e.guid, 'title', e.title,
      'description', private.public_description(e.summary, e.description, e.show_notes_safe_html),
      'showNotesHtml', e.show_notes_safe_html,
      'seasonNumber', e.season_number, 'episodeNumber', e.episode_number, 'episodeType', e.episode_type,
      'explicit', e.explicit, 'publishedAt', private.format_timestamp(e.published_at),
      'durationSeconds', e.audio_duration_seconds, 'audioUrl', e.audio_url,
      'audioContentType', e.audio_content_type, 'audioFileSizeBytes', e.audio_file_size_bytes,
      'coverImageUrl', e.cover_image_url,
      'listenUrl', private.listen_url(p.slug, e.slug, (select private.setting('listen_url'))),
      'embedUrl', (select private.setting('embed_url')) || '/ep/' || e.id,
      'credits', coalesce((
        select jsonb_agg(jsonb_build_object('name', c.name, 'roleLabel', c.role_label, 'avatarUrl', c.avatar_url,
          'externalUrl', c.external_url) order by c.display_order)
        from public.episode_credits c where c.episode_id = e.id), '[]')) as shown
  from public.episodes e
  join public.podcasts p on p.id = e.podcast_id
  where e.status = 'published' and p.status <> 'deleted';
comment on view private.published_episodes is 'What strangers may see of episodes, and the keys to find it by.';

create function private.public_episodes(slug text, most int, cursor text) returns jsonb
language plpgsql stable security definer  -- reads for strangers, published fields only
set search_path = ''
as $$
declare
  podcast record;
  before  record;
  page    record;
begin
  if most is null or most not between 1 and 100 then
    raise sqlstate 'PT400' using message = 'limit must be between 1 and 100';
  end if;
  select p.id, p.slug into podcast from public.podcasts p where p.slug = public_episodes.slug and p.status <> 'deleted';
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  select c.at, c.id into before from private.decode_cursor(public_episodes.cursor) c;
  with candidate as (
    select e.id, e.published_at, row_number() over newest as n, sum(e.notes_bytes) over newest as notes_bytes
    from private.published_episodes e
    where e.podcast_id = podcast.id and (e.published_at, e.id) < (before.at, before.id)
    window newest as (order by e.published_at desc, e.id desc)
    order by e.published_at desc, e.id desc
    limit most + 1
  ), fitting as (  -- a page ends early after a megabyte of notes, so that no response is a hundred of them
    select c.id, c.published_at, c.n from candidate c where c.n = 1 or (c.n <= most and c.notes_bytes <= 1048576)
  )
  select coalesce(jsonb_agg(e.shown order by f.n), '[]') as data,
    (array_agg(private.encode_cursor(f.published_at, f.id) order by f.n desc))[1] as cursor,
    count(*) < (select count(*) from candidate) as has_more
  into page
  from fitting f join private.published_episodes e on e.id = f.id;
  return jsonb_build_object(
    'data', page.data,
    'pagination', jsonb_build_object('nextCursor', case when page.has_more then page.cursor end, 'hasMore', page.has_more));
end $$;
comment on function private.public_episodes is 'A page of published episodes; PT404 no such podcast, PT400 limit or cursor.';
grant execute on function private.public_episodes to anon, authenticated, service_role;

create function private.public_episode_of(slug text, id_or_slug text) returns jsonb
language plpgsql stable security definer  -- reads for strangers, published fields only
set search_path = ''
as $$
declare
  wanted_id     uuid := case when pg_input_is_valid(id_or_slug, 'uuid') then id_or_slug::uuid end;
  found_episode jsonb;
begin
  select e.shown into found_episode from private.published_episodes e
  where e.podcast_slug = public_episode_of.slug
    and (e.slug = id_or_slug or e.id = wanted_id)
  order by e.slug = id_or_slug desc limit 1;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  return found_episode;
end $$;
comment on function private.public_episode_of is 'One published episode, by slug or id; PT404 when there is none.';
grant execute on function private.public_episode_of to anon, authenticated, service_role;
