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

-- Direct writes of clients: by users with an account, and of at most 1,000 rows per statement, because each row runs
-- the triggers of its table. guard_client_writes() creates both triggers on each table that clients may write. They are
-- triggers, because policies would hide rows from an update and return success. A statement cannot know its number of
-- rows before it has written them all; the row trigger ends it at the first row too many.
create function private.guard_client_write() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  max_rows  constant int := 1000;
  counter   constant text := 'castbase.' || tg_table_name || '_rows_' || tg_op;
  row_count int := 0;
begin
  if tg_level = 'ROW' then
    row_count := current_setting(counter)::int + 1;
    if row_count > max_rows then
      raise sqlstate 'PT400' using hint = 'TOO_MANY_ROWS',
        message = format('One request can %s at most %s rows of %s; send several requests with fewer rows each',
          lower(tg_op), to_char(max_rows, 'FM9,999'), tg_table_name);
    end if;
  elsif current_user = 'authenticated' then  -- guests use functions, which run as their owner
    perform private.require_user();
  end if;
  perform set_config(counter, row_count::text, true);
  return case tg_op when 'DELETE' then old else new end;
end $$;
comment on function private.guard_client_write is
  'Trigger before each statement and before each row that anon or authenticated writes. PT403 ANONYMOUS_USER, PT400 '
  'TOO_MANY_ROWS.';

-- A user has no account before the email is confirmed. A token can also live longer than the account of its user.
create function private.require_account_of(_user_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform from public.profiles f where f.id = _user_id;
  if not found then
    perform private.raise_anonymous_user()
    from auth.users u where u.id = _user_id and u.is_anonymous;
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
