-- Factories of bookings, by a link that is open day and night.

-- A link with slots at each full hour, without notice.
create function tests.open_link(name text, podcast text, fields jsonb default '{}') returns uuid language sql as $$
  select tests.booking_link(name, podcast, jsonb_build_object('timezone', 'UTC', 'min_notice_hours', 0,
    'availability_rules', (
      select jsonb_agg(jsonb_build_object('dayOfWeek', d, 'startTime', '00:00', 'endTime', '24:00'))
      from generate_series(0, 6) d)) || fields)
$$;

-- The start of a slot, n hours after the next full hour.
create function tests.slot(n int) returns timestamptz language sql stable as $$
  select date_trunc('hour', now(), 'UTC') + make_interval(hours => n + 1)
$$;

-- Requests a booking from an address of its own, remembered by name. `fields` replace arguments.
create function tests.request_booking(name text, link text, slot int, guest text default 'gus',
  fields jsonb default '{}', at timestamptz default now()) returns jsonb
language plpgsql security definer as $$
declare
  args     jsonb := jsonb_build_object('notes', null, 'answers', '{}'::jsonb, 'locale', 'en', 'timezone', 'UTC',
    'name', initcap(guest), 'start', tests.slot(slot)) || fields;
  response jsonb;
begin
  perform set_config('request.headers', jsonb_build_object('x-forwarded-for', gen_random_uuid())::text, true);
  response := private.request_booking(tests.id(link), (args ->> 'start')::timestamptz, args ->> 'name',
    guest || '@guests.example', args ->> 'timezone', args ->> 'notes', args -> 'answers',
    (args ->> 'episode')::uuid, args ->> 'locale', args ->> 'key', request_booking.at);
  perform set_config('request.headers', '', true);
  perform tests.remember(request_booking.name, (response #>> '{booking,id}')::uuid)
  where not tests.exists(request_booking.name);
  return response;
end $$;

-- The booking of that name has the access token `<name>`.
create function tests.booking_token(name text, expires_at timestamptz default 'infinity') returns text language sql
security definer as $$
  insert into private.access_tokens (digest, kind, subject_id, expires_at)
  values (sha256(convert_to(name, 'UTF8')), 'booking', tests.id(name), booking_token.expires_at) returning name
$$;

create function tests.booking(name text) returns public.bookings language sql security definer as $$
  select b from public.bookings b where b.id = tests.id(booking.name)
$$;

-- A booking in a state: pending, confirmed, declined or cancelled.
create function tests.booking_in(name text, link text, slot int, status public.booking_status default 'pending',
  guest text default null) returns uuid language plpgsql security definer as $$
begin
  perform tests.request_booking(name, link, slot, coalesce(guest, 'guest-' || name));
  update public.bookings b set status = booking_in.status, expires_at = case when booking_in.status = 'pending'
    then b.expires_at end, cancelled_by = case when booking_in.status = 'cancelled' then 'host' end
  where b.id = tests.id(booking_in.name) and booking_in.status <> 'pending';
  return tests.id(name);
end $$;

-- Who is told of a booking's changes, in order: 'booking.confirmed to ola', or to the guest with the calendar entry.
create function tests.told_of_booking(name text) returns setof text language sql security definer as $$
  select t.line from (
    select n.created_at, n.type || ' to ' || i.name as line
    from public.notifications n join tests.ids i on i.id = n.user_id
    where n.metadata ->> 'booking_id' = tests.id(told_of_booking.name)::text
    union all
    select d.created_at, concat_ws(' ', d.type, 'to', split_part(a.email, '@', 1),
      a.calendar_event ->> 'method', a.calendar_event ->> 'status', a.calendar_event ->> 'sequence')
    from private.delivery_addresses a join public.notification_deliveries d on d.id = a.delivery_id
    where a.access ->> 'subject_id' = tests.id(told_of_booking.name)::text) t
$$;

select unnest(array['1..1', 'ok 1 - the factories of bookings are created']);  -- a TAP report, for pg_prove
