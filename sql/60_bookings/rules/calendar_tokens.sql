-- Access tokens of connected accounts. One process refreshes the tokens of a connection at a time, by a lease; others
-- wait and read the new token. A refresher that dies loses its lease.
create function private.claim_calendar_token(
  _connection_id uuid, rejected_token text default null, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  credentials private.calendar_credentials;
  connection  public.calendar_connections;
  secret      jsonb;
begin
  select c.* into credentials from private.calendar_credentials c
  where c.connection_id = _connection_id and c.access_expires_at is not null for update;
  if not found then
    return '{"state": "missing"}';
  end if;
  select c.* into strict connection from public.calendar_connections c
  where c.id = _connection_id;
  if connection.status = 'revoked' then
    return jsonb_build_object('state', 'revoked', 'error', connection.last_error);
  end if;
  secret := private.read_calendar_secret(_connection_id);
  if credentials.access_expires_at > at + interval '1 minute'
     and secret ->> 'accessToken' is distinct from rejected_token
  then
    return jsonb_build_object('state', 'valid', 'accessToken', secret -> 'accessToken');
  elsif credentials.lease_expires_at > at then
    return '{"state": "refreshing"}';
  end if;
  update private.calendar_credentials c set lease_id = gen_random_uuid(), lease_expires_at = at + interval '30 seconds'
  where c.connection_id = _connection_id returning * into credentials;
  return jsonb_build_object('state', 'claimed', 'provider', connection.provider, 'leaseId', credentials.lease_id,
    'refreshToken', secret -> 'refreshToken');
end $$;
grant execute on function private.claim_calendar_token to service_role;
comment on function private.claim_calendar_token is
  'The access token of a connection: {state: valid, accessToken}; {state: claimed, provider, leaseId, refreshToken} if '
  'the caller refreshes it, because it expires within a minute or the provider rejected it; {state: refreshing} while '
  'another process does; {state: revoked, error}; or {state: missing}, also for URLs.';

create function private.store_calendar_token(_connection_id uuid, _lease_id uuid, access_token text,
  expires_in_seconds int, refresh_token text default null, at timestamptz default now()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  credentials private.calendar_credentials;
begin
  select c.* into credentials from private.calendar_credentials c
  where (c.connection_id, c.lease_id) = (_connection_id, _lease_id)
  for update;
  if not found then
    return false;
  end if;
  perform private.store_calendar_secret(_connection_id, private.read_calendar_secret(_connection_id)
      || jsonb_strip_nulls(jsonb_build_object('accessToken', access_token, 'refreshToken', refresh_token)),
    credentials.account_digest, at + make_interval(secs => expires_in_seconds));
  return true;
end $$;
grant execute on function private.store_calendar_token to service_role;
comment on function private.store_calendar_token is
  'Ends a refresh with new tokens; without a refresh_token, the earlier one stays. False if another process took over '
  'the lease, or the connection was renewed or removed.';

create function private.fail_calendar_token(_connection_id uuid, _lease_id uuid, revocation_error text default null)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- before the credentials, as renewals and removals do
  perform from public.calendar_connections c where c.id = _connection_id for no key update;
  update private.calendar_credentials c set lease_id = null, lease_expires_at = null
  where (c.connection_id, c.lease_id) = (_connection_id, _lease_id);
  if found and revocation_error is not null then
    update public.calendar_connections c set status = 'revoked', last_error = revocation_error
    where c.id = _connection_id;
  end if;
end $$;
grant execute on function private.fail_calendar_token to service_role;
comment on function private.fail_calendar_token is
  'Ends a refresh without tokens. A revocation_error says that the account no longer grants access: the connection is '
  'revoked until the user connects the account again. Does nothing if another process took over the lease.';
