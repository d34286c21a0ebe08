-- Feed entries: each published episode with its newest item, which the feed's next document lists; nulls if the episode
-- was never rendered. The join is lateral so that it is one index probe per episode in every plan.
create view private.feed_entries with (security_invoker = true) as
  select e.podcast_id, e.id as episode_id, e.published_at, e.updated_at,
         octet_length(e.show_notes_safe_html) as show_notes_bytes,
         i.id as item_id, i.episode_updated_at, i.context_hash, i.crc32, i.uncompressed_bytes, i.gzip_bytes
  from public.episodes e
  left join lateral (
    select i.id, i.episode_updated_at, i.context_hash, i.crc32, i.uncompressed_bytes,
           octet_length(i.deflated) as gzip_bytes
    from private.feed_items i where i.episode_id = e.id order by i.id desc limit 1
  ) i on true
  where e.status = 'published';
comment on view private.feed_entries is 'Published episodes with their newest feed items. Filter by podcast_id.';
