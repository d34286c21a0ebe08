-- Cancels a booking, which frees its slot.
create function private.cancel_booking(booking_id uuid, message text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
begin
  perform private.require_booking_role(cancel_booking.booking_id);
  return private.host_booking_json(private.answer_booking(private.lock_booking(cancel_booking.booking_id), 'cancelled',
    cancel_booking.message, cancel_booking.at, cancelled_by => 'host', actor_id => auth.uid()), cancel_booking.at);
end $$;
comment on function private.cancel_booking is
  'Implementation of cancel_booking (security definer). Checks the role itself.';
grant execute on function private.cancel_booking to authenticated;

create function public.cancel_booking(booking_id uuid, message text default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.cancel_booking(cancel_booking.booking_id, cancel_booking.message);
end $$;
comment on function public.cancel_booking is
  'POST /api/bookings/{id}/cancel: the booking. The guest is emailed, with the message of at most 2,000 characters. '
  'Requires admin. 400, 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED, BOOKING_STARTED or '
  'PODCAST_PENDING_DELETION.';
grant execute on function public.cancel_booking to authenticated;
