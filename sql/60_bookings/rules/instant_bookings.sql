-- Bookings by a link that needs no answer of a host: their guests confirm them.
create function private.waits_for_guest(booking public.bookings) returns boolean
language sql immutable security invoker set search_path = ''
return ($1).status = 'pending' and not ($1).requires_confirmation;
comment on function private.waits_for_guest is
  'Whether a request will be confirmed by its guest alone, who has to verify the address. Hosts are not told of it.';

create function private.require_room_for_session(_email text, _booking_link_id uuid, at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  max_ahead constant int := private.get_setting('max_instant_bookings_per_guest')::int;
begin
  -- the lock of the link makes its requests wait for each other
  perform private.raise_rate_limited(format(
    'This address has %s sessions ahead with this booking link; try again after the first of them', max_ahead),
    min(b.end_time))
  from public.bookings b
  where b.guest_email = _email and b.status = 'confirmed' and b.booking_link_id = _booking_link_id and b.end_time > at
    and b.guest_verified_at is not null  -- strangers can request the others
  having count(*) >= max_ahead;
end $$;
comment on function private.require_room_for_session is
  'PT429 RATE_LIMITED over the sessions ahead of a guest by a link that confirms without a host. Only for the holder '
  'of the address.';
