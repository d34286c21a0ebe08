-- The checks of operations that need a signed-in user, or one with an account.
create function private.raise_anonymous_user() returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  raise sqlstate 'PT403' using hint = 'ANONYMOUS_USER',
    message = 'Anonymous users have no account; sign in, or add an email address and confirm it';
end $$;
comment on function private.raise_anonymous_user is 'Raises PT403 ANONYMOUS_USER.';
grant execute on function private.raise_anonymous_user to authenticated, service_role;  -- require_user calls it

-- Every operation for signed-in users begins with it, before it reads a row. A token keeps the claim is_anonymous until
-- it is refreshed, also after its user has become a permanent one.
create function private.require_user() returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Authentication required';
  elsif auth.jwt() -> 'is_anonymous' = 'true' then
    perform private.raise_anonymous_user();
  end if;
end $$;
comment on function private.require_user is
  'PT401 unless the caller is a signed-in user, PT403 ANONYMOUS_USER for an anonymous one.';
grant execute on function private.require_user to authenticated, service_role;  -- public functions run as their caller

-- Direct writes of clients. It is a trigger, because policies would hide rows from an update and return success.
create function private.guard_anonymous_user() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user = 'authenticated' then  -- guests use functions, which run as their owner
    perform private.require_user();
  end if;
  return null;
end $$;
create trigger t050_guard_anonymous_user before update on public.profiles
  for each statement execute function private.guard_anonymous_user();

-- A user has no account before the email is confirmed. A token can also live longer than the account of its user.
create function private.require_account_of(user_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform from public.profiles f where f.id = require_account_of.user_id;
  if not found then
    perform private.raise_anonymous_user()
    from auth.users u where u.id = require_account_of.user_id and u.is_anonymous;
    raise sqlstate 'PT403' using message = 'You have no account; confirm your email address, or sign in again',
      hint = 'ACCOUNT_REQUIRED';
  end if;
end $$;
comment on function private.require_account_of is
  'Requires a user whose email was confirmed and whose account exists. PT403 ACCOUNT_REQUIRED or ANONYMOUS_USER.';

create function private.require_account() returns void
language plpgsql stable security definer  -- independent of the caller's policies
set search_path = ''
as $$
begin
  perform private.require_user();
  perform private.require_account_of(auth.uid());
end $$;
comment on function private.require_account is
  'require_account_of the caller. PT401, PT403 ACCOUNT_REQUIRED or ANONYMOUS_USER.';
grant execute on function private.require_account to authenticated;  -- public functions run as their caller
