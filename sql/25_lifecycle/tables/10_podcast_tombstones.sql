-- Tombstones: what remains of a deleted podcast, so that its public addresses still say where it went.
create table private.podcast_tombstones (
  slug         text collate "C" primary key,
  podcast_id   uuid not null unique,   -- no foreign key: the podcast has no row
  owner_id     uuid references public.profiles on delete set null,  -- the last; limit_podcast_creation counts them
  title        text not null,          -- for emails about the redirect
  language     text not null,          -- BCP 47, of the pages that remain
  podcast_guid uuid not null,          -- which the feed at the redirect should have
  hosting_type public.hosting_type not null,  -- an external podcast had no feed here
  deleted_at   timestamptz not null
);
comment on table private.podcast_tombstones is
  'What public addresses and feed redirects need of each deleted podcast. Slugs are never reused.';
create index podcast_tombstones_owner_id_deleted_at_idx on private.podcast_tombstones (owner_id, deleted_at);
alter table private.podcast_tombstones enable row level security;
-- No policy, no grant.

-- After: every deletion of a podcast leaves a tombstone and no message. Higher domains add what they keep or delete by
-- triggers of their own. They run before the row is deleted, and so before its rows are. An external podcast is buried
-- when it is marked, because no caller sees it from then on.
create function private.bury_podcast() returns trigger
language plpgsql security definer  -- the service may not write tombstones
set search_path = ''
as $$
begin
  insert into private.podcast_tombstones (
    slug, podcast_id, owner_id, title, language, podcast_guid, hosting_type, deleted_at)
  values (old.slug, old.id, old.owner_id, old.title, old.language, old.podcast_guid, old.hosting_type, now())
  on conflict do nothing;
  if tg_op = 'UPDATE' then
    return new;
  end if;
  perform private.delete_jobs(jsonb_build_object('podcast_id', old.id));
  return old;
end $$;
create trigger t500_bury before delete on public.podcasts for each row execute function private.bury_podcast();
create trigger t500_bury_marked before update of status on public.podcasts
  for each row when (new.hosting_type = 'external' and new.status = 'pending_deletion' and old.status <> new.status)
  execute function private.bury_podcast();
