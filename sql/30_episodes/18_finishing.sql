-- A finishing upload and the removal of its object after a failure meet here: whoever comes second sees what the first did.
create function private.lock_object(path text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('object/' || path, 0));
end $$;
comment on function private.lock_object is 'Serialises, until the transaction ends, the finishing of an object and its removal.';
revoke all on function private.lock_object from public, anon, authenticated, service_role;

create function private.is_abandoned(path text) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_object(is_abandoned.path);
  return not exists (select from private.media_objects m where m.path = is_abandoned.path);
end $$;
comment on function private.is_abandoned is 'Whether the upload of this object never finished, and will not while this transaction lasts.';
revoke all on function private.is_abandoned from public, anon, authenticated, service_role;

create function private.stored_size(path text, bucket text default 'media') returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (select (o.metadata ->> 'size')::bigint from storage.objects o where o.bucket_id = stored_size.bucket and o.name = stored_size.path);
end $$;
comment on function private.stored_size is 'The bytes of a stored object as storage measured them; null when it is not there.';
revoke all on function private.stored_size from public, anon, authenticated, service_role;

-- What every upload asks before it finishes, with the locks that it finishes under: object, podcast, episode, and then
-- the ledger and the account. The podcast's lock keeps a transfer from moving the account away underneath.
create function private.require_finishable(actor uuid, podcast_id uuid, episode_id uuid, path text, bytes bigint) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_object(require_finishable.path);
  if require_finishable.episode_id is null then
    perform from public.podcasts p where p.id = require_finishable.podcast_id for no key update;
    if not found then
      raise sqlstate 'PT404' using message = 'The podcast is gone';
    end if;
  else
    perform from public.podcasts p where p.id = require_finishable.podcast_id for share;
    perform from public.episodes e
    where e.id = require_finishable.episode_id and e.podcast_id = require_finishable.podcast_id for update;
    if not found then
      raise sqlstate 'PT404' using message = 'The episode is gone';
    end if;
  end if;
  perform private.require_open_podcast(require_finishable.podcast_id);
  perform from public.podcast_members m
  where m.podcast_id = require_finishable.podcast_id and m.user_id = require_finishable.actor and m.role >= 'admin';
  if not found then
    raise sqlstate 'PT403' using message = 'This needs an admin or the owner of the podcast';
  end if;
  perform private.require_measured(require_finishable.path, require_finishable.bytes);
end $$;
comment on function private.require_finishable is
  'Locks what an upload changes; PT403, PT404, PT409, or PT500 SIZE_MISMATCH unless the stored object is as long as what was received.';
revoke all on function private.require_finishable from public, anon, authenticated, service_role;

create function private.require_measured(path text, bytes bigint) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if private.stored_size(path) = require_measured.bytes is not true then
    raise sqlstate 'PT500' using message = 'The stored size does not match the bytes received', hint = 'SIZE_MISMATCH';
  end if;
end $$;
comment on function private.require_measured is 'PT500 SIZE_MISMATCH unless the stored object is as long as what was received.';
revoke all on function private.require_measured from public, anon, authenticated, service_role;
