-- Begins a rendering: returns all that it needs to know, as of one moment:
--   podcast, show          the row, and what items show of it (`context` is its hash)
--   items, crc32s, …       the entries of the feed in its order: the newest item of each published episode, 0 for none
--   stale                  the episodes to render next, newest first, each with its place in that order and its credits
--   waiting                how many stale ones are left after those
--   version, written       the version and the digest of the present document; 0 and null for none
--   dated, early           the date of a new document, and the milliseconds until it may be written
-- No row: this podcast has no feed (external, deleted, gone).
--
-- The function is stable, so rows and version belong to one snapshot: a caller that stores with this version (lock_feed)
-- stores over a document that was made from these rows or from older ones.
--
-- A batch is bounded by count and by the notes' size: 500 episodes of a megabyte each would not fit into a worker.
-- Times are text with microseconds; a JavaScript date would lose them. HTTP knows whole seconds only, and a client that
-- sends If-Modified-Since alone must not miss the second of two changes within one: the later document waits for the
-- next second, since a date in the future would be none. A clock that was set back makes no rendering wait.
create function private.open_feed(podcast_id uuid, item_version int, most int default 500, most_bytes bigint default 8388608)
returns table (podcast jsonb, show jsonb, context text, items bigint[], crc32s bigint[], sizes bigint[], zipped bigint[],
  stale jsonb, waiting int, version bigint, written text, dated timestamptz, early int)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  found_podcast public.podcasts;
  episode_ids   uuid[];
  notes_bytes   int[];
  are_stale     boolean[];
  listen_base   text := private.setting('listen_url');
  last_modified timestamptz;
begin
  select * into found_podcast from public.podcasts p
  where p.id = open_feed.podcast_id and p.hosting_type = 'native' and p.status <> 'deleted';
  if not found then
    return;
  end if;
  podcast := to_jsonb(found_podcast) - 'owner_email' || jsonb_build_object(
    'shown_owner_email', case when found_podcast.show_owner_email then found_podcast.owner_email end,
    'feed_url', private.feed_url(found_podcast.slug),
    'listen_url', private.listen_url(found_podcast.slug, base => listen_base));
  show := jsonb_build_object('cover_image_url', found_podcast.cover_image_url, 'listen_url', podcast -> 'listen_url');
  context := md5(item_version || show::text);

  select coalesce(array_agg(coalesce(f.item_id, 0)), '{}'), coalesce(array_agg(coalesce(f.crc32, 0)), '{}'),
         coalesce(array_agg(coalesce(f.bytes, 0)), '{}'), coalesce(array_agg(coalesce(f.zipped, 0)), '{}'),
         array_agg(f.episode_id), array_agg(coalesce(f.notes_bytes, 0)),
         array_agg(f.rendered_from is distinct from f.updated_at or f.context is distinct from open_feed.context)
  into items, crc32s, sizes, zipped, episode_ids, notes_bytes, are_stale
  from (
    select * from private.feed_entries e where e.podcast_id = open_feed.podcast_id order by e.published_at desc, e.episode_id desc
  ) f;

  with unfit as (
    select f.episode_id, f.place - 1 as place, row_number() over by_place as n, sum(f.notes_bytes) over by_place as notes_bytes
    from unnest(episode_ids, notes_bytes, are_stale) with ordinality f (episode_id, notes_bytes, is_stale, place)
    where f.is_stale
    window by_place as (order by f.place)
  ), batch as (
    select u.episode_id, u.place from unfit u where u.n = 1 or (u.n <= most and u.notes_bytes <= most_bytes)
  )
  select coalesce(jsonb_agg(to_jsonb(e) - 'show_notes_html' || jsonb_build_object('place', b.place,
           'listen_url', private.listen_url(found_podcast.slug, e.slug, listen_base), 'credits', c.credits) order by b.place), '[]'),
         (select count(*) from unfit) - count(*)
  into stale, waiting
  from batch b join public.episodes e on e.id = b.episode_id
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'role_label', c.role_label, 'avatar_url', c.avatar_url,
      'external_url', c.external_url) order by c.display_order), '[]') as credits
    from public.episode_credits c where c.episode_id = e.id
  ) c;

  select d.version, d.digest, d.last_modified into version, written, last_modified
  from private.feed_documents d where d.podcast_id = open_feed.podcast_id;
  version := coalesce(version, 0);
  dated := date_trunc('second', clock_timestamp());
  early := case when dated = last_modified
    then ceil(1000 * extract(epoch from dated + interval '1 second' - clock_timestamp())) else 0 end;
  return next;
end $$;
comment on function private.open_feed is 'What a rendering needs: the rows, the stale items, and the document''s version, with which store_feed_items, write_feed and confirm_feed are called.';
