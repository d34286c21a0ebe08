-- Feed documents: the feed of each native podcast. The served document is one gzip member: the head, the fragments of
-- the listed items, the tail. Every column except version, findings and checked_at changes only when the content
-- changes.
--
-- The document of a podcast with feed_page_size and more episodes than that is the first page of several (RFC 5005, 3):
-- its items are those of all pages, and feed_pages has what differs on the later ones. A page is the head, its links,
-- the fragments of its items, its tail.
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
  head               bytea not null,         -- gzip header and everything before the links of a page
  page_size          int,                    -- items per page; null: the feed has one page
  links              bytea not null,         -- the links of the first of several pages, empty on the only page
  items              bigint[] not null,      -- ids of private.feed_items in feed order, those of all pages
  tail               bytea not null,         -- everything after the last item, checksum and size
  version            bigint not null default 1,  -- raised by each rendering that wrote or confirmed the document
  findings           jsonb not null,         -- [{rule, tag, excerpt?}]: the rules that the channel does not follow
  checked_at         timestamptz not null,   -- when a rendering last wrote or confirmed the document
  constraint page_size_is_positive check (page_size > 0),
  constraint last_modified_is_whole_seconds check (last_modified = date_trunc('second', last_modified)),
  constraint findings_are_a_size_limited_array check (
    jsonb_typeof(findings) = 'array' and octet_length(findings::text) <= 65536)
);
comment on table private.feed_documents is
  'The feed of each native podcast. store_feed_document writes it; get_feed_gzip reads it for /feeds/{slug}.xml.';
alter table private.feed_documents alter column items set storage external;  -- compressing costs more than writing
alter table private.feed_documents enable row level security;
-- No policy, no grant.

-- The pages after the first. store_feed_document replaces them with the document, so that all pages are of one
-- rendering and have one date. Few bytes each: a changed episode of a feed with pages writes one item, the list and
-- these.
create table private.feed_pages (
  podcast_id         uuid not null references private.feed_documents on delete cascade,
  page               int not null,
  etag               text not null,          -- of the whole page; without quotes
  uncompressed_bytes bigint not null,
  gzip_bytes         bigint not null,
  links              bytea not null,
  tail               bytea not null,         -- everything after the page's last item, checksum and size
  constraint feed_pages_pkey primary key (podcast_id, page),
  constraint page_follows_the_first check (page >= 2)
);
comment on table private.feed_pages is
  'What differs on the later pages of a feed. store_feed_document writes them; get_feed_gzip reads them.';
alter table private.feed_pages enable row level security;
-- No policy, no grant.

create function private.get_feed_gzip(_podcast_id uuid, _page int default 1)
returns table (etag text, last_modified timestamptz, uncompressed_bytes bigint, gzip_bytes bigint, gzip bytea)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
    select coalesce(g.etag, d.etag), d.last_modified, coalesce(g.uncompressed_bytes, d.uncompressed_bytes),
      coalesce(g.gzip_bytes, d.gzip_bytes), d.head || coalesce(g.links, d.links) || coalesce((
        select string_agg(i.deflated, '' order by listed.position)
        from unnest(case when d.page_size is null then d.items
          else d.items[(_page - 1) * d.page_size + 1 : _page * d.page_size] end)
          with ordinality listed (id, position)
        join private.feed_items i on i.id = listed.id
      ), '') || coalesce(g.tail, d.tail)
    from private.feed_documents d
    left join private.feed_pages g on g.podcast_id = d.podcast_id and g.page = _page
    where d.podcast_id = _podcast_id and (_page = 1 or g.page is not null);
end $$;
comment on function private.get_feed_gzip is
  'Returns a page of a podcast''s feed as one gzip member; no row if the feed has no such page.';

create function private.lock_feed_document(_podcast_id uuid, _version bigint) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('feed/' || _podcast_id, 0));
  -- feed rows reference the podcast
  perform from public.podcasts p where p.id = _podcast_id for key share;
  return found and _version
    = coalesce((select d.version from private.feed_documents d where d.podcast_id = _podcast_id), 0);
end $$;
comment on function private.lock_feed_document is
  'Locks a feed until the transaction ends. Returns false if its document has another version (0: no document), or '
  'if the podcast is deleted.';
