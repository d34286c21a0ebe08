-- The check of every operation that needs a signed-in user.
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
