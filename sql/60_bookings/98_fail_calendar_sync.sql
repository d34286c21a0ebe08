-- Ends an attempt that failed.
create function private.fail_calendar_sync(booking_id uuid, attempt_id uuid, rejection text default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  event private.calendar_events;
begin
  update private.calendar_events e set lease_expires_at = null
  where e.booking_id = fail_calendar_sync.booking_id and e.attempt_id = fail_calendar_sync.attempt_id
  returning * into event;
  if rejection is not null then
    update public.connected_calendars c set is_writable = false, receives_events = false,
      last_error = left(rejection, 1000)
    where c.id = event.calendar_id;
  end if;
end $$;
comment on function private.fail_calendar_sync is
  'Ends the lease of an attempt that failed. A rejection, which the calendar''s user reads, says that the '
  'provider does not let sessions be written into the calendar: it receives none until it is chosen again. Does '
  'nothing if another attempt has begun.';
