-- Declines a requested booking.
create function public.decline_booking(booking_id uuid, message text default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.answer_booking_as_host(booking_id, 'declined', message);
comment on function public.decline_booking is
  'POST /api/bookings/{id}/decline: the booking. The guest is emailed, with the message of at most 2,000 characters. '
  'Requires admin. 400, 403, 404, 409 INVALID_STATUS_CHANGE or BOOKING_EXPIRED.';
grant execute on function public.decline_booking to authenticated;
