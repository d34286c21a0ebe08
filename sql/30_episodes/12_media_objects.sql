-- Media objects: every stored object that a row refers to, and since when one is not referred to any more.
-- Referred to = released_at is null = charged to the account; released objects wait for the sweep.
create table private.media_objects (
  path         text primary key,           -- in the bucket media
  account_id   uuid not null references public.billing_accounts on delete restrict,
  podcast_id   uuid not null,              -- no foreign keys: an object outlives its rows until it is collected
  episode_id   uuid,
  purpose      text not null,
  bytes        bigint not null,
  content_type text not null,
  created_at   timestamptz not null default now(),
  released_at  timestamptz,
  constraint purpose_is_known check (purpose in ('audio', 'image')),
  constraint bytes_are_positive check (bytes > 0)
);
comment on table private.media_objects is 'The stored objects of each account, with their measured size.';
create index media_objects_account_id_idx on private.media_objects (account_id);
create index media_objects_podcast_id_idx on private.media_objects (podcast_id);
create index media_objects_episode_id_idx on private.media_objects (episode_id);
create unique index media_objects_one_audio_idx on private.media_objects (episode_id) where purpose = 'audio' and released_at is null;
create index media_objects_released_at_idx on private.media_objects (released_at) where released_at is not null;
alter table private.media_objects enable row level security;
-- No policy, no grant.

create function private.allowed_bytes(account_id uuid) returns bigint
language sql stable security invoker set search_path = ''
as $$
  select p.storage_gb_per_account * 1073741824::bigint
  from public.billing_accounts a join public.plans p on p.code = a.plan_code
  where a.user_id = account_id
$$;
comment on function private.allowed_bytes is 'The storage allowance of an account in bytes; 1 GB = 1,073,741,824.';
revoke all on function private.allowed_bytes from public, anon, authenticated, service_role;

-- Always: the account's sum follows in the same transaction, under the lock of its row, and never passes the allowance.
create function private.charge_account(account_id uuid, bytes bigint) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  used bigint;
begin
  if charge_account.bytes = 0 then
    return;
  end if;
  update public.billing_accounts a set storage_bytes_used = a.storage_bytes_used + charge_account.bytes, updated_at = now()
  where a.user_id = charge_account.account_id
  returning a.storage_bytes_used into used;
  if charge_account.bytes > 0 and used > private.allowed_bytes(charge_account.account_id) then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', used - charge_account.bytes,
        'bytes_allowed', private.allowed_bytes(charge_account.account_id), 'bytes_wanted', charge_account.bytes)::text;
  end if;
end $$;
revoke all on function private.charge_account from public, anon, authenticated, service_role;

create function private.charge_media_object() returns trigger
language plpgsql security definer  -- whoever moves objects, the account's sum is the server's
set search_path = ''
as $$
declare
  freed   bigint := case when tg_op <> 'INSERT' and old.released_at is null then old.bytes else 0 end;
  charged bigint := case when tg_op <> 'DELETE' and new.released_at is null then new.bytes else 0 end;
begin
  if tg_op = 'UPDATE' and old.account_id = new.account_id then
    perform private.charge_account(new.account_id, charged - freed);
  else
    perform private.charge_account(old.account_id, -freed) where freed > 0;
    perform private.charge_account(new.account_id, charged) where charged > 0;
  end if;
  return null;
end $$;
revoke all on function private.charge_media_object from public, anon, authenticated, service_role;
create trigger t500_charge after insert or update of bytes, released_at, account_id or delete on private.media_objects
  for each row execute function private.charge_media_object();

-- The bytes of a podcast follow it to its new owner, whose allowance holds.
create function private.move_media_account() returns trigger
language plpgsql security definer  -- the ledger is not the caller's
set search_path = ''
as $$
begin
  update private.media_objects m set account_id = new.owner_id where m.podcast_id = new.id and m.account_id <> new.owner_id;
  return null;
end $$;
revoke all on function private.move_media_account from public, anon, authenticated, service_role;
create trigger t500_move_media_account after update of owner_id on public.podcasts
  for each row when (old.owner_id is distinct from new.owner_id) execute function private.move_media_account();

-- An object that nothing refers to any more: at once to the collector when nobody can have its address, else kept for
-- the sweep, so that an audio URL in a cached feed does not answer 404.
create function private.release_media_object(path text, was_public boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.media_objects m set released_at = now() where m.path = release_media_object.path and m.released_at is null;
  if not was_public then
    perform private.enqueue('storage_gc', jsonb_build_object('bucket', 'media', 'paths', jsonb_build_array(release_media_object.path)));
  end if;
end $$;
revoke all on function private.release_media_object from public, anon, authenticated, service_role;

create function private.release_episode_media() returns trigger
language plpgsql security definer  -- the ledger and the queue are not the caller's
set search_path = ''
as $$
declare
  path text;
begin
  for path in select m.path from private.media_objects m where m.episode_id = old.id and m.released_at is null loop
    perform private.release_media_object(path, old.first_published_at is not null);
  end loop;
  return null;
end $$;
revoke all on function private.release_episode_media from public, anon, authenticated, service_role;
create trigger t500_release_media after delete on public.episodes
  for each row execute function private.release_episode_media();

-- The collector's two questions
create function private.collectable(paths text[]) returns text[]
language sql stable security invoker set search_path = ''
as $$
  select coalesce(array_agg(given.path), '{}') from unnest(paths) given(path)
  where not exists (select from private.media_objects m where m.path = given.path and m.released_at is null)
$$;
comment on function private.collectable is 'Those of these paths that no row refers to.';
revoke all on function private.collectable from public, anon, authenticated, service_role;

create function private.forget_objects(paths text[]) returns void
language sql volatile security invoker set search_path = ''
as $$ delete from private.media_objects m where m.path = any (paths) and m.released_at is not null $$;
comment on function private.forget_objects is 'The bytes behind these paths are gone: so are their rows.';
revoke all on function private.forget_objects from public, anon, authenticated, service_role;
