-- Ownership offers. A member becomes the owner only by accepting, because storage counts on the owner's allowance.
create type public.podcast_transfer_status as enum ('pending', 'accepted', 'declined', 'withdrawn', 'ended');

create table public.podcast_transfers (
  id            uuid primary key default gen_random_uuid(),
  podcast_id    uuid not null references public.podcasts on delete cascade,
  user_id       uuid not null references public.profiles on delete cascade,  -- the member who may accept
  offered_by    uuid not null references public.profiles on delete cascade,  -- the owner
  storage_bytes bigint not null default 0,  -- would count on the member's allowance, when last measured
  status        public.podcast_transfer_status not null default 'pending',
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint parties_differ check (user_id <> offered_by),
  constraint storage_is_not_negative check (storage_bytes >= 0)
);
comment on table public.podcast_transfers is
  'Ownership offers. Both parties read them; the *_podcast_transfer functions write them.';
comment on constraint parties_differ on public.podcast_transfers is 'A podcast cannot be transferred to its owner';
comment on constraint storage_is_not_negative on public.podcast_transfers is 'The storage must be 0 or more bytes';
create unique index podcast_transfers_one_open_idx on public.podcast_transfers (podcast_id) where status = 'pending';
create index podcast_transfers_podcast_id_idx on public.podcast_transfers (podcast_id);
create index podcast_transfers_user_id_idx on public.podcast_transfers (user_id);
create index podcast_transfers_offered_by_idx on public.podcast_transfers (offered_by);

-- Who
alter table public.podcast_transfers enable row level security;
create policy parties_read on public.podcast_transfers for select to authenticated
  using (user_id = (select auth.uid()) or offered_by = (select auth.uid()));
grant select on public.podcast_transfers to authenticated, service_role;
-- No write grants: the functions check the parties and the podcast's status.

-- Always
create trigger t100_normalize before insert or update on public.podcast_transfers
  for each row execute function private.touch_updated_at();

create trigger t310_guard_status before update of status on public.podcast_transfers
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('A transfer',
    'pending: accepted declined withdrawn ended');

-- After: ends the offer when a party leaves the team, the owner changes, or the podcast is pending deletion.
create function private.end_transfers_of_member() returns trigger
language plpgsql security definer  -- clients have no write grant on transfers
set search_path = ''
as $$
begin
  update public.podcast_transfers t set status = 'ended'
  where t.podcast_id = old.podcast_id and old.user_id in (t.user_id, t.offered_by) and t.status = 'pending';
  return null;
end $$;
create trigger t500_end_transfers after delete on public.podcast_members
  for each row execute function private.end_transfers_of_member();

create function private.end_transfers_of_podcast() returns trigger
language plpgsql security definer  -- clients have no write grant on transfers
set search_path = ''
as $$
begin
  update public.podcast_transfers t set status = 'ended' where t.podcast_id = new.id and t.status = 'pending';
  return null;
end $$;
create trigger t500_end_transfers after update of status, owner_id on public.podcasts
  for each row when (new.status not in ('active', 'paused') or old.owner_id <> new.owner_id)
  execute function private.end_transfers_of_podcast();
