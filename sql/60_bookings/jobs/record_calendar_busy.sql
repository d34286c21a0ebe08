-- Stores a reading of a calendar.
create function private.lock_calendar_read(_calendar_id uuid, _lease uuid) returns uuid
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  connection_id uuid;
begin
  select c.connection_id into connection_id
  from public.connected_calendars c where c.id = _calendar_id;
  perform from public.calendar_connections n where n.id = connection_id for no key update;
  perform from public.connected_calendars c
  where c.id = _calendar_id and c.is_selected for no key update;
  if not found then
    return null;  -- deselected after it was claimed
  end if;
  perform from private.calendar_busy b
  where b.calendar_id = _calendar_id and b.lease = _lease for no key update;
  return case when found then connection_id end;
end $$;
comment on function private.lock_calendar_read is
  'Locks a calendar and its connection for the holder of the lease, and returns the connection. Null if another reader '
  'has the lease, or if the calendar was deselected or removed meanwhile.';

create function private.write_calendar_busy(_calendar_id uuid, _window_start timestamptz, _window_end timestamptz,
  _busy tstzmultirange, _warnings jsonb, _is_slow boolean, at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  intervals tstzrange[] := array(select unnest(_busy * tstzmultirange(tstzrange(_window_start, _window_end))));
begin
  -- unchanged intervals stay as they are: calendars are read each minute and rarely change
  delete from private.calendar_busy_intervals i
  where i.calendar_id = _calendar_id and i.during not in (select unnest(intervals));
  insert into private.calendar_busy_intervals (calendar_id, during)
  select _calendar_id, u.during from unnest(intervals) u (during)
  where u.during not in (
    select i.during from private.calendar_busy_intervals i where i.calendar_id = _calendar_id);
  update public.connected_calendars c set fetched_at = at, last_error = null, warnings = _warnings
  where c.id = _calendar_id;
  update private.calendar_busy b set window_start = _window_start,
    window_end = _window_end, fetched_at = at, error = null, failures = 0, is_slow = _is_slow, awaited_until = null,
    stale_at = at + private.get_setting('calendar_cache_seconds')::int * interval '1 second',
    due_at = at + private.get_setting('calendar_refresh_minutes')::int * interval '1 minute',
    lease = null, lease_expires_at = null
  where b.calendar_id = _calendar_id;
end $$;
comment on function private.write_calendar_busy is
  'Replaces the busy times and warnings of a calendar by those of a reading of the window, writing only busy times '
  'that differ, and ends the lease. The caller has locked connection and calendar.';

create function private.record_calendar_busy(
  _calendar_id uuid, _lease uuid, _window_start timestamptz, _window_end timestamptz, _busy tstzmultirange,
  at timestamptz default now(), _warnings jsonb default '[]', _is_slow boolean default false)
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  read_connection_id uuid;
begin
  if (select count(*) from unnest(_busy)) > 20000 then
    return private.fail_calendar_read(_calendar_id, _lease, 'The calendar has more than 20,000 busy times', at => at);
  end if;
  read_connection_id := private.lock_calendar_read(_calendar_id, _lease);
  if read_connection_id is null then
    return false;
  end if;
  perform private.write_calendar_busy(_calendar_id, _window_start, _window_end, _busy, _warnings, _is_slow, at);
  perform private.update_connection_status(read_connection_id, at);
  return true;
end $$;
grant execute on function private.record_calendar_busy to service_role;
comment on function private.record_calendar_busy is
  'Stores the reading of a leased calendar, as write_calendar_busy. The calendar fails if it has more than 20,000 busy '
  'times. False, and no change, if the caller no longer has the lease.';
