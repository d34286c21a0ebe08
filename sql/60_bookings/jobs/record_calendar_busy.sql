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

create function private.record_calendar_busy(
  _calendar_id uuid, _lease uuid, _window_start timestamptz, _window_end timestamptz, _busy tstzmultirange,
  at timestamptz default now())
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  read_connection_id uuid;
  read_window        tstzmultirange := tstzmultirange(tstzrange(_window_start, _window_end));
  intervals          tstzrange[] := array(select unnest(_busy * read_window));
begin
  if cardinality(intervals) > 20000 then
    raise sqlstate 'PT422' using message = 'The calendar has more than 20,000 busy times';
  end if;
  read_connection_id := private.lock_calendar_read(_calendar_id, _lease);
  if read_connection_id is null then
    return false;
  end if;
  -- unchanged intervals stay as they are: calendars are read each minute and rarely change
  delete from private.calendar_busy_intervals i
  where i.calendar_id = _calendar_id and i.during not in (select unnest(intervals));
  insert into private.calendar_busy_intervals (calendar_id, during)
  select _calendar_id, u.during from unnest(intervals) u (during)
  where u.during not in (
    select i.during from private.calendar_busy_intervals i where i.calendar_id = _calendar_id);
  update public.connected_calendars c set fetched_at = at, last_error = null
  where c.id = _calendar_id;
  update private.calendar_busy b set window_start = _window_start,
    window_end = _window_end, fetched_at = at, error = null, failures = 0,
    stale_at = at + private.get_setting('calendar_cache_seconds')::int * interval '1 second',
    due_at = at + private.get_setting('calendar_refresh_minutes')::int * interval '1 minute',
    lease = null, lease_expires_at = null
  where b.calendar_id = _calendar_id;
  perform private.end_connection_failure(read_connection_id);
  return true;
end $$;
comment on function private.record_calendar_busy is
  'Replaces the busy times of a calendar by those of a reading of the window, writing only what differs, and ends the '
  'lease. False, and no change, if the caller no longer has the lease. PT422 for more than 20,000 intervals.';
