-- Cancels a booking, which frees its slot.
create function public.cancel_booking(booking_id uuid, message text default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.answer_booking_as_host(booking_id, 'cancelled', message);
comment on function public.cancel_booking is
  'POST /api/bookings/{id}/cancel: the booking. The guest is emailed, with the message of at most 2,000 characters. '
  'Requires admin. 400, 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED or BOOKING_STARTED.';
grant execute on function public.cancel_booking to authenticated;
