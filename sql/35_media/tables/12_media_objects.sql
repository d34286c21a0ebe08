-- Media objects: the ledger of stored objects that a column references now or referenced until released_at.
-- A live object (released_at is null) is charged to the account; a released object waits for the sweep.
create table private.media_objects (
  path         text primary key,           -- in the bucket media
  account_id   uuid references public.billing_accounts on delete set null,
  podcast_id   uuid,                       -- no foreign keys: an object outlives its rows until it is deleted
  episode_id   uuid,
  target_id    uuid generated always as (coalesce(episode_id, podcast_id)) stored,
  usage        text not null,              -- audio, transcript, an image type, or temporary (artwork without a podcast)
  bytes        bigint not null,
  content_type text not null,
  width        int,                        -- pixels, of images
  height       int,
  created_at   timestamptz not null default now(),
  released_at  timestamptz,
  copies_ended_at timestamptz,             -- when its copies were made, or proved impossible; null: they may be missing
  constraint usage_matches_target_ids check (case
    when usage in ('audio', 'transcript', 'episode_cover', 'chapter') then num_nulls(podcast_id, episode_id) = 0
    when usage in ('cover', 'header', 'banner', 'profile') then podcast_id is not null and episode_id is null
    else usage = 'temporary' and num_nonnulls(podcast_id, episode_id) = 0 end),
  constraint bytes_are_positive check (bytes > 0),
  constraint dimensions_only_for_images check (
    num_nulls(width, height) = 0 and width > 0 and height > 0 and usage not in ('audio', 'transcript')
    or num_nonnulls(width, height) = 0),
  constraint live_object_has_account check (account_id is not null or released_at is not null)
);
comment on table private.media_objects is 'The stored objects of each account, with their measured size.';
create index media_objects_account_id_idx on private.media_objects (account_id, podcast_id);
create index media_objects_podcast_id_idx on private.media_objects (podcast_id);
create index media_objects_target_id_idx on private.media_objects (target_id, usage);
-- One live object per target and usage: an episode's audio, its cover, each image of a podcast. An episode has several
-- transcripts and images of chapters, which its rows reference.
create unique index media_objects_live_target_id_idx on private.media_objects (target_id, usage)
  where released_at is null and usage not in ('transcript', 'chapter');
create index media_objects_released_at_idx on private.media_objects (released_at) where released_at is not null;
create index media_objects_unused_idx on private.media_objects (created_at)  -- may still wait for a reference
  where usage in ('temporary', 'chapter') and released_at is null;
create index media_objects_without_copies_idx on private.media_objects (created_at)
  where private.takes_image_copies(usage) and released_at is null and copies_ended_at is null;
alter table private.media_objects enable row level security;
-- No policy, no grant.

-- Always: every change of live objects changes the account's sum in the same transaction
create function private.account_for_media_objects() returns trigger
language plpgsql security definer  -- every writer of objects must reach the account's sum
set search_path = ''
as $$
begin
  -- once per account and statement, in the accounts' order, so that two opposite transfers do not deadlock
  case tg_op
    when 'INSERT' then
      perform private.adjust_storage_usage(n.account_id, sum(n.bytes)::bigint)
      from new_rows n where n.released_at is null group by n.account_id order by n.account_id;
    when 'DELETE' then
      perform private.adjust_storage_usage(o.account_id, -sum(o.bytes)::bigint)
      from old_rows o where o.released_at is null group by o.account_id order by o.account_id;
    else
      perform private.adjust_storage_usage(c.account_id, sum(c.bytes)::bigint)
      from (
        select n.account_id, n.bytes from new_rows n where n.released_at is null
        union all
        select o.account_id, -o.bytes from old_rows o where o.released_at is null
      ) c
      group by c.account_id order by c.account_id;
  end case;
  return null;
end $$;
create trigger t500_account_for_insert after insert on private.media_objects
  referencing new table as new_rows for each statement execute function private.account_for_media_objects();
create trigger t500_account_for_update after update on private.media_objects
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.account_for_media_objects();
create trigger t500_account_for_delete after delete on private.media_objects
  referencing old table as old_rows for each statement execute function private.account_for_media_objects();

-- A transfer moves the podcast's objects to the new owner's account, whose allowance must hold them with the staged
-- bytes. It moves released objects as well, because a column may reference one again; that write waits for the lock.
-- Number 490: it locks the ledger and the accounts before t500 triggers change memberships.
create function private.transfer_media_to_new_owner() returns trigger
language plpgsql security definer  -- clients may not write the ledger
set search_path = ''
as $$
declare
  staged bigint := private.staged_bytes(new.id);
begin
  update private.media_objects m set account_id = new.owner_id
  where m.path in (  -- all code locks objects in the order of their paths
    select o.path from private.media_objects o where o.podcast_id = new.id order by o.path for update);
  if staged > 0 then
    if private.account_used_bytes(new.owner_id) > private.storage_allowance_bytes(new.owner_id) then
      raise sqlstate 'PT409' using
        message = 'This would exceed the account''s storage allowance', hint = 'STORAGE_ALLOWANCE_EXCEEDED';
    end if;
  end if;
  return null;
end $$;
create trigger t490_transfer_media after update of owner_id on public.podcasts
  for each row when (old.owner_id is distinct from new.owner_id)
  execute function private.transfer_media_to_new_owner();
