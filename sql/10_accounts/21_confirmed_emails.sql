-- The confirmed email address is read from Auth's table, never from the token's claims.
create function private.my_confirmed_email() returns text
language plpgsql stable parallel safe security definer  -- clients may not read auth.users
set search_path = ''
as $$
begin
  return (
    select lower(u.email) from auth.users u
    where u.id = auth.uid() and u.email_confirmed_at is not null
      and not u.is_sso_user);  -- SSO does not prove an address
end $$;
comment on function private.my_confirmed_email is
  'Returns the caller''s confirmed email address in lower case, or null.';
-- No grant: security definer functions call it.
