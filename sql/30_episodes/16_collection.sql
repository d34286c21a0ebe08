-- What may be deleted from storage. An object is kept while the ledger says that it is live, or the column that it is
-- stored for names it, whoever stored it. Another column keeps nothing: what is kept is charged.
create function private.is_named(path text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
declare
  id    constant text := '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
  place text[] := regexp_match(path, format('^podcasts/%1$s/(?:images/([a-z]+)|e/%1$s/(audio|images))/', id));
  url   text;
begin
  if place[3] is null then
    select case place[2] when 'cover' then p.cover_image_url when 'header' then p.header_image_url
      when 'banner' then p.banner_image_url when 'profile' then p.profile_image_url end into url
    from public.podcasts p where p.id = place[1]::uuid;
  else
    select case place[4] when 'audio' then e.audio_url else e.cover_image_url end into url
    from public.episodes e where e.id = place[3]::uuid and e.podcast_id = place[1]::uuid;
  end if;
  return coalesce(private.object_path(url) = path, false);
end $$;
comment on function private.is_named is 'Whether the column of the podcast or episode that an object is stored for names it.';
revoke all on function private.is_named from public, anon, authenticated, service_role;

-- Forgets first, then the bytes go: an object that a column names again meanwhile is not revived. A collector that dies
-- in between takes the same paths again, for nothing knows them any more.
create function private.take_collectable(paths text[]) returns text[]
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  delete from private.media_objects m where m.path in (
    select o.path from private.media_objects o
    where o.path = any (paths) and o.released_at is not null and not private.is_named(o.path) order by o.path for update);
  return array(
    select given.path from unnest(paths) given (path)
    where not exists (select from private.media_objects m where m.path = given.path) and not private.is_named(given.path));
end $$;
comment on function private.take_collectable is 'Those of these paths that nothing names: forgotten here, and the caller''s to delete.';
revoke all on function private.take_collectable from public, anon, authenticated, service_role;

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

create function private.stored_size(path text) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (select (o.metadata ->> 'size')::bigint from storage.objects o where o.bucket_id = 'media' and o.name = stored_size.path);
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
