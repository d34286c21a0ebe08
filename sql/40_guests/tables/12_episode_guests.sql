-- Episode guests: the guests who are invited to an episode, with the state of their invitation.
create type public.episode_guest_status as enum ('invited', 'active', 'declined', 'removed');

create table public.episode_guests (
  id               uuid primary key default gen_random_uuid(),
  episode_id       uuid not null references public.episodes on delete cascade,
  -- Set by a trigger; the policy reads it.
  podcast_id       uuid not null default nullif('', '')::uuid references public.podcasts on delete cascade,
  podcast_guest_id uuid not null references public.podcast_guests on delete cascade,
  status           public.episode_guest_status not null default 'invited',
  invited_at       timestamptz not null default now(),  -- moves when a declined or removed guest is invited again
  last_accessed_at timestamptz,                         -- last use of the access token, to the minute
  email_status     public.email_status,                 -- of the last invitation email
  email_due_at     timestamptz,                         -- when an email that waits is sent
  created_at       timestamptz not null default now(),
  constraint guest_unique_per_episode unique (episode_id, podcast_guest_id)
);
comment on table public.episode_guests is
  'Guests of an episode. Members read them; the digests of access tokens are in private.access_tokens.';
comment on constraint guest_unique_per_episode on public.episode_guests is
  'The guest is invited to the episode already';
create index episode_guests_podcast_id_idx on public.episode_guests (podcast_id);
create index episode_guests_podcast_guest_id_idx on public.episode_guests (podcast_guest_id, invited_at desc);

-- Who
alter table public.episode_guests enable row level security;
create policy members_read on public.episode_guests for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
grant select on public.episode_guests to authenticated, service_role;
-- No write grants: the guest functions write guests, for admins and for token holders.

-- Always
create function private.normalize_episode_guest() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  perform from public.podcast_guests g where g.id = new.podcast_guest_id and g.podcast_id = new.podcast_id;
  if not found then
    raise sqlstate 'PT404' using message = 'The guest does not belong to this podcast';
  end if;
  return new;
end $$;
create trigger t100_normalize
  before insert or update of episode_id, podcast_id, podcast_guest_id on public.episode_guests
  for each row execute function private.normalize_episode_guest();

-- last_accessed_at is not guarded: guests may read until the podcast is deleted.
create trigger t300_guard_writable
  before insert or delete or update of episode_id, podcast_id, podcast_guest_id, invited_at
  on public.episode_guests for each row when (pg_trigger_depth() = 0)  -- cascades are allowed
  execute function private.guard_writable_podcast();

-- Until the deletion a guest may leave, and an invitation may be withdrawn.
create trigger t300_guard_writable_status before update of status on public.episode_guests
  for each row when (pg_trigger_depth() = 0 and new.status <> 'declined'
    and not (old.status = 'invited' and new.status = 'removed'))
  execute function private.guard_writable_podcast();

create trigger t310_guard_status before update of status on public.episode_guests
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('A guest',
    'invited: active declined removed',
    'active: declined removed',
    'declined: invited active removed',
    'removed: invited');

-- After
create function private.announce_guest_answer() returns trigger
language plpgsql security definer  -- clients may not write events
set search_path = ''
as $$
declare
  answer        constant text := case new.status when 'active' then 'accepted' else 'declined' end;
  guest_user_id constant uuid := (select g.user_id from public.podcast_guests g where g.id = new.podcast_guest_id);
begin
  -- guests can decline and accept in a loop
  perform private.notify_repeatedly(format('guest_%s:%s', answer, new.id), 5, 'guest.' || answer,
    private.team_recipients(new.podcast_id, 'admin', guest_user_id),
    jsonb_build_object('episode_guest_id', new.id, 'podcast_guest_id', new.podcast_guest_id,
      'episode_id', new.episode_id, 'podcast_id', new.podcast_id));
  return null;
end $$;
create trigger t900_announce_insert after insert on public.episode_guests
  for each row when (new.status = 'active') execute function private.announce_guest_answer();
create trigger t900_announce_update after update of status on public.episode_guests
  for each row when (new.status in ('active', 'declined') and old.status <> new.status)
  execute function private.announce_guest_answer();
