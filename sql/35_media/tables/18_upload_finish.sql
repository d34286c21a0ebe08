-- Object removals: objects of failed uploads that a process is deleting from storage. The deletion is a request outside
-- of any transaction; until it ends or times out, no upload finishes with the same object.
create table private.object_removals (
  id         uuid primary key default gen_random_uuid(),
  path       text not null,         -- in the bucket media; two processes may remove one object
  expires_at timestamptz not null
);
comment on table private.object_removals is
  'Objects of failed uploads that are being deleted. begin_object_removal and end_object_removal write it.';
create index object_removals_path_idx on private.object_removals (path);
create index object_removals_expires_at_idx on private.object_removals (expires_at);
alter table private.object_removals enable row level security;
-- No policy, no grant.

-- Serializes the finish of an upload and the removal of its object: each statement locks the path, and then sees the
-- effect of the other.
create function private.lock_object(path text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('object/' || path, 0));
end $$;
comment on function private.lock_object is 'Locks the path of an object until the transaction ends.';

-- A removal that begins after `at` expires later, so it is never overlooked.
create function private.lock_object_for_finish(_path text, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_object(_path);
  perform from private.object_removals r
  where r.path = _path and r.expires_at > at;
  if found then
    raise sqlstate 'PT503' using message = 'A failed upload of this file is still being removed; try again';
  end if;
end $$;
comment on function private.lock_object_for_finish is
  'Locks the path of an object that an upload finishes with. PT503 while the object is being removed.';

-- The timeout covers the deletion request (10 s at most) and the two statements around it (8 s each), from `at` on.
create function private.begin_object_removal(
  _path text, _timeout_seconds int default 30, at timestamptz default now()
) returns uuid
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  removal uuid;
begin
  perform private.lock_object(_path);
  perform from private.media_objects m where m.path = _path;
  if found then
    return null;
  end if;
  delete from private.object_removals r where r.id in (  -- left by processes that died during a removal
    select e.id from private.object_removals e where e.expires_at <= at for update skip locked);
  insert into private.object_removals (path, expires_at)
  values (_path, at + make_interval(secs => _timeout_seconds))
  returning id into removal;
  return removal;
end $$;
grant execute on function private.begin_object_removal to service_role;
comment on function private.begin_object_removal is
  'Records that the object of a failed upload is being deleted: no upload finishes with it until end_object_removal or '
  'the timeout. Returns null if an upload has finished with it.';

create function private.end_object_removal(_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  delete from private.object_removals r where r.id = _id;
end $$;
grant execute on function private.end_object_removal to service_role;
comment on function private.end_object_removal is 'Records that an object is deleted; uploads to its path may finish.';

-- Checks of every upload before it finishes, and its locks, in their order: object, podcast, episode; the caller then
-- locks the ledger and the account. The podcast's lock keeps a transfer from changing the account meanwhile.
create function private.lock_for_finish(_podcast_id uuid, _episode_id uuid, _path text, at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_object_for_finish(_path, at);
  if _episode_id is null then
    perform from public.podcasts p where p.id = _podcast_id for no key update;
    if not found then
      raise sqlstate 'PT404' using message = 'The podcast no longer exists';
    end if;
  else
    perform from public.podcasts p where p.id = _podcast_id for share;
    perform from public.episodes e
    where e.id = _episode_id and e.podcast_id = _podcast_id
    for update;
    if not found then
      raise sqlstate 'PT404' using message = 'The episode no longer exists';
    end if;
  end if;
  perform private.require_writable_podcast(_podcast_id);
end $$;
comment on function private.lock_for_finish is
  'Locks the rows that an upload changes. PT404, PT409, PT503 while its object is being removed.';

create function private.lock_and_authorize_finish(
  _actor_id uuid, _podcast_id uuid, _episode_id uuid, _path text, _bytes bigint, at timestamptz default now()
) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_for_finish(_podcast_id, _episode_id, _path, at);
  perform from public.podcast_members m
  where m.podcast_id = _podcast_id and m.user_id = _actor_id
    and m.role >= 'admin';
  if not found then
    raise sqlstate 'PT403' using message = 'Requires the admin or owner role on this podcast';
  end if;
  perform private.require_stored_size(_path, _bytes);
end $$;
comment on function private.lock_and_authorize_finish is
  'Locks the rows that an upload changes. PT403, PT404, PT409, PT503 while its object is being removed, PT500 '
  'SIZE_MISMATCH unless the stored size matches the received bytes.';

create function private.require_stored_size(path text, _bytes bigint) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if private.stored_size(path) = _bytes is not true then
    raise sqlstate 'PT500' using
      message = 'The stored size does not match the bytes received', hint = 'SIZE_MISMATCH';
  end if;
end $$;
comment on function private.require_stored_size is
  'PT500 SIZE_MISMATCH unless the stored size matches the received bytes.';

-- Stable, because the planner would evaluate an immutable function before the `where` of its caller.
create function private.require_path_in(folder text, path text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if starts_with(path, folder) is not true then
    raise sqlstate 'PT500' using message = format('The object path must begin with %s', folder);
  end if;
end $$;
comment on function private.require_path_in is 'PT500 unless a stored object is in the folder of its target.';
