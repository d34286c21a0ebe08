-- First step of connecting an account: a state that sends the caller to the provider.
create function private.begin_calendar_connection(provider text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write authorizations
set search_path = ''
as $$
declare
  state      constant text := private.random_token();
  verifier   constant text := private.random_token();
  expires_at constant timestamptz := begin_calendar_connection.at + interval '10 minutes';
begin
  perform from public.profiles f where f.id = auth.uid() for key share;  -- a deletion of the account waits, or is seen
  perform private.require_account();
  if begin_calendar_connection.provider is null
     or begin_calendar_connection.provider not in ('google', 'microsoft')
  then
    raise sqlstate 'PT400' using message = 'provider must be one of: google, microsoft';
  end if;
  perform private.consume_rate_limit('calendar_connections:' || auth.uid(),
    private.get_setting('max_calendar_connections_per_hour')::int, interval '1 hour', begin_calendar_connection.at);
  delete from private.calendar_authorizations d where d.digest in (  -- of anyone: no job purges them
    select a.digest from private.calendar_authorizations a where a.expires_at <= begin_calendar_connection.at
    limit 100 for update skip locked);
  insert into private.calendar_authorizations (digest, user_id, provider, verifier, expires_at)
  values (sha256(convert_to(state, 'UTF8')), auth.uid(),
    begin_calendar_connection.provider::public.calendar_provider, verifier, expires_at);
  return jsonb_build_object('state', state, 'codeChallenge', private.code_challenge(verifier),
    'redirectUri', private.calendar_callback_url(), 'expiresAt', private.format_timestamp(expires_at));
end $$;
comment on function private.begin_calendar_connection is
  'Implementation of begin_calendar_connection (security definer). Writes rows of the caller only.';
grant execute on function private.begin_calendar_connection to authenticated;

create function public.begin_calendar_connection(provider text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.begin_calendar_connection(begin_calendar_connection.provider);
end $$;
comment on function public.begin_calendar_connection is
  'Part of POST /api/calendars/connections, which adds the URL: {state, codeChallenge, redirectUri, expiresAt}. '
  'provider is google or microsoft. 400, 403 ACCOUNT_REQUIRED, 429 over max_calendar_connections_per_hour.';
grant execute on function public.begin_calendar_connection to authenticated;
