-- Feed documents: each native podcast's feed. What is served is one gzip member: the head, the fragments of the listed
-- items, the tail. All but the version changes only when the content does.
--
-- No lock is held between the statements of a rendering. Each rendering reads the version together with the rows, and
-- stores only while the version is unchanged. A rendering that writes or confirms a document raises the version, so a
-- document is never replaced by one made from older rows.
create table private.feed_documents (
  podcast_id    uuid primary key references public.podcasts on delete cascade,
  etag          text not null,          -- of all the bytes; without quotes
  last_modified timestamptz not null,   -- whole seconds, as HTTP and lastBuildDate have them
  digest        text not null,          -- of the content without its date: decides whether anything changed
  bytes         bigint not null,        -- unpacked
  zipped        bigint not null,        -- packed
  head          bytea not null,         -- gzip header and everything before the first item
  items         bigint[] not null,      -- private.feed_items in the feed's order
  tail          bytea not null,         -- everything after the last item, checksum and size
  version       bigint not null default 1,  -- raised by each rendering that wrote or confirmed the document
  constraint last_modified_is_whole_seconds check (last_modified = date_trunc('second', last_modified))
);
comment on table private.feed_documents is 'The feed of each native podcast. Written by write_feed, read by read_feed for /feeds/{slug}.xml.';
alter table private.feed_documents alter column items set storage external;  -- compressing it takes longer than writing it
alter table private.feed_documents enable row level security;
-- No policy, no grant.

create function private.read_feed(podcast_id uuid)
returns table (etag text, last_modified timestamptz, bytes bigint, zipped bigint, gzip bytea)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
    select d.etag, d.last_modified, d.bytes, d.zipped, d.head || coalesce((
        select string_agg(i.deflated, '' order by listed.place)
        from unnest(d.items) with ordinality listed (id, place) join private.feed_items i on i.id = listed.id
      ), '') || d.tail
    from private.feed_documents d where d.podcast_id = read_feed.podcast_id;
end $$;
comment on function private.read_feed is 'A podcast''s feed as one gzip member.';

create function private.lock_feed(podcast_id uuid, version bigint) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('feed/' || lock_feed.podcast_id, 0));
  perform from public.podcasts p where p.id = lock_feed.podcast_id for key share;  -- the rows to write refer to it
  return found and lock_feed.version
    = coalesce((select d.version from private.feed_documents d where d.podcast_id = lock_feed.podcast_id), 0);
end $$;
comment on function private.lock_feed is
  'Locks a feed until the statement ends. False when its document no longer has this version (0: no document), or the podcast is deleted.';
