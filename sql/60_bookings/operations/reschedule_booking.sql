-- Moves a booking to another time, which need not be one of the link's slots.
create function private.require_no_session_of_podcast(booking public.bookings, _start_time timestamptz) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform from public.booking_links own
  join public.booking_links l on l.podcast_id = own.podcast_id
  cross join lateral (
    select from public.bookings b
    where b.booking_link_id = l.id and b.status in ('pending', 'confirmed') and b.id <> booking.id
      and tstzrange(b.start_time, b.end_time, '[)')
        && tstzrange(_start_time, _start_time + (booking.end_time - booking.start_time)) limit 1) b
  where own.id = booking.booking_link_id and own.conflict_scope = 'podcast';
  if found then
    perform private.raise_slot_unavailable();
  end if;
end $$;
comment on function private.require_no_session_of_podcast is
  'PT409 SLOT_UNAVAILABLE if the link of a locked booking respects all bookings of the podcast, and another open one '
  'is at the new time.';

create function private.reschedule_booking(_booking_id uuid, _start_time timestamptz, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
declare
  booking public.bookings;
  moved   public.bookings;
begin
  perform private.require_booking_role(_booking_id);
  if not coalesce(_start_time > at
    and _start_time < at + interval '2 years', false)
  then
    raise sqlstate 'PT400' using message = 'start_time must be in the future, within two years';
  end if;
  booking := private.lock_booking(_booking_id);
  perform private.require_open_booking(booking, '{pending,confirmed}', 'rescheduled', at);
  if booking.start_time <> _start_time then
    perform private.require_no_session_of_podcast(booking, _start_time);
    moved := private.move_booking(booking, _start_time,
      _start_time + (booking.end_time - booking.start_time), 'host', at);
    booking := private.announce_booking_change('booking.rescheduled', moved, at, auth.uid(), booking.start_time);
  end if;
  return private.host_booking_json(booking, at);
end $$;
grant execute on function private.reschedule_booking to authenticated;

create function public.reschedule_booking(booking_id uuid, start_time timestamptz) returns jsonb
language sql volatile security invoker set search_path = ''
return private.reschedule_booking(booking_id, start_time);
comment on function public.reschedule_booking is
  'POST /api/bookings/{id}/reschedule: the booking, which keeps its length and status. The time may be any in the '
  'future without another open booking of the link, or of its podcast with the conflict scope podcast. Requires admin. '
  '400, 403, 404, 409 SLOT_UNAVAILABLE, INVALID_STATUS_CHANGE, BOOKING_EXPIRED, BOOKING_STARTED or '
  'PODCAST_PENDING_DELETION, 429 over 10 a day, for all sessions of the podcast with a guest who is not verified.';
grant execute on function public.reschedule_booking to authenticated;
