-- Declines a requested booking.
create function private.decline_booking(_booking_id uuid, _message text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
begin
  perform private.require_booking_role(_booking_id);
  return private.host_booking_json(private.answer_booking(private.lock_booking(_booking_id), 'declined',
    _message, at, _actor_id => auth.uid()), at);
end $$;
grant execute on function private.decline_booking to authenticated;

create function public.decline_booking(booking_id uuid, message text default null) returns jsonb
language sql volatile security invoker
return private.decline_booking(booking_id, message);
comment on function public.decline_booking is
  'POST /api/bookings/{id}/decline: the booking. The guest is emailed, with the message of at most 2,000 characters. '
  'Requires admin. 400, 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED or PODCAST_PENDING_DELETION, '
  '429 over the emails to a guest who is not verified.';
grant execute on function public.decline_booking to authenticated;
