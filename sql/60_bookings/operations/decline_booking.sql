-- Declines a requested booking.
create function private.decline_booking(booking_id uuid, message text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
begin
  perform private.require_booking_role(decline_booking.booking_id);
  return private.host_booking_json(private.answer_booking(private.lock_booking(decline_booking.booking_id), 'declined',
    decline_booking.message, decline_booking.at, actor_id => auth.uid()), decline_booking.at);
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
  'Requires admin. 400, 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED or PODCAST_PENDING_DELETION, '
  '429 over the emails to a guest who is not verified.';
grant execute on function public.decline_booking to authenticated;
