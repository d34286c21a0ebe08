-- Records what an attempt wrote, and ends its lease. Without an external_id the calendar has no event of the booking.
create function private.record_calendar_event(
  _booking_id uuid, _attempt_id uuid, _external_id text default null, _digest text default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if _external_id is null then
    delete from private.calendar_events e
    where e.booking_id = _booking_id and e.attempt_id = _attempt_id;
  else
    update private.calendar_events e set external_id = _external_id, written = _digest, lease_expires_at = null
    where e.booking_id = _booking_id and e.attempt_id = _attempt_id;
  end if;
end $$;
grant execute on function private.record_calendar_event to service_role;
comment on function private.record_calendar_event is
  'Ends an attempt that wrote or removed the event of a booking. Does nothing if another attempt has begun.';
