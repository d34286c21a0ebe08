-- Shared by the booking functions: locks, states and the JSON of bookings. Lock order: idempotency key, rate limit of
-- the caller, podcast, episode or booking link, sessions of the podcast, booking, address of the guest.
create function private.is_expired_booking(booking public.bookings, at timestamptz) returns boolean
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return booking.status = 'pending' and booking.expires_at <= at;
end $$;
comment on function private.is_expired_booking is
  'Whether a request was not confirmed in time. expire_pending_bookings cancels it within a minute.';

-- Links to meetings and private addresses are not for strangers, who can request any time.
create function private.guest_location(booking public.bookings) returns jsonb
language sql immutable security invoker set search_path = ''
return booking.location || case when booking.status <> 'confirmed' then '{"value": null}' else '{}' end::jsonb;
comment on function private.guest_location is
  'The place of a session for its guest: {type, value}, whose value is null unless the booking is confirmed. Null '
  'without a place.';

create function private.booking_json(booking public.bookings, at timestamptz) returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if private.is_expired_booking(booking, at) then  -- as the job will write it
    booking.status := 'cancelled';
    booking.cancelled_by := 'expiry';
    booking.expires_at := null;
  end if;
  return jsonb_build_object(
    'id', booking.id, 'name', booking.name, 'status', booking.status,
    'start', private.format_timestamp(booking.start_time), 'end', private.format_timestamp(booking.end_time),
    'guestName', booking.guest_name, 'guestEmail', booking.guest_email, 'guestTimezone', booking.guest_timezone,
    'guestVerifiedAt', private.format_timestamp(booking.guest_verified_at),
    'notes', booking.notes, 'answers', booking.answers, 'statusMessage', booking.status_message,
    'location', private.guest_location(booking), 'requiresConfirmation', booking.requires_confirmation,
    'cancelledBy', booking.cancelled_by, 'expiresAt', private.format_timestamp(booking.expires_at),
    'createdAt', private.format_timestamp(booking.created_at));
end $$;
comment on function private.booking_json is
  'A booking as its guest sees it. A request that has expired is shown as cancelled by expiry.';

create function private.host_booking_json(booking public.bookings, at timestamptz) returns jsonb
language sql immutable security invoker set search_path = ''
as $$
  select private.booking_json(booking, at) || jsonb_build_object(
    'podcastId', booking.podcast_id, 'bookingLinkId', booking.booking_link_id, 'episodeId', booking.episode_id,
    'location', booking.location, 'guestLocale', booking.guest_locale,
    'guestToldAt', private.format_timestamp(booking.guest_told_at),
    'updatedAt', private.format_timestamp(booking.updated_at))
$$;
comment on function private.host_booking_json is 'A booking as the admins of its podcast see it.';

create function private.guest_booking_json(booking public.bookings, at timestamptz) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'booking', private.booking_json(booking, at),
    'link', (
      select jsonb_build_object('id', l.id, 'name', l.name, 'duration_minutes', l.duration_minutes,
        'timezone', l.timezone)
      from public.booking_links l where l.id = booking.booking_link_id and l.is_active),
    'podcast', (
      select jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'coverImageUrl', p.cover_image_url)
      from public.podcasts p where p.id = booking.podcast_id))
$$;
comment on function private.guest_booking_json is
  'A booking as {booking, link, podcast} for its guest; link is null if it was deleted or is inactive.';

create function private.is_session_ahead(booking_id uuid, at timestamptz) returns boolean
language sql stable security invoker set search_path = ''
return exists (select from public.bookings b where b.id = $1 and b.status = 'confirmed' and b.start_time > $2);
comment on function private.is_session_ahead is 'Whether a booking is confirmed and its session has not begun.';

create function private.lock_slots(_booking_link_id uuid) returns public.booking_links
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  link public.booking_links;
begin
  select l.* into link from public.booking_links l where l.id = _booking_link_id for no key update;
  if link.conflict_scope = 'podcast' then
    -- Two links that respect each other's bookings wait for each other. One that respects only its own needs no lock
    -- against them: the result is the same as if it had taken its slot later.
    perform pg_advisory_xact_lock(hashtextextended('podcast-sessions/' || link.podcast_id, 0));
  end if;
  return link;
end $$;
comment on function private.lock_slots is
  'Locks a booking link, and with the conflict scope podcast the sessions of its podcast, until the transaction ends: '
  'every writer that takes a slot holds this lock. Returns the link; null if it does not exist.';

create function private.lock_booking(_booking_id uuid, ends_it boolean default false) returns public.bookings
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  booking public.bookings;
begin
  select b.* into booking from public.bookings b where b.id = _booking_id;
  if found then
    perform private.require_writable_podcast(booking.podcast_id, is_leaving => ends_it);
    perform private.lock_slots(booking.booking_link_id);
    select b.* into booking from public.bookings b where b.id = _booking_id for no key update;
  end if;
  if not found then
    raise sqlstate 'PT404' using message = 'Booking not found';
  end if;
  return booking;
end $$;
comment on function private.lock_booking is
  'Locks podcast, booking link and booking until the transaction ends. PT404, PT409 PODCAST_PENDING_DELETION unless '
  'the caller ends the booking.';

create function private.require_booking_role(_booking_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  booked_podcast_id uuid;
begin
  perform private.require_user();
  select b.podcast_id into booked_podcast_id from public.bookings b where b.id = _booking_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Booking not found';
  end if;
  perform private.require_role(booked_podcast_id, 'admin');
end $$;
comment on function private.require_booking_role is
  'Requires the admin role on the podcast of a booking. PT401, PT403, PT404.';

create function private.require_open_booking(
  booking public.bookings, statuses public.booking_status[], action text, at timestamptz) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  state constant text := replace(booking.status::text, 'cancelled', 'canceled');
begin
  if private.is_expired_booking(booking, at) then
    raise sqlstate 'PT409' using message = 'The booking request has expired', hint = 'BOOKING_EXPIRED';
  elsif booking.status <> all (statuses) then
    raise sqlstate 'PT409' using hint = 'INVALID_STATUS_CHANGE', message = case
      when state = action then format('The booking is already %s', action)
      else format('The booking is %s, so it cannot be %s', state, action) end;
  elsif booking.start_time <= at then
    raise sqlstate 'PT409' using message = format('The session has begun; it can no longer be %s', action),
      hint = 'BOOKING_STARTED';
  end if;
end $$;
comment on function private.require_open_booking is
  'Requires a booking in one of these statuses whose session has not begun. PT409 BOOKING_EXPIRED, '
  'INVALID_STATUS_CHANGE or BOOKING_STARTED.';

create function private.raise_slot_unavailable() returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  raise sqlstate 'PT409' using message = 'This time is not available; choose another', hint = 'SLOT_UNAVAILABLE';
end $$;
comment on function private.raise_slot_unavailable is 'PT409 SLOT_UNAVAILABLE.';

create function private.offered_slot_end(
  link public.booking_links, _start_time timestamptz, except_booking_id uuid, at timestamptz) returns timestamptz
language plpgsql stable security invoker set search_path = ''
as $$
declare
  day      date;
  slot_end timestamptz;
begin
  if link.is_active and _start_time between at and at + interval '2 years' then
    day := _start_time at time zone link.timezone;
    select s.end_time into slot_end from private.available_slots(link, day, day, at, except_booking_id) s
    where s.start_time = _start_time;
  end if;
  if slot_end is null then
    perform private.raise_slot_unavailable();
  end if;
  return slot_end;
end $$;
comment on function private.offered_slot_end is
  'The end of the slot that availability offers at this time. PT409 SLOT_UNAVAILABLE if it offers none.';

-- Both sides can change a booking, and each change sends emails.
create function private.consume_booking_move(booking public.bookings, actor text, at timestamptz) returns void
language sql volatile security invoker set search_path = ''
return private.consume_rate_limit(case
  -- a host must not write to the address of another person by changing several sessions
  when $2 = 'host' and ($1).guest_verified_at is null
    then private.email_rate_limit_key('booking_moves', ($1).podcast_id || '/' || ($1).guest_email)
  else 'booking_moves:' || $2 || ':' || ($1).id end, 10, interval '1 day', $3);
comment on function private.consume_booking_move is
  'Counts a change of a booking''s time or place. PT429 RATE_LIMITED over 10 a day by the host or the guest; by the '
  'hosts of a podcast, over 10 a day for all sessions of a guest who is not verified.';

create function private.move_booking(
  booking public.bookings, _start_time timestamptz, _end_time timestamptz, actor text, at timestamptz)
returns public.bookings
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.consume_booking_move(booking, actor, at);
  update public.bookings b set start_time = _start_time, end_time = _end_time,
    expires_at = case when b.status = 'pending'
      then least(_start_time, private.booking_expiry(b.created_at, b.requires_confirmation)) end
  where b.id = booking.id returning b.* into booking;
  return booking;
exception when exclusion_violation then
  perform private.raise_slot_unavailable();
end $$;
comment on function private.move_booking is
  'Moves a locked booking. PT409 SLOT_UNAVAILABLE, PT429 RATE_LIMITED as consume_booking_move.';

create function private.booking_expiry(requested_at timestamptz, requires_confirmation boolean) returns timestamptz
language sql stable security invoker set search_path = ''
return requested_at + make_interval(hours => private.get_setting(
  case when $2 then 'pending_booking_ttl_hours' else 'instant_booking_ttl_hours' end)::int);
comment on function private.booking_expiry is
  'Until when a request waits, for the answer of a host or only for its guest to verify the address, if its session '
  'does not begin before.';

create function private.find_guest_booking(_access_token text, at timestamptz) returns public.bookings
language plpgsql stable security invoker set search_path = ''
as $$
declare
  token   private.access_tokens := private.find_access_token(
    _access_token, 'booking', '-infinity');  -- expired ones too
  booking public.bookings;
begin
  if token.expires_at <= at then
    raise sqlstate 'PT401' using message = 'The link has expired', hint = 'EXPIRED';
  end if;
  select b.* into booking from public.bookings b where b.id = token.subject_id;
  if not found then
    raise sqlstate 'PT401' using message = 'Invalid access token', hint = 'INVALID';
  end if;
  return booking;
end $$;
comment on function private.find_guest_booking is 'The booking of an access token. PT401 INVALID or EXPIRED.';

create function private.lock_guest_booking(
  _access_token text, at timestamptz, ends_it boolean default false, confirms boolean default true)
returns public.bookings
language sql volatile security invoker set search_path = ''
return private.verify_booking(private.lock_booking(
  (private.find_guest_booking(_access_token, at)).id, ends_it), at, not ends_it, confirms);
comment on function private.lock_guest_booking is
  'The booking of an access token, for an act of its guest: locked until the transaction ends, and verified, because '
  'the token was only in an email. PT401 INVALID or EXPIRED, PT409 PODCAST_PENDING_DELETION and PT429 RATE_LIMITED '
  'over the requests of the guest that wait, unless the guest ends this one.';

create function private.lock_booked_episode(_booking_id uuid, _episode_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  booked_podcast_id uuid := (select b.podcast_id from public.bookings b where b.id = _booking_id);
begin
  perform private.require_writable_podcast(booked_podcast_id);  -- deletions lock the podcast before the episode
  perform from public.episodes e
  where e.id = _episode_id and e.podcast_id = booked_podcast_id for key share;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
end $$;
comment on function private.lock_booked_episode is
  'Keeps an episode of the booking''s podcast until the transaction ends. PT404, PT409 PODCAST_PENDING_DELETION.';
