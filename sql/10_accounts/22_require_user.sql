-- The checks of operations that need a signed-in user, or one with an account.
create function private.require_user() returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Authentication required';
  end if;
end $$;
comment on function private.require_user is 'PT401 unless the caller is a signed-in user.';
grant execute on function private.require_user to authenticated, service_role;  -- public functions run as their caller

-- A user has no account before the email is confirmed. A token can also live longer than the account of its user.
create function private.require_account_of(user_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform from public.profiles f where f.id = require_account_of.user_id;
  if not found then
    raise sqlstate 'PT403' using message = 'You have no account; confirm your email address, or sign in again',
      hint = 'ACCOUNT_REQUIRED';
  end if;
end $$;
comment on function private.require_account_of is
  'Requires a user whose email was confirmed and whose account exists. PT403 ACCOUNT_REQUIRED.';

create function private.require_account() returns void
language plpgsql stable security definer  -- independent of the caller's policies
set search_path = ''
as $$
begin
  perform private.require_user();
  perform private.require_account_of(auth.uid());
end $$;
comment on function private.require_account is
  'require_account_of the caller. PT401, PT403 ACCOUNT_REQUIRED.';
grant execute on function private.require_account to authenticated;  -- public functions run as their caller
