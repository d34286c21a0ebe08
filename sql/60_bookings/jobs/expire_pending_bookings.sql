-- Cancels requests that no host answered in time, and deletes what is old.
create function private.expire_pending_bookings(at timestamptz default now(), max_bookings int default 100) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  booking public.bookings;
  expired int := 0;
begin
  for booking in
    select b.* from public.bookings b
    where b.status = 'pending' and b.expires_at <= at
    order by b.expires_at limit max_bookings
    for no key update skip locked
  loop
    begin
      update public.bookings b set status = 'cancelled', expires_at = null, cancelled_by = 'expiry'
      where b.id = booking.id returning b.* into booking;
      perform private.announce_booking_change('booking.cancelled', booking, at,
        tells_hosts => booking.hosts_told_at is not null,
        tells_guest => coalesce(booking.guest_told_at <= at, false));
      expired := expired + 1;
    exception when others then  -- does not stop the others; the next run tries again
      raise log 'castbase: booking % could not expire: %', booking.id, sqlerrm;
    end;
  end loop;
  return expired;
end $$;
comment on function private.expire_pending_bookings is
  'Cancels requests that have expired, and notifies guests and hosts, if they were told of the request; at most '
  'max_bookings, none that is locked. Cron calls it every minute. Returns how many.';

create function private.purge_bookings(at timestamptz default now(), max_rows int default 10000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.delete_old_rows('private.booking_request_keys', 'created_at', at - interval '24 hours', max_rows);
  return private.delete_old_rows('public.bookings', 'end_time',
    at - make_interval(days => private.get_setting('booking_retention_days')::int), max_rows);
end $$;
comment on function private.purge_bookings is
  'Deletes idempotency keys after 24 hours, and bookings booking_retention_days after their end. Cron calls it hourly. '
  'Returns how many bookings.';
