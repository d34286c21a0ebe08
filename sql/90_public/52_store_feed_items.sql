-- Stores a batch of rendered items: [{episode_id, published_at, rendered_from, deflated, crc32, bytes, digest}], the
-- binary ones as base64. Needs the feed's lock (private.open_feed).
create function private.store_feed_items(podcast_id uuid, context text, items jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.feed_items as i (episode_id, podcast_id, published_at, rendered_from, context, deflated, crc32, bytes, digest)
  select r.episode_id, store_feed_items.podcast_id, r.published_at, r.rendered_from, store_feed_items.context,
         decode(r.deflated, 'base64'), r.crc32, r.bytes, decode(r.digest, 'base64')
  from jsonb_to_recordset(items) r (episode_id uuid, published_at timestamptz, rendered_from timestamptz,
    deflated text, crc32 bigint, bytes int, digest text)
  on conflict on constraint feed_items_pkey do update set
    published_at = excluded.published_at, rendered_from = excluded.rendered_from, context = excluded.context,
    deflated = excluded.deflated, crc32 = excluded.crc32, bytes = excluded.bytes, digest = excluded.digest;
end $$;
comment on function private.store_feed_items is 'Puts rendered items in place of the ones before.';
revoke all on function private.store_feed_items from public, anon, authenticated, service_role;
