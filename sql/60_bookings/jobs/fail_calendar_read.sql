-- Records that a calendar could not be read. Its busy times stay: a provider that fails must not free busy hours.
create function private.fail_calendar_read(
  _calendar_id uuid, _lease uuid, _error text, _retry_after_seconds int default null, at timestamptz default now())
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  read_connection_id uuid :=
    private.lock_calendar_read(_calendar_id, _lease);
  reason             text := left(_error, 1000);
begin
  if read_connection_id is null then
    return false;
  end if;
  update private.calendar_busy b set error = reason, failures = b.failures + 1, lease = null, lease_expires_at = null,
    stale_at = retry.at, due_at = greatest(retry.at,
      fail_calendar_read.at + private.get_setting('calendar_refresh_minutes')::int * interval '1 minute')
  from (
    select fail_calendar_read.at + greatest(
      least(power(2, least(f.failures, 10)) * interval '1 minute', interval '15 minutes'),
      least(coalesce(_retry_after_seconds, 0), 3600) * interval '1 second') as at
    from private.calendar_busy f where f.calendar_id = _calendar_id) retry
  where b.calendar_id = _calendar_id;
  update public.connected_calendars c set last_error = reason where c.id = _calendar_id;
  update public.calendar_connections n set status = 'failing', last_error = reason
  where n.id = read_connection_id and n.status <> 'revoked';
  return true;
end $$;
comment on function private.fail_calendar_read is
  'Stores why a calendar could not be read, for its owner, and ends the lease; the busy times stay. The next attempt '
  'is due after 1, 2, 4, 8, then 15 minutes, or after retry_after_seconds (at most an hour), the longer. False, and no '
  'change, if the caller no longer has the lease.';
