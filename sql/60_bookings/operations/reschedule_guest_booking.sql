-- Moves a booking to another slot as the guest of an access token.
create function private.reschedule_guest_booking(
  _access_token text, _start_time timestamptz, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
declare
  booking  public.bookings := private.lock_guest_booking(_access_token, at, confirms => false);
  moved    public.bookings := booking;
  link     public.booking_links;
  slot_end timestamptz;
begin
  perform private.require_open_booking(booking, '{pending,confirmed}', 'rescheduled', at);
  if booking.start_time is distinct from _start_time then
    select l.* into link from public.booking_links l where l.id = booking.booking_link_id;
    slot_end := private.offered_slot_end(link, _start_time, booking.id, at);
    moved := private.move_booking(booking, _start_time, slot_end, 'guest', at);
  end if;
  if private.waits_for_guest(moved) then  -- one notice for both
    moved := private.answer_booking(moved, 'confirmed', null, at);
  elsif moved.start_time <> booking.start_time then
    moved := private.announce_booking_change('booking.rescheduled', moved, at,
      previous_start_time => booking.start_time);
  end if;
  return private.guest_booking_json(moved, at);
end $$;
grant execute on function private.reschedule_guest_booking to anon, authenticated;

create function public.reschedule_guest_booking(access_token text, start_time timestamptz) returns jsonb
language sql volatile security invoker set search_path = ''
return private.reschedule_guest_booking(access_token, start_time);
comment on function public.reschedule_guest_booking is
  'POST /api/bookings/guest/reschedule: {booking, link, podcast}. The time is one that get_availability offers; a '
  'confirmed booking stays confirmed. Requires the access token, no login. 401 INVALID or EXPIRED, 409 '
  'SLOT_UNAVAILABLE, INVALID_STATUS_CHANGE, BOOKING_EXPIRED, BOOKING_STARTED or PODCAST_PENDING_DELETION, 429 over 10 '
  'a day, or over the requests of the guest that wait.';
grant execute on function public.reschedule_guest_booking to anon, authenticated;
