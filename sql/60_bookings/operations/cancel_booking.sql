-- Cancels a booking, which frees its slot.
create function private.cancel_booking(_booking_id uuid, _message text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
begin
  perform private.require_booking_role(_booking_id);
  return private.host_booking_json(private.answer_booking(private.lock_booking(_booking_id), 'cancelled',
    _message, at, _cancelled_by => 'host', _actor_id => auth.uid()), at);
end $$;
grant execute on function private.cancel_booking to authenticated;

create function public.cancel_booking(booking_id uuid, message text default null) returns jsonb
language sql volatile security invoker
return private.cancel_booking(booking_id, message);
comment on function public.cancel_booking is
  'POST /api/bookings/{id}/cancel: the booking. The guest is emailed, with the message of at most 2,000 characters. '
  'Requires admin. 400, 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED, BOOKING_STARTED or '
  'PODCAST_PENDING_DELETION.';
grant execute on function public.cancel_booking to authenticated;
