-- Returns the booking of an access token.
create function private.get_guest_booking(_access_token text, at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
begin
  return private.guest_booking_json(private.find_guest_booking(_access_token, at), at);
end $$;
grant execute on function private.get_guest_booking to anon, authenticated;

create function public.get_guest_booking(access_token text) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_guest_booking(access_token);
comment on function public.get_guest_booking is
  'POST /api/bookings/guest: {booking, link, podcast}; link is null if it cannot be booked any longer. Verifies '
  'nothing, because mail scanners open links. Requires the access token, no login. 401 INVALID or EXPIRED.';
grant execute on function public.get_guest_booking to anon, authenticated;
