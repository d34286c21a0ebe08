-- Tells guests of their bookings later, if no day had room for it.
-- One per call, so that no transaction locks the days of several addresses. Attempts without room release their locks.
create function private.tell_untold_guest(at timestamptz default now()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  booking public.bookings;
begin
  for booking in
    select b.* from public.bookings b join public.podcasts p on p.id = b.podcast_id
      and (p.status <> 'pending_deletion' or b.status in ('declined', 'cancelled'))
    where b.guest_told_at is null and b.start_time > at
      and (b.status <> 'cancelled' or b.cancelled_by = 'host')
    order by random() limit 100  -- those without room must not hide the others
    for no key update of b skip locked for key share of p skip locked
  loop
    begin
      continue when private.is_expired_booking(booking, at);
      booking := private.tell_guest(
        case booking.status when 'pending' then 'booking.requested' else 'booking.' || booking.status end, booking,
        private.booking_payload(booking, null, null), at);
      if booking.guest_told_at is not null then
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
