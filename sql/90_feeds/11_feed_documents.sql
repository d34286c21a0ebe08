-- Feed documents: the feed of each native podcast. The served document is one gzip member: the head, the fragments of
-- the listed items, the tail. Every column except version, findings and checked_at changes only when the content
-- changes.
--
-- No lock is held between the statements of a rendering. Each rendering reads the version together with the rows, and
-- stores only while the version is unchanged. A rendering that writes or confirms a document raises the version, so a
-- document is never replaced by one made from older rows.
create table private.feed_documents (
  podcast_id         uuid primary key references public.podcasts on delete cascade,
  etag               text not null,          -- of the whole document; without quotes
  last_modified      timestamptz not null,   -- whole seconds, like HTTP dates and lastBuildDate
  digest             text not null,          -- of the content without its date: detects changed content
  uncompressed_bytes bigint not null,
  gzip_bytes         bigint not null,
  head               bytea not null,         -- gzip header and everything before the first item
  items              bigint[] not null,      -- ids of private.feed_items in feed order
  tail               bytea not null,         -- everything after the last item, checksum and size
  version            bigint not null default 1,  -- raised by each rendering that wrote or confirmed the document
  findings           jsonb not null,         -- [{rule, tag, excerpt?}]: the rules that the channel does not follow
  checked_at         timestamptz not null,   -- when a rendering last wrote or confirmed the document
  constraint last_modified_is_whole_seconds check (last_modified = date_trunc('second', last_modified)),
  constraint findings_are_a_size_limited_array check (
    jsonb_typeof(findings) = 'array' and octet_length(findings::text) <= 65536)
);
comment on table private.feed_documents is
  'The feed of each native podcast. store_feed_document writes it; get_feed_gzip reads it for /feeds/{slug}.xml.';
alter table private.feed_documents alter column items set storage external;  -- compressing costs more than writing
alter table private.feed_documents enable row level security;
-- No policy, no grant.

create function private.get_feed_gzip(podcast_id uuid)
returns table (etag text, last_modified timestamptz, uncompressed_bytes bigint, gzip_bytes bigint, gzip bytea)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
    select d.etag, d.last_modified, d.uncompressed_bytes, d.gzip_bytes, d.head || coalesce((
        select string_agg(i.deflated, '' order by listed.position)
        from unnest(d.items) with ordinality listed (id, position) join private.feed_items i on i.id = listed.id
      ), '') || d.tail
    from private.feed_documents d where d.podcast_id = get_feed_gzip.podcast_id;
end $$;
comment on function private.get_feed_gzip is 'Returns a podcast''s feed as one gzip member.';

create function private.lock_feed_document(podcast_id uuid, version bigint) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('feed/' || lock_feed_document.podcast_id, 0));
  -- feed rows reference the podcast
  perform from public.podcasts p where p.id = lock_feed_document.podcast_id for key share;
  return found and lock_feed_document.version
    = coalesce((select d.version from private.feed_documents d where d.podcast_id = lock_feed_document.podcast_id), 0);
end $$;
comment on function private.lock_feed_document is
  'Locks a feed until the transaction ends. Returns false if its document has another version (0: no document), or '
  'if the podcast is deleted.';
