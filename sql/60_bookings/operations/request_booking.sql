-- Books a slot for a guest, until a host confirms or declines it, or confirms it at once.
create function private.lock_bookable_link(_booking_link_id uuid) returns public.booking_links
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  link public.booking_links;
begin
  perform from public.podcasts p
  where p.id = (select l.podcast_id from public.booking_links l where l.id = _booking_link_id)
    and p.status <> 'pending_deletion'
  for key share;  -- keeps the podcast's status until the transaction ends
  if found then
    link := private.lock_slots(_booking_link_id);
  end if;
  if link.is_active is not true then
    raise sqlstate 'PT404' using message = 'Booking link not found';
  end if;
  return link;
end $$;
comment on function private.lock_bookable_link is
  'Returns an active booking link, locked, so that one request at a time takes a slot. PT404.';

create function private.request_booking(
  _booking_link_id uuid, _start_time timestamptz, _guest_name text, _guest_email text, _guest_timezone text,
  _notes text, _answers jsonb, _episode_id uuid, _locale text, idempotency_key text, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants
set search_path = ''
as $$
declare
  email       constant text := private.normalize_email(_guest_email);
  digest      constant bytea := private.booking_request_digest(_booking_link_id, idempotency_key);
  body_digest constant bytea := sha256(convert_to(jsonb_build_array(_start_time, _guest_name,
    _guest_email, _guest_timezone, _notes, _answers, _episode_id, _locale)::text, 'UTF8'));
  sender      constant text := private.email_sender();
  sender_digest constant bytea := private.booking_sender_digest(sender, _booking_link_id);
  network_digest constant bytea := case when sender like 'network:%' then private.email_window_digest(sender) end;
  verified_at constant timestamptz := case when email = private.my_confirmed_email() then at end;
  link        public.booking_links;
  booking     public.bookings;
  problem     text;
  response    jsonb := private.find_booking_response(digest, body_digest, at);
begin
  perform set_config('response.status', '201', true);
  if response is not null then
    return response;
  end if;
  -- the errors of constraints would print the row, with its address, into the log
  perform private.require_email(email, 'guest_email');
  problem := case
    when (char_length(private.normalize_line(_guest_name)) <= 200 and not private.is_blank(_guest_name)) is not true
      then 'guest_name must be 1 to 200 characters'
    when private.is_language_tag(_locale) is not true then 'locale must be a BCP 47 tag, for example en or de-AT'
    when char_length(private.clean_text(_notes)) > 4000 then 'notes must be at most 4,000 characters' end;
  if problem is not null then
    raise sqlstate 'PT400' using message = problem;
  end if;
  -- before the lock of the link, so that a caller over the limit does not delay others
  perform private.consume_rate_limit(
    'booking_requests:' || concat(sender, '/', _booking_link_id),
    private.get_setting('max_bookings_per_hour')::int, interval '1 hour', at);
  -- first without the lock of the link: a request that fails costs what reading availability costs, and delays no other
  link := private.require_offered_link(_booking_link_id);
  perform private.clean_answers(_answers, link.questions);
  perform private.offered_slot_end(link, _start_time, null, at);
  link := private.lock_bookable_link(_booking_link_id);
  if _episode_id is not null then
    perform from public.episodes e where e.id = _episode_id and e.podcast_id = link.podcast_id
      -- ids of published ones are public, and no host would see what automations then write into one
      and (link.requires_confirmation or e.status in ('draft', 'scheduled'))
    for key share;
    if not found then
      raise sqlstate 'PT404' using message = 'Episode not found';
    end if;
  end if;
  booking.answers := private.clean_answers(_answers, link.questions);
  booking.end_time := private.offered_slot_end(link, _start_time, null, at);
  if verified_at is null then
    perform private.require_room_of_sender(sender_digest);
  elsif link.requires_confirmation then
    perform private.require_room_of_guest(email);
  else
    perform private.require_room_for_session(email, link.id, at);
  end if;
  begin
    insert into public.bookings as b (booking_link_id, podcast_id, episode_id, name, start_time, end_time, guest_name,
      guest_email, guest_timezone, guest_locale, guest_verified_at, guest_told_at, notes, answers, location,
      requires_confirmation, expires_at, created_at)
    values (link.id, link.podcast_id, _episode_id, link.name, _start_time,
      booking.end_time, _guest_name, email,
      private.normalize_timezone(private.timezone_or_utc(_guest_timezone)),  -- browsers can report an unknown one
      _locale, verified_at, verified_at, private.clean_text(_notes), booking.answers, link.location,
      link.requires_confirmation, least(_start_time, private.booking_expiry(at, link.requires_confirmation)), at)
    returning b.* into booking;
  exception when exclusion_violation then
    perform private.raise_slot_unavailable();
  end;
  if verified_at is null and sender like 'user:%' then  -- emails that a network causes wait instead
    perform private.consume_email_budget(sender, email, at);
  end if;
  insert into private.unverified_bookings (booking_id, sender_digest, network_digest)
  select booking.id, sender_digest, network_digest where verified_at is null;
  if link.requires_confirmation then
    booking := private.announce_booking_request(booking, sender_digest, at);
  end if;
  -- without room for its email the request stands: others must not keep the holder of the address from booking
  if verified_at is not null and not link.requires_confirmation then
    booking := private.answer_booking(booking, 'confirmed', null, at);
  else
    booking := private.tell_guest('booking.requested', booking, private.booking_payload(booking, null, null), at);
  end if;
  response := private.guest_booking_json(booking, at) || jsonb_build_object('email', jsonb_build_object(
    'status', case when booking.guest_told_at <= at then 'queued' else 'waiting' end,
    'dueAt', private.format_timestamp(booking.guest_told_at)));
  perform private.store_booking_response(digest, body_digest, booking.id, response, at);
  return response;
end $$;
grant execute on function private.request_booking to anon, authenticated;

create function public.request_booking(
  booking_link_id uuid, start_time timestamptz, guest_name text, guest_email text, guest_timezone text default 'UTC',
  notes text default null, answers jsonb default '{}', episode_id uuid default null, locale text default 'en',
  idempotency_key text default null
) returns jsonb
language sql volatile security invoker set search_path = ''
return private.request_booking(booking_link_id, start_time, guest_name, guest_email, guest_timezone, notes, answers,
  episode_id, locale, idempotency_key);
comment on function public.request_booking is
  'POST /api/bookings: 201 {booking, link, podcast, email: {status, dueAt}}. Requires no login. Books a slot of '
  'get_availability until a host answers, and emails the guest a link to manage it, on the next day if many requests '
  'named the address, or once there is room (dueAt is null). Callers who book with '
  'their own confirmed address are verified at once. A link whose requires_confirmation is false confirms the booking '
  'then, or as soon as the guest verifies it. An unknown guest_timezone is UTC. '
  'answers are texts by question id. A repeated idempotency_key '
  'returns the first response for 24 hours. 400, 403 SENDING_STOPPED, 404, 409 SLOT_UNAVAILABLE or '
  'IDEMPOTENCY_KEY_REUSED, 429 RATE_LIMITED over the caller''s requests, a user''s emails to the address, or the '
  'requests of a verified caller that wait or the sessions ahead.';
grant execute on function public.request_booking to anon, authenticated;
