-- Confirms a requested booking.
create function public.confirm_booking(booking_id uuid, episode_id uuid default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.answer_booking_as_host(booking_id, 'confirmed', _episode_id => episode_id);
comment on function public.confirm_booking is
  'POST /api/bookings/{id}/confirm: the booking. An episode_id links the session with an episode of the podcast. '
  'Requires admin. 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED or PODCAST_PENDING_DELETION.';
grant execute on function public.confirm_booking to authenticated;
