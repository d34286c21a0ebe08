-- The confirmed email address is read from Auth's table, never from the token's claims.
create function private.confirmed_email_of(user_id uuid) returns text
language sql stable parallel safe security invoker set search_path = ''
as $$
  select lower(u.email) from auth.users u
  where u.id = $1 and u.email_confirmed_at is not null and not u.is_sso_user  -- SSO does not prove an address
$$;
comment on function private.confirmed_email_of is
  'Returns a user''s confirmed email address in lower case, or null.';

create function private.my_confirmed_email() returns text
language plpgsql stable parallel safe security definer  -- clients may not read auth.users
set search_path = ''
as $$
begin
  return private.confirmed_email_of(auth.uid());
end $$;
comment on function private.my_confirmed_email is
  'Returns the caller''s confirmed email address in lower case, or null.';
-- No grant: security definer functions call it.
