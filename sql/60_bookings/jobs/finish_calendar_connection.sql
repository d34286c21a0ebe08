-- Steps of POST /api/calendars/connections/finish. The route exchanges the code in between, so no transaction waits for
-- the provider. A step that fails leaves nothing: the user starts again. The route calls the steps as the service,
-- because the tokens are the provider's to give.
create function private.consume_calendar_authorization(_user_id uuid, _state text, at timestamptz default now())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  authorization_row private.calendar_authorizations;
begin
  perform private.require_account_of(_user_id);
  -- of this user only, so that an attacker cannot receive the calendar of a victim who follows the attacker's link
  delete from private.calendar_authorizations a
  where a.digest = sha256(convert_to(_state, 'UTF8'))
    and a.user_id = _user_id and a.expires_at > at
  returning * into authorization_row;
  if not found then
    raise sqlstate 'PT400' using hint = 'INVALID_AUTHORIZATION',
      message = 'The state is unknown, expired or used; start the connection again';
  end if;
  return jsonb_build_object('provider', authorization_row.provider, 'verifier', authorization_row.verifier,
    'redirectUri', private.calendar_callback_url());
end $$;
grant execute on function private.consume_calendar_authorization to service_role;
comment on function private.consume_calendar_authorization is
  'First step: ends the authorization of a state and returns {provider, verifier, redirectUri}. PT400 '
  'INVALID_AUTHORIZATION for a state that is not the user''s, expired or used, PT403 ACCOUNT_REQUIRED.';

create function private.finish_calendar_connection(_user_id uuid, _provider public.calendar_provider, account jsonb,
  tokens jsonb, at timestamptz default now())
returns jsonb
language sql volatile security invoker set search_path = ''
return private.store_calendar_connection(_user_id, _provider, account ->> 'id', account ->> 'address',
  jsonb_build_object('accessToken', tokens -> 'accessToken', 'refreshToken', tokens -> 'refreshToken'),
  at + make_interval(secs => (tokens -> 'expiresInSeconds')::int),
  account -> 'calendars', at);
grant execute on function private.finish_calendar_connection to service_role;
comment on function private.finish_calendar_connection is
  'Last step: stores the account {id, address, calendars} with its tokens {accessToken, refreshToken, '
  'expiresInSeconds}; returns {isNew, connection}. Errors as store_calendar_connection.';
