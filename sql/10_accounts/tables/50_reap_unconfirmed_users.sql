-- Deletes unconfirmed users: sign-ups whose email was never confirmed, and anonymous users, who have none.
create function private.delete_unconfirmed_user(_user_id uuid, at timestamptz default now()) returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  confirmed_at     timestamptz;
  has_email_change boolean;
begin
  -- Lock the row so that a concurrent confirmation or email change either commits first or finds no user.
  select coalesce(u.email_confirmed_at, u.phone_confirmed_at), u.email_change_sent_at >= at - interval '1 day'
  into confirmed_at, has_email_change
  from auth.users u where u.id = _user_id for update;
  if not found then
    return false;
  end if;
  if confirmed_at is not null then
    raise sqlstate 'PT409' using message = 'User is already confirmed and cannot be deleted as unconfirmed';
  end if;
  if has_email_change then
    raise sqlstate 'PT409' using message = 'User has an open email change; delete the user when it has expired';
  end if;
  delete from auth.users u where u.id = _user_id;
  return true;
end $$;
comment on function private.delete_unconfirmed_user is
  'Deletes an unconfirmed user under a row lock. False if the user does not exist; PT409 if confirmed, or if an email '
  'change is younger than a day.';

-- A higher domain adds a before-insert trigger that skips users with an open invitation.
create table private.reapable_users (
  user_id    uuid primary key references auth.users on delete cascade,
  email      text,
  checked_at timestamptz not null
);
comment on table private.reapable_users is
  'The user that reap_unconfirmed_users is about to delete. Empty between its steps.';
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
      and coalesce(u.email_change_sent_at < at - interval '1 day', true)  -- the longest lifetime of its code
      and u.created_at < at - make_interval(days => private.get_setting('unconfirmed_user_ttl_days')::int)
    order by u.created_at limit 10000
  loop
    exit when reaped >= 1000;
    begin
      insert into private.reapable_users (user_id, email, checked_at)
      values (stale.id, stale.email, at);
      continue when not found;  -- a trigger skipped an invited user
      reaped := reaped + private.delete_unconfirmed_user(stale.id, at)::int;  -- the cascade deletes the inserted row
    exception
      when sqlstate 'PT409' then
        null;  -- confirmed, or an email change began, in the meantime
      when foreign_key_violation then
        raise log 'castbase: kept unconfirmed user %: deleted in the meantime, or still referenced', stale.id;
    end;
  end loop;
  return reaped;
end $$;
comment on function private.reap_unconfirmed_users is
  'Deletes unconfirmed and anonymous users older than the setting unconfirmed_user_ttl_days: at most 1,000 of the '
  '10,000 oldest per run. Users with an open invitation, or with an email change of the last day, stay. Cron calls it '
  'hourly. Returns how many.';
