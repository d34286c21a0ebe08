-- Ends an attempt that failed.
create function private.fail_calendar_sync(_booking_id uuid, _attempt_id uuid, rejection text default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if rejection is not null then  -- the calendar before its event, as removals of the calendar do
    update public.connected_calendars c set receives_events = false, events_error = left(rejection, 1000)
    from private.calendar_events e
    where e.booking_id = _booking_id and e.attempt_id = _attempt_id
      and c.id = e.calendar_id;
  end if;
  update private.calendar_events e set lease_expires_at = null
  where e.booking_id = _booking_id and e.attempt_id = _attempt_id;
end $$;
grant execute on function private.fail_calendar_sync to service_role;
comment on function private.fail_calendar_sync is
  'Ends the lease of an attempt that failed. A rejection, which the calendar''s user reads, says that the provider '
  'does not let sessions be written into the calendar: it receives none until it is chosen again or its account is '
  'renewed. Does nothing if another attempt has begun.';
