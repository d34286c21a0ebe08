-- Declines a requested booking.
create function private.decline_booking(booking_id uuid, message text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
declare
  booking public.bookings;
begin
  perform private.require_booking_role(decline_booking.booking_id);
  booking := private.lock_booking(decline_booking.booking_id);
  perform private.require_open_booking(booking, '{pending}', 'declined', decline_booking.at);
  update public.bookings b set status = 'declined', expires_at = null,
    status_message = private.clean_booking_message(decline_booking.message)
  where b.id = booking.id returning b.* into booking;
  perform private.announce_booking_change('booking.declined', booking, decline_booking.at, auth.uid());
  return private.host_booking_json(booking, decline_booking.at);
end $$;
comment on function private.decline_booking is
  'Implementation of decline_booking (security definer). Checks the role itself.';
grant execute on function private.decline_booking to authenticated;

create function public.decline_booking(booking_id uuid, message text default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.decline_booking(decline_booking.booking_id, decline_booking.message);
end $$;
comment on function public.decline_booking is
  'POST /api/bookings/{id}/decline: the booking. The guest is emailed, with the message of at most 2,000 characters. '
  'Requires admin. 400, 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED or PODCAST_PENDING_DELETION.';
grant execute on function public.decline_booking to authenticated;
