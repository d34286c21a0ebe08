-- Invitations to a podcast's team, by email address. A user becomes a member only by accepting.
create type public.podcast_invitation_status as enum ('pending', 'accepted', 'declined', 'withdrawn', 'expired');

create table public.podcast_invitations (
  id            uuid primary key default gen_random_uuid(),
  podcast_id    uuid not null references public.podcasts on delete cascade,
  email         text not null,                                       -- in lower case
  role          public.podcast_role not null default 'member',       -- offered
  status        public.podcast_invitation_status not null default 'pending',
  podcast_title text not null,                                       -- copies: the invitee may read neither table
  inviter_name  text,
  invited_by    uuid references public.profiles on delete set null,  -- the last sender; an admin while it is pending
  accepted_by   uuid references public.profiles on delete set null,
  expires_at    timestamptz not null,                                -- later, a pending invitation can only be resent
  email_status  public.email_status,                                 -- of the last email
  email_due_at  timestamptz,                                         -- when an email that waits is sent
  created_at    timestamptz not null default clock_timestamp(),     -- compared with blocked_at
  updated_at    timestamptz not null default now(),
  constraint email_is_valid check (private.is_email_address(email)),
  constraint role_is_below_owner check (role < 'owner'),
  constraint pending_has_inviter check (invited_by is not null or status <> 'pending'),
  constraint accepted_by_only_if_accepted check (accepted_by is null or status = 'accepted')
);
comment on table public.podcast_invitations is
  'Invitations to a podcast''s team. Admins and the invited user (by confirmed address) read them; the '
  '*_podcast_invitation functions write them.';
comment on constraint accepted_by_only_if_accepted on public.podcast_invitations is
  'Only an accepted invitation names who accepted it';
comment on constraint email_is_valid on public.podcast_invitations is 'The email must be a valid email address';
comment on constraint pending_has_inviter on public.podcast_invitations is 'A pending invitation must have an inviter';
comment on constraint role_is_below_owner on public.podcast_invitations is 'The role must be member or admin';
create unique index podcast_invitations_one_open_idx on public.podcast_invitations (podcast_id, email)
  where status = 'pending';
create index podcast_invitations_expires_at_idx on public.podcast_invitations (expires_at) where status = 'pending';
create index podcast_invitations_podcast_id_idx on public.podcast_invitations (podcast_id, created_at desc);
create index podcast_invitations_email_idx on public.podcast_invitations (email, id);
create index podcast_invitations_invited_by_idx on public.podcast_invitations (invited_by, id);
create index podcast_invitations_accepted_by_idx on public.podcast_invitations (accepted_by);

-- Private, because realtime sends whole rows.
create table private.podcast_invitation_blocks (
  podcast_id uuid not null references public.podcasts on delete cascade,
  email      text not null,
  blocked_at timestamptz not null,  -- later invitations are neither emailed nor shown
  primary key (podcast_id, email)
);
comment on table private.podcast_invitation_blocks is 'The addresses that want no invitations of a podcast.';
create index podcast_invitation_blocks_email_idx on private.podcast_invitation_blocks (email, podcast_id);
alter table private.podcast_invitation_blocks enable row level security;
-- No policy, no grant.

-- Who
create function private.my_podcast_invitation_ids() returns uuid[]
language plpgsql stable parallel safe security definer  -- callers may read neither addresses nor blocks
set search_path = ''
as $$
begin
  return coalesce((
    select array_agg(i.id) from public.podcast_invitations i
    left join private.podcast_invitation_blocks b on b.podcast_id = i.podcast_id and b.email = i.email
    where i.email = private.my_confirmed_email() and (b.blocked_at is null or i.created_at <= b.blocked_at)), '{}');
end $$;
comment on function private.my_podcast_invitation_ids is
  'Returns the invitations to the caller''s confirmed address, except those sent after the caller blocked the '
  'podcast.';
grant execute on function private.my_podcast_invitation_ids to authenticated, service_role;

alter table public.podcast_invitations enable row level security;
create policy admins_and_invitees_read on public.podcast_invitations for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[])
    or id = any ((select private.my_podcast_invitation_ids())::uuid[]));
grant select on public.podcast_invitations to authenticated, service_role;
-- No write grants: the functions check roles, limits and the podcast's status.

-- Always
create function private.normalize_podcast_invitation() returns trigger
language plpgsql security definer  -- the writer may not read all podcasts and profiles
set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  if new.status = 'pending' and new.invited_by is null then  -- the inviter's account was deleted
    new.status := 'withdrawn';
  end if;
  if tg_op = 'INSERT' or new.expires_at <> old.expires_at then
    new.podcast_title := (select p.title from public.podcasts p where p.id = new.podcast_id);
    new.inviter_name := (select f.display_name from public.profiles f where f.id = new.invited_by);
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.podcast_invitations
  for each row execute function private.normalize_podcast_invitation();

create trigger t310_guard_status before update of status on public.podcast_invitations
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('An invitation',
    'pending: accepted declined withdrawn expired');

-- After: withdraws the invitations of an admin who is removed or demoted, so that they cannot invite themselves back.
create function private.withdraw_podcast_invitations_of_member() returns trigger
language plpgsql security definer  -- clients have no write grant on invitations
set search_path = ''
as $$
begin
  update public.podcast_invitations i set status = 'withdrawn'
  where i.podcast_id = old.podcast_id and i.invited_by = old.user_id and i.status = 'pending';
  return null;
end $$;
create trigger t500_withdraw_invitations after delete on public.podcast_members
  for each row when (old.role >= 'admin') execute function private.withdraw_podcast_invitations_of_member();
create trigger t500_withdraw_invitations_of_demoted after update of role on public.podcast_members
  for each row when (old.role >= 'admin' and new.role < 'admin')
  execute function private.withdraw_podcast_invitations_of_member();
