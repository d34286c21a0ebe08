-- Cancels a booking as the guest of an access token.
create function private.cancel_guest_booking(_access_token text, _message text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
declare
  booking public.bookings := private.lock_guest_booking(_access_token, at, ends_it => true);
begin
  return private.guest_booking_json(private.answer_booking(booking, 'cancelled', _message,
    at, _cancelled_by => 'guest'), at);
end $$;
grant execute on function private.cancel_guest_booking to anon, authenticated;

create function public.cancel_guest_booking(access_token text, message text default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.cancel_guest_booking(access_token, message);
comment on function public.cancel_guest_booking is
  'POST /api/bookings/guest/cancel: {booking, link, podcast}. The hosts are notified, with the message of at most '
  '2,000 characters. Requires the access token, no login. 400, 401 INVALID or EXPIRED, 409 INVALID_STATUS_CHANGE, '
  'BOOKING_EXPIRED or BOOKING_STARTED.';
grant execute on function public.cancel_guest_booking to anon, authenticated;
