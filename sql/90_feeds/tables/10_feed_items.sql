-- Feed items: the rendered item of each published episode, written once per change of the episode. A fragment is raw
-- deflate that ends in a full flush, so a document is the concatenation of its fragments, without decompression.
--
-- The content of an item is immutable: a changed episode gets a new item, and the previous item stays while a document
-- lists it. The served document is therefore complete at every moment, even during a long rendering, and the findings
-- of its items are those of the served feed.
create table private.feed_items (
  id                 bigint generated always as identity primary key,
  podcast_id         uuid not null references public.podcasts on delete cascade,
  episode_id         uuid not null,          -- no foreign key: the document may list the item of a deleted episode
  episode_updated_at timestamptz not null,   -- the item is stale once the episode has another updated_at
  context_hash       text not null,          -- hash of the podcast's part; the item is stale once it changes
  deflated           bytea not null,
  crc32              bigint not null,        -- of the uncompressed text, as are uncompressed_bytes and digest
  uncompressed_bytes int not null,
  digest             bytea not null,
  findings           jsonb not null,         -- [{rule, tag, excerpt?}]: the rules that the item does not follow
  constraint crc32_has_32_bits check (crc32 between 0 and 4294967295),
  constraint findings_are_a_size_limited_array check (
    jsonb_typeof(findings) = 'array' and octet_length(findings::text) <= 65536)
);
comment on table private.feed_items is
  'Rendered, compressed feed items. store_feed_items writes them; store_feed_document deletes unlisted ones.';
alter table private.feed_items alter column deflated set storage external;  -- already compressed
create index feed_items_newest_idx on private.feed_items (episode_id, id desc);
create index feed_items_podcast_id_idx on private.feed_items (podcast_id);
alter table private.feed_items enable row level security;
-- No policy, no grant.
