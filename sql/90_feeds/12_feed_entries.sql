-- Feed entries: each published episode with its newest item, which the feed's next document lists; nulls when it was
-- never rendered. The lookup is lateral so that it stays one index probe per episode, whatever the planner believes.
create view private.feed_entries with (security_invoker = true) as
  select e.podcast_id, e.id as episode_id, e.published_at, e.updated_at, octet_length(e.show_notes_safe_html) as notes_bytes,
         i.id as item_id, i.rendered_from, i.context, i.crc32, i.bytes, i.zipped
  from public.episodes e
  left join lateral (
    select i.id, i.rendered_from, i.context, i.crc32, i.bytes, octet_length(i.deflated) as zipped
    from private.feed_items i where i.episode_id = e.id order by i.id desc limit 1
  ) i on true
  where e.status = 'published';
comment on view private.feed_entries is 'What the feed of a podcast will list. Ask for one podcast''s.';
