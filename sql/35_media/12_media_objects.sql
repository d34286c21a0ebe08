-- Media objects: every stored object that a column names, and since when none does any more.
-- Named = released_at is null = charged to the account; released objects wait for the sweep.
create table private.media_objects (
  path         text primary key,           -- in the bucket media
  account_id   uuid references public.billing_accounts on delete set null,
  podcast_id   uuid,                       -- no foreign keys: an object outlives its rows until it is collected
  episode_id   uuid,
  target_id    uuid generated always as (coalesce(episode_id, podcast_id)) stored,
  usage        text not null,              -- audio, an image type, or temporary: imported artwork without a podcast yet
  bytes        bigint not null,
  content_type text not null,
  width        int,                        -- pixels, of images
  height       int,
  created_at   timestamptz not null default now(),
  released_at  timestamptz,
  constraint usage_matches_target_ids check (case
    when usage in ('audio', 'episode_cover') then num_nulls(podcast_id, episode_id) = 0
    when usage in ('cover', 'header', 'banner', 'profile') then podcast_id is not null and episode_id is null
    else usage = 'temporary' and num_nonnulls(podcast_id, episode_id) = 0 end),
  constraint bytes_are_positive check (bytes > 0),
  constraint dimensions_only_for_images check (num_nulls(width, height) = 0 and width > 0 and height > 0 and usage <> 'audio' or num_nonnulls(width, height) = 0),
  constraint live_object_has_account check (account_id is not null or released_at is not null)
);
comment on table private.media_objects is 'The stored objects of each account, with their measured size.';
create index media_objects_account_id_idx on private.media_objects (account_id, podcast_id);
create index media_objects_podcast_id_idx on private.media_objects (podcast_id);
create index media_objects_target_id_idx on private.media_objects (target_id, usage);
-- One live object in each place: an episode's audio, its cover, each image of a podcast
create unique index media_objects_live_target_id_idx on private.media_objects (target_id, usage) where released_at is null;
create index media_objects_released_at_idx on private.media_objects (released_at) where released_at is not null;
create index media_objects_temporary_idx on private.media_objects (created_at) where usage = 'temporary' and released_at is null;
alter table private.media_objects enable row level security;
-- No policy, no grant.

create function private.storage_allowance_bytes(account_id uuid) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select p.storage_gb_per_account * 1073741824::bigint
  from public.billing_accounts a join public.plans p on p.code = a.plan_code
  where a.user_id = account_id);
end $$;
comment on function private.storage_allowance_bytes is 'The storage allowance of an account in bytes; 1 GB = 1,073,741,824.';

-- Always: the account's sum follows in the same transaction, under the lock of its row, and never passes the allowance.
create function private.adjust_storage_usage(account_id uuid, bytes bigint) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  used bigint;
begin
  if adjust_storage_usage.bytes = 0 then
    return;
  end if;
  -- asked before it is written: when many are refused at once, Postgres can stumble over their undone updates (XX000)
  select a.storage_bytes_used + adjust_storage_usage.bytes into used from public.billing_accounts a
  where a.user_id = adjust_storage_usage.account_id
  for no key update;
  if adjust_storage_usage.bytes > 0 and used > private.storage_allowance_bytes(adjust_storage_usage.account_id) then
    raise sqlstate 'PT409' using
      message = 'This would exceed the account''s storage allowance', hint = 'STORAGE_ALLOWANCE_EXCEEDED';
      -- without numbers: at a transfer the account is someone else's
  end if;
  update public.billing_accounts a set storage_bytes_used = used, updated_at = now()
  where a.user_id = adjust_storage_usage.account_id;
end $$;
comment on function private.adjust_storage_usage is 'Adds bytes to an account''s sum; PT409 when more bytes pass its allowance.';

-- Before an upload: would it fit? The charge decides; this spares the bytes.
create function private.account_staged_bytes(account_id uuid) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (select coalesce(sum(private.staged_bytes(p.id)), 0) from public.podcasts p where p.owner_id = account_id);
end $$;
comment on function private.account_staged_bytes is 'The bytes staged for all podcasts of an account.';

create function private.require_allowance(podcast_id uuid, episode_id uuid, usage text, bytes bigint, staged bigint default null) returns void
language plpgsql stable security definer  -- an admin may not read the owner's account
set search_path = ''
as $$
declare
  account record;
  freed   bigint;
begin
  if usage <> 'temporary' then
    perform private.require_role(require_allowance.podcast_id, 'admin');
  end if;
  select a.user_id, a.storage_bytes_used as used, private.storage_allowance_bytes(a.user_id) as allowed into account
  from public.billing_accounts a
  where a.user_id = case when usage = 'temporary' then auth.uid()
    else (select p.owner_id from public.podcasts p where p.id = require_allowance.podcast_id) end;
  staged := coalesce(staged, private.account_staged_bytes(account.user_id));
  select coalesce(sum(m.bytes), 0) into freed from private.media_objects m
  where m.target_id = coalesce(require_allowance.episode_id, require_allowance.podcast_id)
    and m.usage = require_allowance.usage and m.released_at is null;
  if account.used + staged - freed + require_allowance.bytes > account.allowed then
    raise sqlstate 'PT409' using
      message = 'This would exceed the account''s storage allowance', hint = 'STORAGE_ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', account.used + staged, 'bytes_limit', account.allowed, 'bytes_requested', require_allowance.bytes)::text;
  end if;
end $$;
comment on function private.require_allowance is
  'PT409 when the podcast''s account (admin+ only), or for a temporary object the caller''s own, cannot take these bytes in place of what is there. `staged` is how much of staging counts beside them; by default all of the account''s.';
grant execute on function private.require_allowance to authenticated;  -- checks the role itself

create function private.account_for_media_objects() returns trigger
language plpgsql security definer  -- whoever moves objects, the account's sum is the server's
set search_path = ''
as $$
declare
  accounts uuid[] := '{}';
  amounts  bigint[] := '{}';
begin
  if tg_op <> 'DELETE' then
    select array_agg(account_id), array_agg(bytes) into accounts, amounts from new_rows where released_at is null;
  end if;
  if tg_op <> 'INSERT' then
    select accounts || array_agg(account_id), amounts || array_agg(-bytes) into accounts, amounts from old_rows where released_at is null;
  end if;
  -- once per account and statement, and in the accounts' order: two transfers in opposite directions do not deadlock
  perform private.adjust_storage_usage(delta.account_id, delta.bytes)
  from (
    select d.account_id, sum(d.bytes)::bigint as bytes from unnest(accounts, amounts) d (account_id, bytes)
    where d.account_id is not null
    group by d.account_id having sum(d.bytes) <> 0 order by d.account_id
  ) delta;
  return null;
end $$;
create trigger t500_account_for_insert after insert on private.media_objects
  referencing new table as new_rows for each statement execute function private.account_for_media_objects();
create trigger t500_account_for_update after update on private.media_objects
  referencing old table as old_rows new table as new_rows for each statement execute function private.account_for_media_objects();
create trigger t500_account_for_delete after delete on private.media_objects
  referencing old table as old_rows for each statement execute function private.account_for_media_objects();

-- The bytes of a podcast follow it to its new owner, whose allowance must hold them, staged ones included. So do released
-- objects, which no account is charged for: a column that names one again locks its row and waits for the transfer.
create function private.transfer_media_to_new_owner() returns trigger
language plpgsql security definer  -- the ledger is not the caller's
set search_path = ''
as $$
declare
  staged bigint := private.staged_bytes(new.id);
begin
  update private.media_objects m set account_id = new.owner_id
  where m.path in (  -- rows are locked in one order everywhere
    select o.path from private.media_objects o where o.podcast_id = new.id order by o.path for update);
  if staged > 0 then
    perform from public.billing_accounts a
    where a.user_id = new.owner_id
      and a.storage_bytes_used + private.account_staged_bytes(a.user_id) > private.storage_allowance_bytes(a.user_id);
    if found then
      raise sqlstate 'PT409' using
        message = 'This would exceed the account''s storage allowance', hint = 'STORAGE_ALLOWANCE_EXCEEDED';
    end if;
  end if;
  return null;
end $$;
create trigger t500_transfer_media after update of owner_id on public.podcasts
  for each row when (old.owner_id is distinct from new.owner_id) execute function private.transfer_media_to_new_owner();

-- Artwork that was imported and not used goes with its user, before the account does.
create function private.release_temporary_objects_of_user() returns trigger
language plpgsql security definer  -- the ledger is not the caller's
set search_path = ''
as $$
begin
  perform from public.billing_accounts a where a.user_id = old.id for update;  -- no import finishes any more
  perform private.release_media_objects(array_agg(m.path), false)
  from private.media_objects m where m.account_id = old.id and m.usage = 'temporary' and m.released_at is null
  having count(*) > 0;
  return old;
end $$;
create trigger t500_release_temporary_objects before delete on public.profiles
  for each row execute function private.release_temporary_objects_of_user();

-- Objects that nothing refers to any more: at once to the collector when nobody can have their address, else kept for
-- the sweep, so that an audio URL in a cached feed does not answer 404.
create function private.release_media_objects(paths text[], was_public boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.media_objects m set released_at = now()
  where m.path in (
    select o.path from private.media_objects o where o.path = any (paths) and o.released_at is null order by o.path for update);
  if not was_public then
    perform private.enqueue_object_deletion(paths);
  end if;
end $$;
comment on function private.release_media_objects is 'Nothing refers to these objects any more; those that nobody could have heard of are collected at once.';

create function private.enqueue_object_deletion(paths text[], bucket text default 'media') returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue('storage_gc', jsonb_build_object('bucket', enqueue_object_deletion.bucket, 'paths', chunk))
  from (select jsonb_agg(path) as chunk from unnest(paths) with ordinality p (path, n) group by (n - 1) / 100) chunks;
end $$;
comment on function private.enqueue_object_deletion is 'Queues objects for deletion, a hundred a message.';

create function private.release_episode_audio(episode public.episodes) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.release_media_objects(array[m.path], episode.first_published_at is not null)
  from private.media_objects m
  where m.target_id = episode.id and m.usage = 'audio' and m.released_at is null;
end $$;
comment on function private.release_episode_audio is 'The episode''s audio object is replaced or removed.';

create function private.release_media_of_episodes() returns trigger
language plpgsql security definer  -- the ledger and the queue are not the caller's
set search_path = ''
as $$
begin
  perform from private.media_objects m where m.target_id in (select e.id from gone e) and m.released_at is null
  order by m.path for update;  -- all of them first: accounts are locked after the ledger
  perform private.release_media_objects(array_agg(m.path), was_public)
  from (select e.id, e.first_published_at is not null as was_public from gone e) e
  join private.media_objects m on m.target_id = e.id and m.released_at is null
  group by was_public;
  return null;
end $$;
create trigger t500_release_media after delete on public.episodes
  referencing old table as gone for each statement execute function private.release_media_of_episodes();

create function private.release_media_of_podcasts() returns trigger
language plpgsql security definer  -- the ledger is not the caller's
set search_path = ''
as $$
begin
  perform private.release_media_objects(array_agg(m.path order by m.path), true)
  from gone p join private.media_objects m on m.podcast_id = p.id and m.released_at is null
  having count(*) > 0;
  return null;
end $$;
create trigger t500_release_media after delete on public.podcasts
  referencing old table as gone for each statement execute function private.release_media_of_podcasts();

