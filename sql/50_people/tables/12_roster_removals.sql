-- Roster removals: active guests whom an admin removed from a roster. Declining and accepting does not add them again.
create table private.roster_removals (
  episode_guest_id uuid primary key references public.episode_guests on delete cascade,
  removed_at       timestamptz not null
);
comment on table private.roster_removals is
  'Active guests whom remove_episode_person removed from a roster. A new invitation or roster entry deletes the row.';
alter table private.roster_removals enable row level security;
-- No policy, no grant.

-- After: the guest has to accept a new invitation again. Only invite_guest sets invited_at.
create function private.reopen_invitation_of_removed_guest() returns trigger
language plpgsql security definer  -- clients may not read roster removals
set search_path = ''
as $$
begin
  if exists (select from private.roster_removals r where r.episode_guest_id = new.id) then
    new.status := 'invited';
    new.invited_at := now();
  end if;
  return new;
end $$;
create trigger t500_reopen_invitation before update of invited_at on public.episode_guests
  for each row when (new.status = 'active') execute function private.reopen_invitation_of_removed_guest();

create function private.delete_roster_removal() returns trigger
language plpgsql security definer  -- clients may not write roster removals
set search_path = ''
as $$
begin
  delete from private.roster_removals r where r.episode_guest_id = new.id;
  return null;
end $$;
create trigger t500_delete_roster_removal after update of status on public.episode_guests
  for each row when (new.status in ('invited', 'removed')) execute function private.delete_roster_removal();
