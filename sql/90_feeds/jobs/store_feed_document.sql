-- Replaces the document of this version with all its pages, and deletes the items that the new one does not list. A
-- rendering that comes second changes nothing, because the current document may be made from newer rows.
create function private.store_feed_document(
  _podcast_id uuid, _version bigint, document jsonb, _head bytea, _items bigint[], _tail bytea,
  at timestamptz default clock_timestamp()
) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not private.lock_feed_document(_podcast_id, _version) then
    return false;
  end if;
  insert into private.feed_documents as d (podcast_id, etag, last_modified, digest, uncompressed_bytes, gzip_bytes,
    head, page_size, links, items, tail, findings, checked_at)
  select _podcast_id, r.etag, r.last_modified, r.digest, r.uncompressed_bytes, r.gzip_bytes,
    _head, r.page_size, coalesce(decode(r.links, 'base64'), ''), _items, _tail, r.findings, at
  from jsonb_to_record(document)
    r (etag text, last_modified timestamptz, digest text, uncompressed_bytes bigint, gzip_bytes bigint, page_size int,
      links text, findings jsonb)
  on conflict on constraint feed_documents_pkey do update set
    etag = excluded.etag, last_modified = excluded.last_modified, digest = excluded.digest,
    uncompressed_bytes = excluded.uncompressed_bytes, gzip_bytes = excluded.gzip_bytes,
    head = excluded.head, page_size = excluded.page_size, links = excluded.links, items = excluded.items,
    tail = excluded.tail, findings = excluded.findings, checked_at = excluded.checked_at, version = d.version + 1;
  delete from private.feed_pages g where g.podcast_id = _podcast_id;
  insert into private.feed_pages (podcast_id, page, etag, uncompressed_bytes, gzip_bytes, links, tail)
  select _podcast_id, r.page, r.etag, r.uncompressed_bytes, r.gzip_bytes,
    decode(r.links, 'base64'), decode(r.tail, 'base64')
  from jsonb_to_recordset(document -> 'pages')
    r (page int, etag text, uncompressed_bytes bigint, gzip_bytes bigint, links text, tail text);
  -- Postgres hashes a subquery; `<> all (array)` would compare every item with every other
  delete from private.feed_items i
  where i.podcast_id = _podcast_id
    and i.id not in (select listed.id from unnest(_items) listed (id));
  return true;
end $$;
grant execute on function private.store_feed_document to service_role;
comment on function private.store_feed_document is
  'Writes the document that /feeds/{slug}.xml serves: {etag, last_modified, digest, uncompressed_bytes, gzip_bytes, '
  'findings, page_size?, links?, pages?: [{page, etag, uncompressed_bytes, gzip_bytes, links, tail}]} with binary '
  'members as base64, and its parts. Returns false if another rendering was faster; read the feed again.';
