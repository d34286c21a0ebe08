-- Answers to a booking: its guest verifies it, which confirms it if no host has to, a host confirms or declines it,
-- and either of them cancels it.
create function private.verify_booking(
  booking public.bookings, at timestamptz, keeps_request boolean, confirms boolean) returns public.bookings
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  is_waiting constant boolean := booking.status = 'pending' and not private.is_expired_booking(booking, at);
  unverified private.unverified_bookings;
begin
  if booking.guest_verified_at is null then
    if is_waiting and keeps_request then
      perform private.require_room_of_guest(booking.guest_email)
      where booking.requires_confirmation;
      perform private.require_room_for_session(booking.guest_email, booking.booking_link_id, at)
      where not booking.requires_confirmation;
    end if;
    delete from private.unverified_bookings u where u.booking_id = booking.id returning u.* into unverified;
    update public.bookings b set guest_verified_at = at, guest_told_at = least(b.guest_told_at, at)
    where b.id = booking.id returning b.* into booking;
    if not is_waiting then
      return booking;
    elsif not booking.requires_confirmation then
      return case when keeps_request and confirms then private.answer_booking(booking, 'confirmed', null, at)
        else booking end;
    elsif booking.hosts_told_at is null then
      booking := private.announce_booking_request(booking, unverified.sender_digest, at);
    end if;
  end if;
  return booking;
end $$;
comment on function private.verify_booking is
  'Records that the guest of a locked booking shows that the address is theirs. A request that needs no host is '
  'confirmed then, unless its guest is about to cancel or move it; of another one the hosts are told if they were '
  'not. PT429 RATE_LIMITED over the requests of the guest that wait, or over the sessions ahead, if this one still '
  'waits.';

create function private.answer_booking(
  booking public.bookings, _status public.booking_status, _message text, at timestamptz, _episode_id uuid default null,
  _cancelled_by text default null, _actor_id uuid default null) returns public.bookings
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  waited_for_guest constant boolean := private.waits_for_guest(booking);
begin
  perform private.require_open_booking(booking,
    (case when _status = 'cancelled' then '{pending,confirmed}' else '{pending}' end)
      ::public.booking_status[],
    case when _status = 'cancelled' then 'canceled' else _status::text end, at);
  update public.bookings b set status = _status, expires_at = null,
    episode_id = coalesce(_episode_id, b.episode_id), cancelled_by = _cancelled_by,
    confirmed_by = case when _status = 'confirmed' then _actor_id else b.confirmed_by end,
    status_message = private.clean_booking_message(_message)
  where b.id = booking.id returning b.* into booking;
  return private.announce_booking_change('booking.' || booking.status, booking, at, _actor_id,
    tells_hosts => not waited_for_guest or booking.status = 'confirmed');
end $$;
comment on function private.answer_booking is
  'Confirms, declines or cancels a locked booking for the host or the guest, and notifies. PT400, PT409 '
  'INVALID_STATUS_CHANGE, BOOKING_EXPIRED or BOOKING_STARTED.';

create function private.answer_booking_as_host(
  _booking_id uuid, _status public.booking_status, _message text default null, _episode_id uuid default null,
  at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on bookings
set search_path = ''
as $$
begin
  perform private.require_booking_role(_booking_id);
  if _episode_id is not null then
    perform private.lock_booked_episode(_booking_id, _episode_id);
  end if;
  return private.host_booking_json(private.answer_booking(
    private.lock_booking(_booking_id, ends_it => _status <> 'confirmed'), _status, _message, at, _episode_id,
    case when _status = 'cancelled' then 'host' end, auth.uid()), at);
end $$;
comment on function private.answer_booking_as_host is
  'Confirms, declines or cancels a booking; returns it. Requires admin. As answer_booking; PT401, PT403, PT404.';
grant execute on function private.answer_booking_as_host to authenticated;  -- checks the role itself
