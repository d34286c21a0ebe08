-- Stores a batch of rendered items: [{episode_id, rendered_from, deflated, crc32, bytes, digest}], the binary ones as
-- base64, and returns the item of each episode. One that came out word for word as before stays, known to be fresh.
-- Stores nothing when the document is no longer of the version that open_feed returned: these words may be older.
create function private.store_feed_items(podcast_id uuid, version bigint, context text, items jsonb)
returns table (episode_id uuid, item bigint)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not private.lock_feed(store_feed_items.podcast_id, store_feed_items.version) then
    return;
  end if;
  return query
    with given as (
      select r.episode_id, r.rendered_from, r.crc32, r.bytes,
             decode(r.deflated, 'base64') as deflated, decode(r.digest, 'base64') as digest
      from jsonb_to_recordset(items) r (episode_id uuid, rendered_from timestamptz, deflated text, crc32 bigint, bytes int, digest text)
    ), same as (
      update private.feed_items i set rendered_from = g.rendered_from, context = store_feed_items.context
      from given g cross join lateral (
        select n.id, n.digest from private.feed_items n where n.episode_id = g.episode_id order by n.id desc limit 1) newest
      where i.id = newest.id and newest.digest = g.digest
      returning i.episode_id, i.id
    ), other as (
      insert into private.feed_items (podcast_id, episode_id, rendered_from, context, deflated, crc32, bytes, digest)
      select store_feed_items.podcast_id, g.episode_id, g.rendered_from, store_feed_items.context, g.deflated, g.crc32, g.bytes, g.digest
      from given g where g.episode_id not in (select s.episode_id from same s)
      returning feed_items.episode_id, feed_items.id
    )
    select s.episode_id, s.id from same s union all select o.episode_id, o.id from other o;
end $$;
comment on function private.store_feed_items is 'Keeps rendered items for the document to list. No rows when another rendering was faster: open the feed again.';
