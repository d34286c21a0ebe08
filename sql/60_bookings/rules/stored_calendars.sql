-- What finish_calendar_connection, add_calendar_url and list_calendars share.
create function private.connected_calendar_json(calendar public.connected_calendars) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('id', calendar.id, 'name', calendar.name, 'isPrimary', calendar.is_primary,
    'isWritable', calendar.is_writable, 'isSelected', calendar.is_selected,
    'receivesEvents', calendar.receives_events, 'lastError', calendar.last_error,
    'eventsError', calendar.events_error, 'warnings', calendar.warnings,
    'fetchedAt', private.format_timestamp(calendar.fetched_at))
$$;
comment on function private.connected_calendar_json is 'A calendar of a connection as the API returns it.';
grant execute on function private.connected_calendar_json to authenticated;  -- list_calendars runs as its caller

create function private.calendar_connection_json(connection public.calendar_connections) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('id', connection.id, 'provider', connection.provider,
    'accountName', connection.account_name, 'status', connection.status, 'lastError', connection.last_error,
    'createdAt', private.format_timestamp(connection.created_at),
    'calendars', coalesce((
      select jsonb_agg(private.connected_calendar_json(c) order by c.is_primary desc, c.name, c.id)
      from public.connected_calendars c where c.connection_id = connection.id), '[]'))
$$;
comment on function private.calendar_connection_json is 'A connection with its calendars as the API returns it.';
grant execute on function private.calendar_connection_json to authenticated;  -- list_calendars runs as its caller

-- One id per user and account, so that connecting an account again renews its connection.
create function private.calendar_connection_id(user_id uuid, provider public.calendar_provider, account_id text)
returns uuid
language sql immutable parallel safe security invoker set search_path = ''
return encode(substring(sha256(convert_to(concat_ws(' ', $1, $2, $3), 'UTF8')) for 16), 'hex')::uuid;
comment on function private.calendar_connection_id is 'The id of a user''s connection to an account or URL.';

create function private.write_calendars(
  connection public.calendar_connections, calendars jsonb, is_receiver boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if jsonb_array_length(calendars) > 100 then
    raise sqlstate 'PT422' using hint = 'CALENDAR_UNREADABLE',
      message = 'The account has more than 100 calendars; provide the URL of one calendar';
  end if;
  delete from public.connected_calendars c where c.connection_id = connection.id
    and not exists (select from jsonb_array_elements(calendars) d where d ->> 'externalId' = c.external_id);
  insert into public.connected_calendars as c
    (connection_id, user_id, external_id, name, is_primary, is_writable, is_selected, receives_events)
  select connection.id, connection.user_id, d.external_id, d.name, d.is_primary, d.is_writable,
    -- Google and Microsoft list calendars of other people; CalDAV servers mark those whose events block no time
    (d.is_primary or connection.provider in ('caldav', 'ics')) and not d.is_transparent,
    is_receiver and d.is_primary and d.is_writable
  from (
    select distinct on (e ->> 'externalId') e ->> 'externalId' as external_id, e ->> 'name' as name,
      (e -> 'isPrimary')::boolean as is_primary, (e -> 'isWritable')::boolean as is_writable,
      coalesce((e -> 'isTransparent')::boolean, false) as is_transparent
    from jsonb_array_elements(calendars) e) d
  on conflict on constraint external_id_unique_per_connection do update set name = excluded.name,
    is_primary = excluded.is_primary, is_writable = excluded.is_writable, last_error = null, events_error = null,
    receives_events = c.receives_events and excluded.is_writable;
end $$;
comment on function private.write_calendars is
  'Makes the calendars of a connection those that its provider lists: [{externalId, name, isPrimary, isWritable, '
  'isTransparent}]. Known ones keep what the user selected; of new ones, the primary one counts, and receives events '
  'if is_receiver; of URLs all that are not transparent count.';

create function private.store_calendar_connection(_user_id uuid, _provider public.calendar_provider, _account_id text,
  _account_name text, secret jsonb, _access_expires_at timestamptz, calendars jsonb,
  at timestamptz default now())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  connection public.calendar_connections;
  new_id     uuid := private.calendar_connection_id(_user_id, _provider, _account_id);
  known      int;
  is_new     boolean;
begin
  perform from public.profiles f where f.id = _user_id for no key update;
  perform private.require_account_of(_user_id);
  select count(*), count(*) filter (where c.id = new_id) = 0 into known, is_new
  from public.calendar_connections c where c.user_id = _user_id;
  if is_new and known >= private.get_setting('max_calendar_connections_per_user')::int then
    raise sqlstate 'PT409' using hint = 'TOO_MANY_CALENDAR_CONNECTIONS',
      message = 'You have reached the limit of calendar connections; remove one first';
  end if;
  insert into public.calendar_connections as c (id, user_id, provider, account_name)
  values (new_id, _user_id, _provider, left(_account_name, 254))
  on conflict on constraint calendar_connections_pkey do update set account_name = excluded.account_name,
    status = case when c.status = 'revoked' then 'pending' else c.status end, failing_since = null,
    is_failure_told = false
  returning * into connection;
  perform private.store_calendar_secret(new_id, secret, sha256(convert_to(concat_ws(' ', _provider, _account_id),
      'UTF8')), _access_expires_at);
  perform private.write_calendars(connection, calendars, known = 0);
  -- a reading with the earlier credentials could end later, and revoke the connection
  update private.calendar_busy b set stale_at = '-infinity', due_at = '-infinity', lease = null,
    lease_expires_at = null, error = null, failures = 0, is_slow = false,
    awaited_until = case when b.fetched_at is null then private.first_reading_end(at) end
  from public.connected_calendars c where c.connection_id = new_id and c.is_selected and b.calendar_id = c.id;
  perform private.write_calendar_busy(c.id, (d -> 'reading' ->> 'windowStart')::timestamptz,
    (d -> 'reading' ->> 'windowEnd')::timestamptz, (d -> 'reading' ->> 'busy')::tstzmultirange,
    d -> 'reading' -> 'warnings', (d -> 'reading' -> 'isSlow')::boolean, at)
  from jsonb_array_elements(calendars) d
  join public.connected_calendars c on c.connection_id = new_id and c.external_id = d ->> 'externalId'
  where c.is_selected and d ? 'reading';
  perform private.update_connection_status(new_id, at);
  perform private.enqueue_calendar_read(new_id)
  where exists (
    select from public.connected_calendars c join private.calendar_busy b on b.calendar_id = c.id
    where c.connection_id = new_id and c.is_selected and b.stale_at <= at);
  select c.* into strict connection from public.calendar_connections c where c.id = new_id;
  return jsonb_build_object('isNew', is_new, 'connection', private.calendar_connection_json(connection));
end $$;
comment on function private.store_calendar_connection is
  'Creates or renews the connection of a user to an account or URL: {isNew, connection}. Calendars that were read '
  'already have `reading`: {windowStart, windowEnd, busy, warnings, isSlow}. The others are enqueued; a new connection '
  'is pending until they are read, and a renewed one keeps its earlier busy times. PT403 ACCOUNT_REQUIRED, PT409 '
  'TOO_MANY_CALENDAR_CONNECTIONS, PT422 CALENDAR_UNREADABLE.';
