-- Feed items: each published episode's item, rendered when it changed and never again. A fragment is raw deflate that
-- ends in a full flush, so that fragments concatenate to a document without being unpacked.
create table private.feed_items (
  episode_id    uuid primary key,   -- no foreign key: rows change under their podcast's feed lock only (private.open_feed)
  podcast_id    uuid not null references public.podcasts on delete cascade,
  published_at  timestamptz not null,
  rendered_from timestamptz not null,   -- the episode's updated_at; another one makes the item dirty
  context       text not null,          -- hash of what the item takes from its podcast; another one makes it dirty
  deflated      bytea not null,
  crc32         bigint not null,        -- of the text, as are bytes and digest
  bytes         int not null,
  digest        bytea not null,
  constraint crc32_has_32_bits check (crc32 between 0 and 4294967295)
);
comment on table private.feed_items is 'The rendered, compressed items of each feed. Written by private.store_feed_items, removed by private.open_feed.';
alter table private.feed_items alter column deflated set storage external;  -- compressed already
create index feed_items_podcast_id_idx on private.feed_items (podcast_id, published_at desc, episode_id desc);
alter table private.feed_items enable row level security;
-- No policy, no grant.
