-- Steps of POST /api/calendars/urls. The route reads the calendar in between, so that a wrong URL is an error at once,
-- and calls the steps as the service, because the list of calendars is the server's to give.
create function private.calendar_url(url text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  -- webcal is http or https by convention; readers try https
  found_url text := regexp_replace(regexp_replace(btrim(url), '^webcals?://', 'https://', 'i'), '#.*$', '');
begin
  if private.is_parsable_http_url(found_url) is not true then
    raise sqlstate 'PT400' using hint = 'INVALID_URL',
      message = 'url must be an https or webcal URL; provide username and password separately';
  elsif found_url !~* '^https:' and not private.is_allowed_host(found_url) then
    raise sqlstate 'PT400' using hint = 'INVALID_URL', message = 'url must be an https or webcal URL';
  end if;
  perform private.require_public_url(found_url);
  return found_url;
end $$;
comment on function private.calendar_url is
  'The URL by which a calendar is read. PT400 INVALID_URL or BLOCKED_URL; http is for hosts of '
  'fetch_allowed_hosts only.';

create function private.begin_calendar_url(_user_id uuid, _provider text, _url text, username text default null,
  password text default null, at timestamptz default now())
returns text
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_account_of(_user_id);
  if _provider is null or _provider not in ('caldav', 'ics') then
    raise sqlstate 'PT400' using message = 'provider must be one of: caldav, ics';
  elsif char_length(username) > 255 or char_length(password) > 1024 or username ~ '[:[:cntrl:]]'
     or password ~ '[[:cntrl:]]' or nullif(username, '') is null and (_provider = 'caldav' or password <> '')
     or nullif(password, '') is null and _provider = 'caldav'
  then
    raise sqlstate 'PT400' using message = 'caldav requires a username of at most 255 characters without a colon, and '
      'a password of at most 1,024; ics may have both, or a username alone';
  end if;
  perform private.consume_rate_limit('calendar_urls:' || _user_id,
    private.get_setting('max_calendar_urls_per_hour')::int, interval '1 hour', at);
  if private.calendar_cpu_left_ms(_user_id, at) <= 0 then
    perform private.raise_rate_limited('Reading your calendars takes too much time; try again in a few minutes',
      at + private.calendar_claim_delay_seconds(_user_id, at) * interval '1 second');
  end if;
  return private.calendar_url(_url);
end $$;
grant execute on function private.begin_calendar_url to service_role;
comment on function private.begin_calendar_url is
  'First step: counts the call and returns the URL to read. PT400 INVALID_URL, BLOCKED_URL or invalid values, PT403 '
  'ACCOUNT_REQUIRED, PT429 over max_calendar_urls_per_hour, and while the user''s calendars have used up '
  'max_calendar_cpu_ms_per_minute.';

create function private.add_calendar_url(_user_id uuid, _provider public.calendar_provider, _url text, calendars jsonb,
  username text default null, password text default null, at timestamptz default now())
returns jsonb
language sql volatile security invoker set search_path = ''
return private.store_calendar_connection(_user_id, _provider, concat_ws(' ', _url, username),
  lower(substring(_url from '^[^:]+://([^/?#]*)')),  -- the rest of the URL may be secret
  jsonb_strip_nulls(jsonb_build_object('url', _url, 'username', username, 'password', password)), null, calendars,
  at);
grant execute on function private.add_calendar_url to service_role;
comment on function private.add_calendar_url is
  'Last step: stores the URL with its calendars; returns {isNew, connection}. A known URL gets the new password. '
  'Errors as store_calendar_connection.';
