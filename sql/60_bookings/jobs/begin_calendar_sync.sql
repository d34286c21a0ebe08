-- Decides what to write into a host's calendar for a booking, and takes the lease of its event. What will be written is
-- unknown to be written until record_calendar_event, so that an attempt that ends in between is repeated.
create function private.begin_calendar_sync(_booking_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  booking    public.bookings;
  event      private.calendar_events;
  calendar   public.connected_calendars;
  connection public.calendar_connections;
  is_host    boolean;
  is_first   boolean := false;
  content    jsonb;  -- null: there should be no event
  digest     text;
begin
  -- a deletion of the booking waits, and then sees the row that this transaction may insert
  select b.* into booking from public.bookings b where b.id = _booking_id for key share;
  select e.* into event from private.calendar_events e where e.booking_id = _booking_id for update;
  if event.lease_expires_at > at then
    return '{"state": "busy"}';
  elsif booking.status = 'confirmed' and booking.start_time <= at - interval '1 day' then
    return null;
  end if;

  select c.* into calendar from public.connected_calendars c where c.id = event.calendar_id;
  select n.* into connection from public.calendar_connections n where n.id = calendar.connection_id;
  is_host := exists (
    select from public.podcast_members m
    where m.podcast_id = booking.podcast_id and m.user_id = calendar.user_id and m.role >= 'admin');
  if connection.status = 'revoked' and (is_host or booking.status is distinct from 'confirmed') then
    return null;  -- the renewal enqueues the booking
  elsif connection.status = 'revoked' or not calendar.is_writable or calendar.events_error is not null then
    delete from private.calendar_events e where e.booking_id = event.booking_id;  -- out of reach: the event stays
    event := null;
  end if;

  if event.booking_id is null then
    select c.* into calendar from public.connected_calendars c
    where booking.status = 'confirmed' and c.id = private.find_receiving_calendar(booking.podcast_id);
    if not found then
      return null;
    end if;
    insert into private.calendar_events (booking_id, calendar_id, creation_key)
    values (booking.id, calendar.id, booking.id) on conflict on constraint calendar_events_pkey do nothing
    returning * into event;
    if not found then
      return '{"state": "busy"}';
    end if;
    select n.* into connection from public.calendar_connections n where n.id = calendar.connection_id;
    is_host := true;
    is_first := true;
  end if;

  if booking.status = 'confirmed' and is_host then
    content := private.session_event(booking, calendar.user_id);
    digest := encode(sha256(convert_to(content::text, 'UTF8')), 'hex');
    if event.written = digest then
      return null;
    end if;
  end if;
  update private.calendar_events e set written = null, attempt_id = gen_random_uuid(),
    lease_expires_at = at + interval '1 minute',
    attendee_digests = array(
      select unnest(e.attendee_digests) union
      select encode(sha256(convert_to(a.attendee ->> 'email', 'UTF8')), 'hex')
      from jsonb_array_elements(content -> 'attendees') a (attendee) order by 1)
  where e.booking_id = event.booking_id returning * into event;
  return jsonb_build_object('state', 'begun', 'attemptId', event.attempt_id, 'isFirst', is_first,
    'provider', connection.provider, 'connectionId', connection.id, 'calendarId', calendar.external_id,
    'eventId', event.external_id, 'creationKey', event.creation_key, 'event', content, 'digest', digest,
    'attendeeDigests', event.attendee_digests);
end $$;
grant execute on function private.begin_calendar_sync to service_role;
comment on function private.begin_calendar_sync is
  'Null if there is nothing to write for a booking; {state: busy} while another worker writes; or {state: begun, '
  'attemptId, isFirst, provider, connectionId, calendarId, eventId, creationKey, event, digest, attendeeDigests}. A '
  'null event is to be removed; the creation of an event with a null eventId is not confirmed. The lease ends after a '
  'minute.';
