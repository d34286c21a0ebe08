-- First step of connecting an account: a state that sends the caller to the provider.
create function private.begin_calendar_connection(_provider text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write authorizations
set search_path = ''
as $$
declare
  state      constant text := private.random_token();
  verifier   constant text := private.random_token();
  expires_at constant timestamptz := at + interval '10 minutes';
begin
  perform from public.profiles f where f.id = auth.uid() for key share;  -- a deletion of the account waits, or is seen
  perform private.require_account();
  if _provider is null
     or _provider not in ('google', 'microsoft')
  then
    raise sqlstate 'PT400' using message = 'provider must be one of: google, microsoft';
  end if;
  perform private.consume_rate_limit('calendar_connections:' || auth.uid(),
    private.get_setting('max_calendar_connections_per_hour')::int, interval '1 hour', at);
  delete from private.calendar_authorizations d where d.digest in (  -- of anyone: no job purges them
    select a.digest from private.calendar_authorizations a where a.expires_at <= at
    limit 100 for update skip locked);
  insert into private.calendar_authorizations (digest, user_id, provider, verifier, expires_at)
  values (sha256(convert_to(state, 'UTF8')), auth.uid(), _provider::public.calendar_provider, verifier, expires_at);
  return jsonb_build_object('state', state, 'codeChallenge', private.code_challenge(verifier),
    'redirectUri', private.calendar_callback_url(), 'expiresAt', private.format_timestamp(expires_at));
end $$;
grant execute on function private.begin_calendar_connection to authenticated;

create function public.begin_calendar_connection(provider text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.begin_calendar_connection(provider);
comment on function public.begin_calendar_connection is
  'Part of POST /api/calendars/connections, which adds the URL: {state, codeChallenge, redirectUri, expiresAt}. '
  'provider is google or microsoft. 400, 403 ACCOUNT_REQUIRED, 429 over max_calendar_connections_per_hour.';
grant execute on function public.begin_calendar_connection to authenticated;
