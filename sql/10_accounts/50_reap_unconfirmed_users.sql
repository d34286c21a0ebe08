-- Deletes sign-ups that nobody confirmed (contract, Authentication 8). A daily job; the setting says after how many days.
create function private.delete_unconfirmed_user(user_id uuid) returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  confirmed_at timestamptz;
begin
  -- the lock makes a confirmation that is on its way either come first, and then be seen, or find no row
  select coalesce(u.email_confirmed_at, u.phone_confirmed_at) into confirmed_at from auth.users u where u.id = delete_unconfirmed_user.user_id for update;
  if not found then
    return false;
  end if;
  if confirmed_at is not null then
    raise sqlstate 'PT409' using message = 'A confirmed user is not deleted as unconfirmed';
  end if;
  delete from auth.users u where u.id = delete_unconfirmed_user.user_id;
  return true;
end $$;
comment on function private.delete_unconfirmed_user is 'Deletes one unconfirmed user under a row lock; refuses a confirmed one with PT409.';

-- A higher domain that expects a user skips the row by a trigger: an invited address is not reaped.
create table private.reapable_users (
  user_id uuid primary key references auth.users on delete cascade,
  email   text,
  at      timestamptz not null
);
comment on table private.reapable_users is 'The user whom the reaper is about to delete. Empty between its steps.';
alter table private.reapable_users enable row level security;
-- No policy, no grant.

create function private.reap_unconfirmed_users(at timestamptz default now()) returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  stale  record;
  reaped int := 0;
begin
  for stale in
    select u.id, lower(u.email) as email from auth.users u
    where u.email_confirmed_at is null and u.phone_confirmed_at is null and u.invited_at is null
      and not u.is_anonymous
      and u.created_at < at - make_interval(days => private.setting('unconfirmed_user_ttl_days')::int)
    order by u.created_at
  loop
    exit when reaped >= 1000;
    insert into private.reapable_users (user_id, email, at) values (stale.id, stale.email, reap_unconfirmed_users.at);
    continue when not found;  -- invited
    begin
      reaped := reaped + private.delete_unconfirmed_user(stale.id)::int;
    exception
      when sqlstate 'PT409' then
        null;  -- confirmed in the meantime: theirs to keep
      when foreign_key_violation then
        raise log 'castbase: the unconfirmed user % owns something and is kept', stale.id;
    end;
    delete from private.reapable_users r where r.user_id = stale.id;
  end loop;
  return reaped;
end $$;
comment on function private.reap_unconfirmed_users is 'Deletes unconfirmed users older than the setting unconfirmed_user_ttl_days, at most 1,000 a run. Users with an open invitation of Auth, a team or an episode stay.';
