-- The first statement of a rendering. Returns everything that it needs, as of one moment:
--   podcast                         the row, with the credits, the newest 20 trailers and the newest date of episodes
--   podcast_context                 the part of the podcast that items and their findings depend on, with the base of
--                                   the URLs in chapters_url (context_hash is its hash)
--   items, crc32s, …                the entries of the feed in feed order: the newest item of each published episode,
--                                   0 for an episode without one
--   stale                           the episodes to render next, newest first, with their position, credits and
--                                   transcripts, and in chapters_url the document of their chapters if they have any
--   cover_size                      in podcast and stale: {width, height} of its own artwork, null if stored elsewhere
--   remaining_stale                 the number of stale episodes after those
--   version, current_digest         version and digest of the current document; 0 and null if there is none
--   last_modified, wait_ms          the date of a new document, and the milliseconds until it may be written
-- No row if the podcast has no feed (external or deleted).
--
-- The function is stable, so rows and version belong to one snapshot: a caller that stores with this version
-- (lock_feed_document) replaces a document that was made from these rows or from older ones.
--
-- A batch is limited by count and by the size of its show notes and feed values: 500 episodes of a megabyte each do not
-- fit into the worker's memory. Times are text with microseconds, which a JavaScript date would lose. HTTP dates have
-- whole seconds, and a client that sends If-Modified-Since alone must not miss the second of two changes within one
-- second: the later document waits for the next second, because its date must not be in the future. A clock that was
-- set back delays no rendering.
create function private.get_feed_for_rendering(
  _podcast_id uuid, item_version int, max_items int default 500, max_text_bytes bigint default 8388608,
  at timestamptz default clock_timestamp()
)
returns table (podcast jsonb, podcast_context jsonb, context_hash text, items bigint[], crc32s bigint[],
  uncompressed_bytes bigint[], gzip_bytes bigint[], stale jsonb, remaining_stale int, version bigint,
  current_digest text, last_modified timestamptz, wait_ms int)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  found_podcast         public.podcasts;
  episode_ids           uuid[];
  show_notes_bytes      int[];
  are_stale             boolean[];
  listen_base           text := private.get_setting('listen_url');
  chapters_base         text := private.chapters_base_url();
  current_last_modified timestamptz;
begin
  select * into found_podcast from public.podcasts p
  where p.id = _podcast_id and p.hosting_type = 'native';
  if not found then
    return;
  end if;
  podcast := to_jsonb(found_podcast) - 'owner_email' || jsonb_build_object(
    'redirect_url', (
      select private.redirect_in_effect(r, at) from private.feed_redirects r where r.podcast_id = found_podcast.id),
    'shown_owner_email', case when found_podcast.show_owner_email then found_podcast.owner_email end,
    'feed_url', private.feed_url(found_podcast.slug),
    'hub_url', nullif(private.get_setting('websub_hub_url'), ''),
    'uses_podping', private.get_setting('podping_url') <> '' and not found_podcast.is_blocked,
    'listen_url', private.listen_url(found_podcast.slug, base => listen_base),
    'has_owner_email', found_podcast.owner_email is not null,
    'cover_size', private.live_image_size(found_podcast.id, 'cover'),
    'credits', (
      select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'role_label', c.role_label,
        'avatar_url', c.avatar_url, 'external_url', c.external_url) order by c.display_order), '[]')
      from public.podcast_credits c where c.podcast_id = found_podcast.id),
    'trailers', (
      select coalesce(jsonb_agg(to_jsonb(t) order by t.published_at desc, t.id desc), '[]')
      from (
        select e.id, e.title, e.published_at, e.season_number, e.audio_url, e.audio_file_size_bytes,
               e.audio_content_type
        from public.episodes e
        where e.podcast_id = found_podcast.id and e.status = 'published' and e.episode_type = 'trailer'
        order by e.published_at desc, e.id desc limit 20
      ) t),
    'newest_published_at', (
      select max(e.published_at) from public.episodes e
      where e.podcast_id = found_podcast.id and e.status = 'published'));
  podcast_context := jsonb_build_object(
    'cover_image_url', found_podcast.cover_image_url, 'listen_url', podcast -> 'listen_url',
    'type', found_podcast.type, 'chapters_base_url', chapters_base);
  context_hash := md5(item_version || podcast_context::text);

  select coalesce(array_agg(coalesce(f.item_id, 0)), '{}'), coalesce(array_agg(coalesce(f.crc32, 0)), '{}'),
         coalesce(array_agg(coalesce(f.uncompressed_bytes, 0)), '{}'),
         coalesce(array_agg(coalesce(f.gzip_bytes, 0)), '{}'),
         array_agg(f.episode_id), array_agg(coalesce(f.show_notes_bytes, 0)),
         array_agg(f.episode_updated_at is distinct from f.updated_at
           or f.context_hash is distinct from get_feed_for_rendering.context_hash)
  into items, crc32s, uncompressed_bytes, gzip_bytes, episode_ids, show_notes_bytes, are_stale
  from (
    select * from private.feed_entries e where e.podcast_id = _podcast_id
    order by e.published_at desc, e.episode_id desc
  ) f;

  with stale_entry as (
    select f.episode_id, f.position - 1 as position, f.show_notes_bytes, row_number() over (order by f.position) as n
    from unnest(episode_ids, show_notes_bytes, are_stale) with ordinality
      f (episode_id, show_notes_bytes, is_stale, position)
    where f.is_stale
  ), candidate as (
    select s.episode_id, s.position, s.n, sum(s.show_notes_bytes + octet_length(concat(e.texts, e.locations, e.images,
      e.social_interactions, e.value_blocks, e.tags, e.soundbites, e.content_links, e.alternate_enclosures,
      e.extra_tags))) over (order by s.n) as bytes
    from stale_entry s join public.episodes e on e.id = s.episode_id
    where s.n <= max_items
  ), batch as (
    select c.episode_id, c.position from candidate c where c.n = 1 or c.bytes <= max_text_bytes
  )
  select coalesce(jsonb_agg(to_jsonb(e) - 'show_notes_html' || jsonb_build_object('position', b.position,
           'listen_url', private.listen_url(found_podcast.slug, e.slug, listen_base), 'credits', c.credits,
           'transcripts', t.transcripts, 'cover_size', private.live_image_size(e.id, 'episode_cover'),
           'chapters_url',
           case when h.has_chapters then chapters_base || '/' || e.id || '.json' else e.chapters_url end)
           order by b.position), '[]'),
         (select count(*) from stale_entry) - count(*)
  into stale, remaining_stale
  from batch b join public.episodes e on e.id = b.episode_id
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'role_label', c.role_label, 'avatar_url', c.avatar_url,
      'external_url', c.external_url) order by c.display_order), '[]') as credits
    from public.episode_credits c where c.episode_id = e.id
  ) c
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('url', t.url, 'type', t.type, 'language', t.language, 'rel', t.rel)
      order by t.display_order, t.id), '[]') as transcripts
    from public.episode_transcripts t where t.episode_id = e.id
  ) t
  cross join lateral (
    select exists (select from public.episode_chapters c where c.episode_id = e.id) as has_chapters
  ) h;

  select d.version, d.digest, d.last_modified into version, current_digest, current_last_modified
  from private.feed_documents d where d.podcast_id = _podcast_id;
  version := coalesce(version, 0);
  last_modified := date_trunc('second', at);
  wait_ms := case when last_modified = current_last_modified
    then ceil(1000 * extract(epoch from last_modified + interval '1 second' - at)) else 0 end;
  return next;
end $$;
grant execute on function private.get_feed_for_rendering to service_role;
comment on function private.get_feed_for_rendering is
  'Returns the rows, the stale items and the document version that a rendering passes to store_feed_items, '
  'store_feed_document and confirm_feed_document.';
