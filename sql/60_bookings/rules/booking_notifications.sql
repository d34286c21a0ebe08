-- What a change of a booking writes: notifications of the hosts, and the email to the guest with the entry of the
-- guest's calendar.
create function private.booking_calendar_event(booking public.bookings) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  is_open       boolean := booking.status in ('pending', 'confirmed');
  podcast       public.podcasts;
  podcast_title text;
begin
  select p.* into podcast from public.podcasts p where p.id = booking.podcast_id;
  podcast_title := coalesce(private.without_links(podcast.title), podcast.slug);
  return jsonb_build_object(
    'uid', booking.calendar_uid,
    'method', case when is_open then 'REQUEST' else 'CANCEL' end,
    'status', case booking.status when 'pending' then 'TENTATIVE' when 'confirmed' then 'CONFIRMED'
      else 'CANCELLED' end,
    'sequence', booking.sequence,
    'start', private.format_timestamp(booking.start_time), 'end', private.format_timestamp(booking.end_time),
    'summary', concat_ws(' · ', private.without_links(booking.name), podcast_title), 'description', '',
    -- no member's address is shown
    'organizer', jsonb_strip_nulls(jsonb_build_object('name', podcast_title, 'email', booking.calendar_organizer)),
    'attendee', jsonb_strip_nulls(jsonb_build_object('email', booking.guest_email, 'name',
      case when booking.guest_verified_at is not null then private.without_links(booking.guest_name) end)))
    || private.calendar_place(booking, keeps_links => booking.guest_verified_at is not null);
end $$;
comment on function private.booking_calendar_event is
  'The calendar entry of a booking for its guest, as private.notify() takes it. Without an organizer of its own it has '
  'that of the first email.';

create function private.calendar_place(booking public.bookings, keeps_links boolean) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'location', case when $2 then l.location ->> 'value' else private.without_active_links(l.location ->> 'value') end,
    'url', case when $2 and l.location ->> 'type' = 'link' then l.location ->> 'value' end))
  from private.guest_location($1) l (location)
$$;
comment on function private.calendar_place is
  'The place of a confirmed session in a calendar entry: {location, url}, with a url if the place is a link. For a '
  'guest who is not verified, whose address may be a stranger''s, the link is plain text.';

create function private.booking_payload(
  booking public.bookings, actor_id uuid, previous_start_time timestamptz) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'podcast_id', booking.podcast_id, 'booking_id', booking.id, 'actor_id', $2,
    'params', jsonb_build_object(
      'guest', booking.guest_name, 'link_name', booking.name, 'message', booking.status_message,
      'location', private.guest_location(booking) ->> 'value',
      'start_at', private.format_timestamp(booking.start_time),
      'previous_start_at', private.format_timestamp($3),
      'timezone', (select l.timezone from public.booking_links l where l.id = booking.booking_link_id),
      'variant', case when $3 is not null and booking.status = 'pending' then 'pending' else booking.cancelled_by end)))
$$;
comment on function private.booking_payload is
  'The payload of an event of a booking. What a guest wrote is in params, which the event does not keep.';

create function private.booking_guest_event(
  _type text, booking public.bookings, payload jsonb, has_link boolean default true) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  is_verified constant boolean := booking.guest_verified_at is not null;
  variant     constant text := case
    when private.waits_for_guest(booking) then 'instant'
    when booking.cancelled_by = 'expiry' and not booking.requires_confirmation then 'instant_expiry'
    when _type = 'booking.requested' and not is_verified then 'unverified'
    else payload #>> '{params,variant}' end;
begin
  return jsonb_build_object(
    'recipients', jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
      'email', booking.guest_email, 'is_unsolicited', not is_verified,
      'name', case when is_verified then booking.guest_name end,  -- else anyone may have typed it
      'locale', booking.guest_locale,
      'timezone', booking.guest_timezone,
      -- found by the link when it is sent, if there is one
      'reply_to', case when not has_link then private.booking_reply_to(booking.id) end,
      'url', case when has_link then private.get_setting('booking_url') end,
      'access', case when has_link then jsonb_build_object('kind', 'booking', 'subject_id', booking.id,
        'expires_at', private.format_timestamp(booking.end_time + interval '7 days')) end,
      -- an address that anyone can type gets no calendar entry by a request, and a reminder changes none
      'calendar_event', case when _type not in ('booking.requested', 'booking.reminder')
        then private.booking_calendar_event(booking) end))),
    'payload', (payload - 'actor_id') || jsonb_build_object('params', ((payload -> 'params') - 'guest')
      || jsonb_strip_nulls(jsonb_build_object('variant', variant))));
end $$;
comment on function private.booking_guest_event is
  'The event that emails the guest of a booking about its state, as private.notify_each() takes it. The email has the '
  'link to manage the booking unless it is being deleted, and shows no name that a stranger may have typed.';

create function private.notify_booking_hosts(
  _type text, booking public.bookings, payload jsonb, at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  actor_id constant uuid := payload ->> 'actor_id';
begin
  perform private.notify(_type, h.recipients, payload || h.more, _group_key => 'booking:' || booking.id,
    _link => format('/podcasts/%s/bookings/%s', booking.podcast_id, booking.id), at => at)
  from (values
    (private.team_recipients(booking.podcast_id, 'admin', actor_id), '{}'::jsonb),
    (private.user_recipients(actor_id), '{"email_only": true}')) h (recipients, more)
  where h.recipients <> '[]' and (h.more = '{}' or _type <> 'booking.declined' and booking.status <> 'pending');
end $$;
comment on function private.notify_booking_hosts is
  'Notifies owner and admins of a change of a booking. The actor knows of it, and gets only the email with the entry '
  'for their calendar, if they need one.';

-- Strangers' requests must not hide those of others.
create function private.announce_booking_request(booking public.bookings, sender_digest bytea, at timestamptz)
returns public.bookings
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not private.has_notice_left('booking_requests:' || encode(sender_digest, 'hex'), 10, at)
    or booking.guest_verified_at is null
      and not private.has_notice_left('booking_requests:' || booking.booking_link_id, 50, at)
  then
    return booking;
  end if;
  perform private.notify_booking_hosts('booking.requested', booking, private.booking_payload(booking, null, null), at);
  update public.bookings b set hosts_told_at = at where b.id = booking.id returning b.* into booking;
  return booking;
end $$;
comment on function private.announce_booking_request is
  'Notifies the hosts of a request within daily limits, one per sender, and one per link for requests of unverified '
  'guests. Returns the booking, with hosts_told_at if they were told.';

create function private.tell_guest(
  _type text, booking public.bookings, payload jsonb, at timestamptz) returns public.bookings
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ends_at constant timestamptz := coalesce(booking.expires_at, booking.start_time);
  event   jsonb;
begin
  if booking.guest_told_at is null then
    booking.guest_told_at := private.first_guest_email_time(booking.podcast_id, booking.guest_email, at, ends_at,
      (select u.network_digest from private.unverified_bookings u where u.booking_id = booking.id));
    if booking.guest_told_at is null then
      return booking;
    end if;
    update public.bookings b set guest_told_at = booking.guest_told_at where b.id = booking.id
    returning b.* into booking;
    update private.unverified_bookings u set network_digest = null where u.booking_id = booking.id;
  end if;
  if booking.guest_told_at > at and booking.guest_told_at >= ends_at then
    return booking;  -- the session was moved ahead of its first email
  end if;
  event := private.booking_guest_event(_type, booking, payload);
  perform private.notify(_type, event -> 'recipients', event -> 'payload',
    _scheduled_for => nullif(greatest(booking.guest_told_at, at), at), at => at);
  return booking;
end $$;
comment on function private.tell_guest is
  'Emails the guest of a booking about a change: at once, but to a guest who is not verified no sooner than the first '
  'email is due. Returns the booking. Without guest_told_at there was no email, because no day has room for the first '
  'one; tell_untold_guest tries again.';

create function private.announce_booking_change(
  _type text, booking public.bookings, at timestamptz, _actor_id uuid default null,
  previous_start_time timestamptz default null, tells_hosts boolean default true, tells_guest boolean default true)
returns public.bookings
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  payload jsonb := private.booking_payload(booking, _actor_id, previous_start_time);
begin
  if _type = 'booking.rescheduled' and previous_start_time is null then
    payload := jsonb_set(payload, '{params,variant}', '"place"');
  end if;
  if tells_hosts and not private.waits_for_guest(booking) then
    -- of each change, so that the last notice is true; move_booking limits the moves
    perform private.notify_booking_hosts(case
      when booking.status = 'pending' then 'booking.requested' else _type end, booking, payload, at);
  end if;
  if tells_guest then
    booking := private.tell_guest(_type, booking, payload, at);
  end if;
  return booking;
end $$;
comment on function private.announce_booking_change is
  'Notifies guest and hosts of a changed booking, except the host who changed it; a moved request asks for an answer '
  'again, and a rescheduled session without a previous time has another place. Returns it, as tell_guest.';
