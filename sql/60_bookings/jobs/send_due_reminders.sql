-- Reminds guests and hosts of confirmed sessions, one day and one hour before.
create function private.send_due_reminders(at timestamptz default now(), max_bookings int default 100) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  booking  public.bookings;
  reminded int := 0;
begin
  for booking in
    select b.* from public.bookings b where b.next_reminder_at <= at
    order by b.next_reminder_at limit max_bookings
    for no key update skip locked
  loop
    begin
      update public.bookings b set next_reminder_at = private.next_reminder_time(b.start_time, at)
      where b.id = booking.id;
      continue when booking.start_time <= at;  -- no run was in time
      perform private.announce_booking_change('booking.reminder', booking, at,
        tells_guest => coalesce(booking.guest_told_at <= at, false));
      reminded := reminded + 1;
    exception when others then  -- does not stop the others; the next run tries again
      raise log 'castbase: booking % has no reminder: %', booking.id, sqlerrm;
    end;
  end loop;
  return reminded;
end $$;
comment on function private.send_due_reminders is
  'Reminds hosts and guests, who were told of their booking, of sessions that begin in a day or in an hour; at most '
  'max_bookings, none that is locked. After an outage one reminder replaces both. Cron calls it every 15 seconds. '
  'Returns of how many sessions.';
