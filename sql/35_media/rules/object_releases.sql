-- Object releases: an object without a reference is deleted at once if its URL was never public, else it is kept until
-- the sweep, so that an audio URL in a cached feed keeps working.
create function private.release_media_objects(
  paths text[], was_public boolean, at timestamptz default now()
) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.media_objects m set released_at = at
  where m.path in (
    select o.path from private.media_objects o
    where o.path = any (paths) and o.released_at is null order by o.path for update);
  if not was_public then
    perform private.enqueue_object_deletion(paths);
  end if;
end $$;
comment on function private.release_media_objects is
  'Releases objects that lost their reference. Enqueues the deletion of objects that were never public.';

create function private.enqueue_object_deletion(paths text[], _bucket text default 'media') returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue('storage_gc', jsonb_build_object('bucket', _bucket, 'paths', chunk))
  from (
    select jsonb_agg(path) as chunk from unnest(paths) with ordinality p (path, n) group by (n - 1) / 100) chunks;
end $$;
comment on function private.enqueue_object_deletion is 'Enqueues the deletion of objects, 100 per message.';

create function private.release_episode_audio(episode public.episodes, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.release_media_objects(array[m.path], episode.first_published_at is not null, at)
  from private.media_objects m
  where m.target_id = episode.id and m.usage = 'audio' and m.released_at is null;
end $$;
comment on function private.release_episode_audio is
  'Releases the audio object of an episode whose audio is being replaced or removed.';

create function private.release_media_of_episodes() returns trigger
language plpgsql security definer  -- clients may not write the ledger or the queue
set search_path = ''
as $$
begin
  perform from private.media_objects m
  where m.target_id in (select e.id from deleted_rows e) and m.released_at is null
  order by m.path for update;  -- lock all objects first, because accounts are locked after the ledger
  perform private.release_media_objects(array_agg(m.path), was_public)
  from (select e.id, e.first_published_at is not null as was_public from deleted_rows e) e
  join private.media_objects m on m.target_id = e.id and m.released_at is null
  group by was_public;
  return null;
end $$;
create trigger t500_release_media after delete on public.episodes
  referencing old table as deleted_rows for each statement execute function private.release_media_of_episodes();

-- Objects of a deleted podcast are deleted at once: its audio was announced as going away. The sweeps delete what an
-- upload in progress stores afterwards.
create function private.delete_media_of_podcast() returns trigger
language plpgsql security definer  -- clients may not write the ledger or the queue
set search_path = ''
as $$
begin
  delete from private.media_objects m where m.path in (
    select o.path from private.media_objects o where o.podcast_id = old.id order by o.path for update);
  perform private.enqueue_object_deletion(
    array(select o.name from private.stored_objects('media', 'podcasts/' || old.id) o));
  perform private.enqueue_object_deletion(
    array(select o.name from private.stored_objects('staging', 'uploads/' || old.id) o), 'staging');
  return old;
end $$;
create trigger t520_delete_media before delete on public.podcasts
  for each row execute function private.delete_media_of_podcast();

-- Deleting a user releases the artwork that they imported and did not use, before their account is deleted.
create function private.release_temporary_objects_of_user() returns trigger
language plpgsql security definer  -- clients may not write the ledger
set search_path = ''
as $$
begin
  for round in 1 .. 2 loop  -- objects are locked before accounts; the second round releases what was finished meanwhile
    perform private.release_media_objects(array_agg(m.path), false)
    from private.media_objects m where m.account_id = old.id and m.usage = 'temporary' and m.released_at is null
    having count(*) > 0;
    perform from public.billing_accounts a where a.user_id = old.id for update;  -- blocks imports from finishing
  end loop;
  return old;
end $$;
create trigger t500_release_temporary_objects before delete on public.profiles
  for each row execute function private.release_temporary_objects_of_user();
