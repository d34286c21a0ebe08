-- Tombstones: what remains of a deleted podcast, so that its public addresses still say where it went.
create table private.podcast_tombstones (
  slug         text collate "C" primary key,
  podcast_id   uuid not null unique,   -- no foreign key: the podcast has no row
  owner_id     uuid references public.profiles on delete set null,  -- the last; limit_podcast_creation counts them
  redirect_url text,                   -- null: public addresses return 410
  deleted_at   timestamptz not null,
  constraint redirect_url_is_parsable check (private.is_parsable_http_url(redirect_url))
);
comment on table private.podcast_tombstones is
  'The slug and the redirect of each deleted podcast. Slugs are never reused.';
comment on constraint redirect_url_is_parsable on private.podcast_tombstones is
  'The redirect URL must be an http or https URL with a valid host';
create index podcast_tombstones_owner_id_deleted_at_idx on private.podcast_tombstones (owner_id, deleted_at);
alter table private.podcast_tombstones enable row level security;
-- No policy, no grant.

-- After: every deletion of a podcast leaves a tombstone and no message. Higher domains add what they keep or delete by
-- triggers of their own. They run before the row is deleted, and so before its rows are.
create function private.bury_podcast() returns trigger
language plpgsql security definer  -- the service may not write tombstones
set search_path = ''
as $$
begin
  insert into private.podcast_tombstones (slug, podcast_id, owner_id, redirect_url, deleted_at)
  values (old.slug, old.id, old.owner_id, old.deletion_redirect_url, now());
  perform private.delete_jobs(jsonb_build_object('podcast_id', old.id));
  return old;
end $$;
create trigger t500_bury before delete on public.podcasts for each row execute function private.bury_podcast();
