-- Puts a document in place of the one of this version, and removes the items that it does not list. A rendering that
-- comes second changes nothing: the document in place may be made from newer rows.
create function private.write_feed(podcast_id uuid, version bigint, document jsonb, head bytea, items bigint[], tail bytea) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not private.lock_feed(write_feed.podcast_id, write_feed.version) then
    return false;
  end if;
  insert into private.feed_documents as d (podcast_id, etag, last_modified, digest, bytes, zipped, head, items, tail)
  select write_feed.podcast_id, r.etag, r.last_modified, r.digest, r.bytes, r.zipped, write_feed.head, write_feed.items, write_feed.tail
  from jsonb_to_record(document) r (etag text, last_modified timestamptz, digest text, bytes bigint, zipped bigint)
  on conflict on constraint feed_documents_pkey do update set
    etag = excluded.etag, last_modified = excluded.last_modified, digest = excluded.digest, bytes = excluded.bytes,
    zipped = excluded.zipped, head = excluded.head, items = excluded.items, tail = excluded.tail, version = d.version + 1;
  -- a subquery is hashed; `<> all (array)` would compare every item with every other
  delete from private.feed_items i
  where i.podcast_id = write_feed.podcast_id and i.id not in (select listed.id from unnest(write_feed.items) listed (id));
  return true;
end $$;
comment on function private.write_feed is 'Writes the document that /feeds/{slug}.xml serves: {etag, last_modified, digest, bytes, zipped} and its parts. False when another rendering was faster: open the feed again.';
