-- Feed items: each published episode's item, rendered when the episode changed and never again. A fragment is raw
-- deflate that ends in a full flush, so that fragments concatenate to a document without being unpacked.
--
-- An item's words never change: a changed episode gets another item, and the one before stays while a document lists
-- it. So the served document is whole at every moment, also in the middle of a long rendering.
create table private.feed_items (
  id            bigint generated always as identity primary key,
  podcast_id    uuid not null references public.podcasts on delete cascade,
  episode_id    uuid not null,          -- no foreign key: the document may list it a moment longer
  rendered_from timestamptz not null,   -- the episode's updated_at; another one makes the episode stale
  context       text not null,          -- hash of what the item took from its podcast; another one makes it stale
  deflated      bytea not null,
  crc32         bigint not null,        -- of the text, as are bytes and digest
  bytes         int not null,
  digest        bytea not null,
  constraint crc32_has_32_bits check (crc32 between 0 and 4294967295)
);
comment on table private.feed_items is 'The rendered, compressed items of each feed. Written by store_feed_items, removed by write_feed.';
alter table private.feed_items alter column deflated set storage external;  -- compressed already
create index feed_items_newest_idx on private.feed_items (episode_id, id desc);
create index feed_items_podcast_id_idx on private.feed_items (podcast_id);
alter table private.feed_items enable row level security;
-- No policy, no grant.
