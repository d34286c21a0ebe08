-- Writes a podcast's document: the head, the stored items in feed order, the tail. The items never leave the database.
-- Needs the feed's lock (private.open_feed), under which head and tail were made to fit these items.
create function private.write_feed(podcast_id uuid, digest bytea, etag text, last_modified timestamptz, bytes bigint, head bytea, tail bytea)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.feed_documents as d (podcast_id, digest, etag, last_modified, bytes, gzip)
  select write_feed.podcast_id, write_feed.digest, write_feed.etag, write_feed.last_modified, write_feed.bytes,
         head || coalesce(string_agg(i.deflated, '' order by i.published_at desc, i.episode_id desc), '') || tail
  from private.feed_items i where i.podcast_id = write_feed.podcast_id
  on conflict on constraint feed_documents_pkey do update set
    digest = excluded.digest, etag = excluded.etag, last_modified = excluded.last_modified,
    bytes = excluded.bytes, gzip = excluded.gzip;
end $$;
comment on function private.write_feed is 'Assembles and stores the document that /feeds/{slug}.xml serves.';
revoke all on function private.write_feed from public, anon, authenticated, service_role;
