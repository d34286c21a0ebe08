-- Cancels a booking as the guest of an access token.
create function private.cancel_guest_booking(access_token text, message text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
declare
  booking public.bookings := private.lock_guest_booking(
    cancel_guest_booking.access_token, cancel_guest_booking.at, keeps_request => false);
begin
  return private.guest_booking_json(private.answer_booking(booking, 'cancelled', cancel_guest_booking.message,
    cancel_guest_booking.at, cancelled_by => 'guest'), cancel_guest_booking.at);
end $$;
comment on function private.cancel_guest_booking is
  'Implementation of cancel_guest_booking (security definer). Checks the access token itself.';
grant execute on function private.cancel_guest_booking to anon, authenticated;

create function public.cancel_guest_booking(access_token text, message text default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.cancel_guest_booking(cancel_guest_booking.access_token, cancel_guest_booking.message);
end $$;
comment on function public.cancel_guest_booking is
  'POST /api/bookings/guest/cancel: {booking, link, podcast}. The hosts are notified, with the message of at most '
  '2,000 characters. Requires the access token, no login. 400, 401 INVALID or EXPIRED, 409 INVALID_STATUS_CHANGE, '
  'BOOKING_EXPIRED, BOOKING_STARTED or PODCAST_PENDING_DELETION.';
grant execute on function public.cancel_guest_booking to anon, authenticated;
