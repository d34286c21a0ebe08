-- The deletion of a podcast cancels its sessions ahead. While it is scheduled, they stay, because it can be canceled.
create function private.cancel_bookings_of_podcast() returns trigger
language plpgsql security definer  -- callers may not notify
set search_path = ''
as $$
declare
  booking public.bookings;
  events  jsonb[] := '{}';
begin
  for booking in
    select b.* from public.bookings b
    where b.podcast_id = old.id and b.status in ('pending', 'confirmed') and b.start_time > now()
      and b.guest_told_at <= now()
    order by b.id for update  -- waits for an expiry, which tells the guest, too
  loop
    booking.status := 'cancelled';
    booking.sequence := booking.sequence + 1;
    events := events || private.booking_guest_event('booking.cancelled', booking,
      private.booking_payload(booking, null, null), has_link => false);
  end loop;
  perform private.notify_each('booking.cancelled', to_jsonb(events));
  return old;
end $$;
create trigger t530_cancel_bookings before delete on public.podcasts
  for each row execute function private.cancel_bookings_of_podcast();
