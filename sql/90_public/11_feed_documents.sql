-- Feed documents: each native podcast's feed as it is served, one gzip member. The row changes only when the content does.
create table private.feed_documents (
  podcast_id    uuid primary key references public.podcasts on delete cascade,
  digest        bytea not null,         -- of the content without its date: decides whether anything changed
  etag          text not null,          -- of content and date, so of the bytes; without quotes
  last_modified timestamptz not null,   -- whole seconds, as HTTP and lastBuildDate have them
  bytes         bigint not null,        -- unpacked
  gzip          bytea not null,
  constraint last_modified_is_whole_seconds check (last_modified = date_trunc('second', last_modified))
);
comment on table private.feed_documents is 'The feed of each native podcast. Written by private.write_feed, read by /feeds/{slug}.xml.';
alter table private.feed_documents alter column gzip set storage external;  -- compressed already
alter table private.feed_documents enable row level security;
-- No policy, no grant.
