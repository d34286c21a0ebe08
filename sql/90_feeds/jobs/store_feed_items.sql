-- Stores a batch of rendered items: [{episode_id, episode_updated_at, deflated, crc32, uncompressed_bytes, digest,
-- findings}], the binary members as base64, and returns the item of each episode. An item with an unchanged digest is
-- kept and marked fresh. Stores nothing if the document has another version than get_feed_for_rendering returned,
-- because the batch may be made from older rows.
create function private.store_feed_items(_podcast_id uuid, _version bigint, _context_hash text, items jsonb)
returns table (episode_id uuid, item bigint)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not private.lock_feed_document(_podcast_id, _version) then
    return;
  end if;
  return query
    with input as (
      select r.episode_id, r.episode_updated_at, r.crc32, r.uncompressed_bytes, r.findings,
             decode(r.deflated, 'base64') as deflated, decode(r.digest, 'base64') as digest
      from jsonb_to_recordset(items) r (episode_id uuid, episode_updated_at timestamptz, deflated text, crc32 bigint,
        uncompressed_bytes int, digest text, findings jsonb)
    ), unchanged as (
      update private.feed_items i
      set episode_updated_at = g.episode_updated_at, context_hash = _context_hash,
          findings = g.findings
      from input g cross join lateral (
        select n.id, n.digest from private.feed_items n
        where n.episode_id = g.episode_id order by n.id desc limit 1) newest
      where i.id = newest.id and newest.digest = g.digest
      returning i.episode_id, i.id
    ), created as (
      insert into private.feed_items (podcast_id, episode_id, episode_updated_at, context_hash, deflated, crc32,
        uncompressed_bytes, digest, findings)
      select _podcast_id, g.episode_id, g.episode_updated_at, _context_hash, g.deflated,
        g.crc32, g.uncompressed_bytes, g.digest, g.findings
      from input g where g.episode_id not in (select u.episode_id from unchanged u)
      returning feed_items.episode_id, feed_items.id
    )
    select u.episode_id, u.id from unchanged u union all select c.episode_id, c.id from created c;
end $$;
grant execute on function private.store_feed_items to service_role;
comment on function private.store_feed_items is
  'Stores rendered items for the next document. Returns no rows if another rendering was faster; read the feed again.';
