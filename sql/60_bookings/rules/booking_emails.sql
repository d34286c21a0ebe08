-- What the emails about a booking show beyond the notification, as the booking is when they are sent.
create function private.mark_quotation(value text, is_verified boolean) returns text
language sql immutable security invoker set search_path = ''
return regexp_replace(case when $2 then $1 else private.without_active_links($1) end, '^', '> ', 'gn');
comment on function private.mark_quotation is
  'Text of a guest with each line marked, so that none can pass for ours. That of a guest who is not verified has no '
  'links.';

create function private.booking_details(booking public.bookings, language text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  is_verified constant boolean := booking.guest_verified_at is not null;
begin
  return private.shorten_text(concat_ws(E'\n\n',
    concat_ws(E'\n',
      private.render_text(private.get_text(language, 'booking_details.guest'),
        jsonb_build_object('email', booking.guest_email, 'name', case when is_verified then booking.guest_name
          else private.without_active_links(booking.guest_name) end)),
      case when not is_verified then private.get_text(language, 'booking_details.unverified') end,
      private.render_text(private.get_text(language, 'booking_details.timezone'),
        jsonb_build_object('timezone', booking.guest_timezone))),
    private.get_text(language, 'booking_details.notes') || E'\n' || private.mark_quotation(booking.notes, is_verified),
    (select string_agg(a.label || E'\n' || private.mark_quotation(a.answer, is_verified), E'\n\n' order by a.n)
      from private.labelled_answers(booking) a)), 8000);
end $$;
comment on function private.booking_details is
  'What hosts need to know of a booking: who the guest is, the time zone, the notes and the answers.';

create function private.has_session_in_calendar(booking public.bookings, user_id uuid) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (
    select from public.connected_calendars c join public.calendar_connections n on n.id = c.connection_id
    where c.user_id = $2 and c.is_writable and c.events_error is null and n.status <> 'revoked' and c.id = coalesce(
      (select e.calendar_id from private.calendar_events e where e.booking_id = $1.id),
      private.find_receiving_calendar($1.podcast_id)))
$$;
comment on function private.has_session_in_calendar is
  'Whether the connected calendar of a host has the event of a booking, or will receive it.';

create function private.host_calendar_event(booking public.bookings, user_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select private.booking_calendar_event($1) || private.calendar_place($1, keeps_links => true) || jsonb_build_object(
    'summary', s.event -> 'summary', 'description', s.event -> 'description',
    'attendee', jsonb_build_object('email', (select lower(u.email) from auth.users u where u.id = $2)))
  from private.session_event($1, $2) s (event)
$$;
comment on function private.host_calendar_event is
  'The calendar entry of a booking for a host, who reads there who the guest is.';

create function private.booking_host_email(_type text, _booking_id uuid, _user_id uuid, language text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  booking public.bookings;
begin
  select b.* into booking from public.bookings b where b.id = _booking_id;
  if not found then
    return '{}';
  end if;
  return jsonb_build_object(
    'details', private.booking_details(booking, language),
    'replyTo', booking.guest_email,
    'hasSession', private.has_session_in_calendar(booking, _user_id),
    'calendarEvent', case when booking.status in ('confirmed', 'cancelled')
        and _type in ('booking.confirmed', 'booking.rescheduled', 'booking.cancelled')
      then private.host_calendar_event(booking, _user_id) end);
end $$;
comment on function private.booking_host_email is
  'Of the email to a host about a booking {details, replyTo, hasSession, calendarEvent}: text about the guest, the '
  'guest''s address, whether a connected calendar has the session, and the calendar entry. {} if it was deleted.';

create function private.booking_reply_to(_booking_id uuid) returns text
language sql stable security invoker set search_path = ''
as $$
  select private.confirmed_email_of(m.user_id)
  from public.bookings b
  join public.podcast_members m on m.podcast_id = b.podcast_id and m.user_id = b.confirmed_by and m.role >= 'admin'
  where b.id = _booking_id
$$;
comment on function private.booking_reply_to is
  'The address to which a guest answers: that of the host who confirmed the booking, while this host is an admin.';
