-- Sets the place of one booking, or removes it.
create function private.set_booking_location(_booking_id uuid, _location jsonb, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
declare
  new_location constant jsonb := private.clean_session_location(_location);
  problem      constant text := private.session_location_error(new_location);
  booking      public.bookings;
begin
  perform private.require_booking_role(_booking_id);
  if problem is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = problem;
  end if;
  booking := private.lock_booking(_booking_id);
  perform private.require_open_booking(booking, '{pending,confirmed}', 'given another place', at);
  if booking.location is distinct from new_location then
    perform private.consume_booking_move(booking, 'host', at);  -- the guest gets an email, too
    update public.bookings b set location = new_location where b.id = _booking_id returning b.* into booking;
    if booking.status = 'confirmed' then
      booking := private.announce_booking_change('booking.rescheduled', booking, at, auth.uid());
    end if;
  end if;
  return private.host_booking_json(booking, at);
end $$;
grant execute on function private.set_booking_location to authenticated;

create function public.set_booking_location(booking_id uuid, location jsonb) returns jsonb
language sql volatile security invoker set search_path = ''
return private.set_booking_location(booking_id, location);
comment on function public.set_booking_location is
  'PUT /api/bookings/{id}/location: the booking, whose place is {type: link, phone, in_person or custom, value: at '
  'most 500 characters, an http or https URL for a link}, or null. The guest and the other hosts of a confirmed '
  'booking are told. Requires admin. 400, 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED, BOOKING_STARTED or '
  'PODCAST_PENDING_DELETION, 429 over 10 moves and places a day, or over the emails to a guest who is not verified.';
grant execute on function public.set_booking_location to authenticated;
