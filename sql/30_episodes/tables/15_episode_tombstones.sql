-- Episode tombstones: the episodes of deleted podcasts that were ever public, so that their players say so. Other
-- episodes never existed for the public, and leave nothing.
create table private.episode_tombstones (
  episode_id uuid primary key,
  slug       text collate "C" not null references private.podcast_tombstones on delete cascade,  -- the podcast's
  guid       text not null                                                -- which the feed at a redirect should have
);
comment on table private.episode_tombstones is 'The public episodes of deleted podcasts.';
create index episode_tombstones_slug_idx on private.episode_tombstones (slug);
alter table private.episode_tombstones enable row level security;
-- No policy, no grant.

-- After
create function private.bury_episodes_of_podcast() returns trigger
language plpgsql security definer  -- the service may not write tombstones
set search_path = ''
as $$
begin
  insert into private.episode_tombstones (episode_id, slug, guid)
  select e.id, old.slug, e.guid from public.episodes e
  where e.podcast_id = old.id and e.first_published_at is not null
  on conflict do nothing;  -- buried when it was marked
  return coalesce(new, old);
end $$;
create trigger t510_bury_episodes before delete on public.podcasts
  for each row execute function private.bury_episodes_of_podcast();
create trigger t510_bury_episodes_of_marked before update of status on public.podcasts
  for each row when (new.hosting_type = 'external' and new.status = 'pending_deletion' and old.status <> new.status)
  execute function private.bury_episodes_of_podcast();

create function private.find_podcast_tombstone(_slug text default null, _episode_id uuid default null)
returns private.podcast_tombstones
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select t from private.podcast_tombstones t
    where t.slug = coalesce(
      _slug,
      (select e.slug from private.episode_tombstones e where e.episode_id = _episode_id)));
end $$;
comment on function private.find_podcast_tombstone is
  'Returns the tombstone of the podcast that had this slug or this public episode; null if there is none.';
