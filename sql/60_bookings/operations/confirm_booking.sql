-- Confirms a requested booking.
create function private.confirm_booking(_booking_id uuid, _episode_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
begin
  perform private.require_booking_role(_booking_id);
  if _episode_id is not null then
    perform private.lock_booked_episode(_booking_id, _episode_id);
  end if;
  return private.host_booking_json(private.answer_booking(private.lock_booking(_booking_id), 'confirmed',
    null, at, _episode_id, _actor_id => auth.uid()), at);
end $$;
grant execute on function private.confirm_booking to authenticated;

create function public.confirm_booking(booking_id uuid, episode_id uuid default null) returns jsonb
language sql volatile security invoker
return private.confirm_booking(booking_id, episode_id);
comment on function public.confirm_booking is
  'POST /api/bookings/{id}/confirm: the booking. An episode_id links the session with an episode of the podcast. '
  'Requires admin. 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED or PODCAST_PENDING_DELETION, '
  '429 over the emails to a guest who is not verified.';
grant execute on function public.confirm_booking to authenticated;
