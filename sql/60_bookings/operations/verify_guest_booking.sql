-- Verifies the email address of a booking as its guest: the button of the page that the emails link to.
create function private.verify_guest_booking(_access_token text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
begin
  return private.guest_booking_json(private.lock_guest_booking(_access_token, at), at);
end $$;
grant execute on function private.verify_guest_booking to anon, authenticated;

create function public.verify_guest_booking(access_token text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.verify_guest_booking(access_token);
comment on function public.verify_guest_booking is
  'POST /api/bookings/guest/verify: {booking, link, podcast}. Call it when the guest presses a button, never when the '
  'page opens, because mail scanners open it. Confirms a booking that needs no host. Repeating it changes nothing. '
  'Requires the access token, no login. 401 '
  'INVALID or EXPIRED, 409 PODCAST_PENDING_DELETION, 429 RATE_LIMITED over the requests of the guest that wait.';
grant execute on function public.verify_guest_booking to anon, authenticated;
