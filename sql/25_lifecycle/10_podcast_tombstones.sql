-- Tombstones: what remains of a deleted podcast, so that its public addresses still say where it went.
create table private.podcast_tombstones (
  slug         text collate "C" primary key,
  podcast_id   uuid not null unique,   -- no foreign key: the podcast has no row
  redirect_url text,                   -- null: public addresses return 410
  deleted_at   timestamptz not null,
  constraint redirect_url_is_http_url check (private.is_http_url(redirect_url))
);
comment on table private.podcast_tombstones is
  'The slug and the redirect of each deleted podcast. Slugs are never reused.';
alter table private.podcast_tombstones enable row level security;
-- No policy, no grant.
