-- Confirms a requested booking.
create function private.confirm_booking(booking_id uuid, episode_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
begin
  perform private.require_booking_role(confirm_booking.booking_id);
  if confirm_booking.episode_id is not null then
    perform private.lock_booked_episode(confirm_booking.booking_id, confirm_booking.episode_id);
  end if;
  return private.host_booking_json(private.answer_booking(private.lock_booking(confirm_booking.booking_id), 'confirmed',
    null, confirm_booking.at, confirm_booking.episode_id, actor_id => auth.uid()), confirm_booking.at);
end $$;
comment on function private.confirm_booking is
  'Implementation of confirm_booking (security definer). Checks the role itself.';
grant execute on function private.confirm_booking to authenticated;

create function public.confirm_booking(booking_id uuid, episode_id uuid default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.confirm_booking(confirm_booking.booking_id, confirm_booking.episode_id);
end $$;
comment on function public.confirm_booking is
  'POST /api/bookings/{id}/confirm: the booking. An episode_id links the session with an episode of the podcast. '
  'Requires admin. 403, 404, 409 INVALID_STATUS_CHANGE, BOOKING_EXPIRED or PODCAST_PENDING_DELETION, '
  '429 over the emails to a guest who is not verified.';
grant execute on function public.confirm_booking to authenticated;
