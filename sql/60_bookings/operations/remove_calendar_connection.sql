-- Removes one of the caller's connections with its calendars, busy times and credentials. Events of sessions that were
-- written into its calendars stay there.
create function private.remove_calendar_connection(_connection_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients may not delete connections
set search_path = ''
as $$
begin
  perform private.require_account();
  delete from public.calendar_connections c
  where c.id = _connection_id and c.user_id = auth.uid();
  if not found then
    raise sqlstate 'PT404' using message = 'Calendar connection not found';
  end if;
  return jsonb_build_object('id', _connection_id);
end $$;
grant execute on function private.remove_calendar_connection to authenticated;

create function public.remove_calendar_connection(connection_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.remove_calendar_connection(connection_id);
comment on function public.remove_calendar_connection is
  'DELETE /api/calendars/connections/{id}, which also revokes the grant at Google: {id}. Deletes tokens and passwords. '
  '403 ACCOUNT_REQUIRED, 404 unknown or another user''s.';
grant execute on function public.remove_calendar_connection to authenticated;

create function private.find_revocable_grant(connection_id uuid, user_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('provider', c.provider,
    'refreshToken', private.read_calendar_secret(c.id) -> 'refreshToken')
  from public.calendar_connections c join private.calendar_credentials d on d.connection_id = c.id
  where c.id = $1 and c.user_id = $2 and c.provider in ('google', 'microsoft')
    and not exists (
      select from private.calendar_credentials o
      where o.account_digest = d.account_digest and o.connection_id <> c.id)
$$;
grant execute on function private.find_revocable_grant to service_role;
comment on function private.find_revocable_grant is
  'Provider and refresh token of a user''s connection; null for URLs, and while another user has connected the same '
  'account: providers revoke the whole grant of an account to this service.';
