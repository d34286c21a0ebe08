-- Records that a calendar could not be read. Its busy times stay: a provider that fails must not free busy hours.
create function private.fail_calendar_read(
  _calendar_id uuid, _lease uuid, _error text, _retry_after_seconds int default null, at timestamptz default now(),
  _is_rejected boolean default false)
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  read_connection_id uuid :=
    private.lock_calendar_read(_calendar_id, _lease);
  reason             text := left(_error, 1000);
  connection         public.calendar_connections;
begin
  if read_connection_id is null then
    return false;
  end if;
  update private.calendar_busy b set error = reason, failures = b.failures + 1, lease = null, lease_expires_at = null,
    stale_at = retry.at, due_at = retry.at
  from (
    select fail_calendar_read.at + greatest(
      least(power(2, least(f.failures, 10)) * interval '1 minute', interval '15 minutes'),
      least(coalesce(_retry_after_seconds, 0), 3600) * interval '1 second') as at
    from private.calendar_busy f where f.calendar_id = _calendar_id) retry
  where b.calendar_id = _calendar_id;
  update public.connected_calendars c set last_error = reason where c.id = _calendar_id;
  perform private.update_connection_status(read_connection_id, at);

  select n.* into strict connection from public.calendar_connections n where n.id = read_connection_id;
  if connection.status <> 'failing' or connection.failing_since > at - interval '1 hour' then
    return true;
  elsif _is_rejected then
    update public.calendar_connections n set status = 'revoked', last_error = reason where n.id = connection.id;
  elsif not connection.is_failure_told then
    update public.calendar_connections n set is_failure_told = true where n.id = connection.id;
    perform private.notify_about_calendar('calendar.failing', connection, at);
  end if;
  return true;
end $$;
grant execute on function private.fail_calendar_read to service_role;
comment on function private.fail_calendar_read is
  'Stores why a calendar could not be read, for its owner, and ends the lease; the busy times stay. The next attempt '
  'is due after 1, 2, 4, 8, then 15 minutes, or after retry_after_seconds (at most an hour), the longer. Notifies the '
  'user once per outage when a connection has been failing for an hour; a login that the server still rejects then '
  '(is_rejected) revokes the connection. False, and no change, if the caller no longer has the lease.';

-- A page view has little time, and the worker cannot begin each calendar: the calendar did not fail.
create function private.return_calendar_read(
  _calendar_id uuid, _lease uuid, _is_slow boolean default false, at timestamptz default now())
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  read_connection_id uuid := private.lock_calendar_read(_calendar_id, _lease);
begin
  if read_connection_id is null then
    return false;
  end if;
  update private.calendar_busy b set lease = null, lease_expires_at = null, is_slow = b.is_slow or _is_slow
  where b.calendar_id = _calendar_id;
  perform private.enqueue_calendar_read(read_connection_id);
  return true;
end $$;
grant execute on function private.return_calendar_read to service_role;
comment on function private.return_calendar_read is
  'Ends the lease of a calendar that its reader had no time for, and enqueues it. If it is_slow, page views leave it '
  'to the worker until a reading is fast. False, and no change, if the caller no longer has the lease.';
