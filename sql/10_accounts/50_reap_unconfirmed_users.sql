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
revoke all on function private.delete_unconfirmed_user from public, anon, authenticated, service_role;

create function private.reap_unconfirmed_users(at timestamptz default now()) returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  stale  uuid;
  reaped int := 0;
begin
  for stale in
    select u.id from auth.users u
    where u.email_confirmed_at is null and u.phone_confirmed_at is null and u.invited_at is null
      and not u.is_anonymous
      and u.created_at < at - make_interval(days => private.setting('unconfirmed_user_days')::int)
    order by u.created_at limit 1000
  loop
    begin
      reaped := reaped + private.delete_unconfirmed_user(stale)::int;
    exception
      when sqlstate 'PT409' then
        null;  -- confirmed in the meantime: theirs to keep
      when foreign_key_violation then
        raise log 'castbase: the unconfirmed user % owns something and is kept', stale;
    end;
  end loop;
  return reaped;
end $$;
comment on function private.reap_unconfirmed_users is 'Deletes unconfirmed, non-invited users older than the setting unconfirmed_user_days; at most 1,000 a run.';
revoke all on function private.reap_unconfirmed_users from public, anon, authenticated, service_role;
