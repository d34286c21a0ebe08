-- Cancels requests that no host answered in time, tells guests later, and deletes what is old.
create function private.expire_pending_bookings(at timestamptz default now(), max_bookings int default 100) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  booking    public.bookings;
  unverified private.unverified_bookings;
  expired    int := 0;
begin
  for booking in
    select b.* from public.bookings b
    where b.status = 'pending' and b.expires_at <= expire_pending_bookings.at
    order by b.expires_at limit max_bookings
    for no key update skip locked
  loop
    begin
      select u.* into unverified from private.unverified_bookings u where u.booking_id = booking.id;
      update public.bookings b set status = 'cancelled', expires_at = null, cancelled_by = 'expiry'
      where b.id = booking.id returning b.* into booking;
      perform private.announce_booking_change('booking.cancelled', booking, expire_pending_bookings.at,
        tells_hosts => coalesce(unverified.is_announced, true),
        tells_guest => coalesce(booking.guest_told_at <= expire_pending_bookings.at, false));
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

-- One per call, so that no transaction locks the days of several addresses. Attempts without room release their locks.
create function private.tell_untold_guest(at timestamptz default now()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  booking public.bookings;
begin
  for booking in
    select b.* from public.bookings b join public.podcasts p on p.id = b.podcast_id and p.status <> 'pending_deletion'
    where b.guest_told_at is null and b.start_time > tell_untold_guest.at
      and (b.status <> 'cancelled' or b.cancelled_by = 'host')
    order by random() limit 100  -- those without room must not hide the others
    for no key update of b skip locked for key share of p skip locked
  loop
    begin
      if not private.is_expired_booking(booking, tell_untold_guest.at) and private.tell_guest(
        case booking.status when 'pending' then 'booking.requested' else 'booking.' || booking.status end, booking,
        private.booking_payload(booking, null, null), tell_untold_guest.at)
      then
        return true;
      end if;
    exception when others then  -- does not stop the others; a later run tries again
      raise log 'castbase: the guest of booking % could not be told: %', booking.id, sqlerrm;
    end;
  end loop;
  return false;
end $$;
comment on function private.tell_untold_guest is
  'Emails one guest who could not be told of a booking so far, or of its end by a host, as soon as a day has room. '
  'Cron calls it every ten seconds. Returns whether there was one.';

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
