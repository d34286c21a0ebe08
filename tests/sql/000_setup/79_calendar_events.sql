-- Factories of bookings with events in calendars.

-- The calendar of a user that receives events, remembered as '<user>/calendar'.
create function tests.receiving_calendar(person text, provider public.calendar_provider default 'google') returns uuid
language plpgsql security definer as $$
declare created uuid;
begin
  perform tests.connection(person || '/connection', person, provider);
  insert into public.connected_calendars (connection_id, user_id, external_id, name, is_writable, receives_events)
  values (tests.id(person || '/connection'), tests.id(person), person || '@calendars.example', 'Work', true, true)
  returning id into created;
  return tests.remember(person || '/calendar', created);
end $$;

-- A session of an hour; `fields` replace defaults.
create function tests.session(name text, podcast text, fields jsonb default '{}') returns uuid
language plpgsql security definer as $$
declare
  booking public.bookings := jsonb_populate_record(null::public.bookings, jsonb_build_object(
    'id', gen_random_uuid(), 'podcast_id', tests.id(podcast), 'name', 'Interview',
    'start_time', now() + interval '7 days', 'end_time', now() + interval '7 days 1 hour', 'status', 'confirmed',
    'guest_name', 'Gus', 'guest_email', 'gus@guests.example', 'guest_timezone', 'UTC', 'guest_locale', 'en',
    'answers', '{}'::jsonb, 'requires_confirmation', true, 'sequence', 0,
    'calendar_uid', gen_random_uuid(),
    'created_at', now(), 'updated_at', now()) || fields);
begin
  insert into public.bookings values (booking.*);
  return tests.remember(session.name, booking.id);
end $$;

-- Begins to write the event of a session: the result of begin_calendar_sync.
create function tests.begin_sync(session text, at timestamptz default now()) returns jsonb
language sql security definer as $$ select private.begin_calendar_sync(tests.id(session), at) $$;

-- Writes the event of a session as the worker does, with the session's name as the provider's id; the result is
-- 'written', 'removed', 'none' or 'busy'.
create function tests.sync_event(session text, at timestamptz default now()) returns text
language plpgsql security definer as $$
declare
  begun jsonb := tests.begin_sync(session, at);
begin
  if begun ->> 'state' = 'begun' then
    perform private.record_calendar_event(tests.id(session), (begun ->> 'attemptId')::uuid,
      case when begun ->> 'event' is not null then session end, begun ->> 'digest');
    return case when begun ->> 'event' is not null then 'written' else 'removed' end;
  end if;
  return coalesce(begun ->> 'state', 'none');
end $$;

-- The sessions with messages in calendar_sync, by name, with '-' before deleted ones; and empties the queue.
create function tests.take_calendar_syncs() returns text language plpgsql security definer as $$
declare
  names text;
begin
  select string_agg(distinct case when q ->> 'type' = 'booking.deleted' then '-' else '' end || i.name, ' ') into names
  from tests.queued('calendar_sync') q join tests.ids i on i.id = (q ->> 'booking_id')::uuid;
  perform tests.empty_queue('calendar_sync');
  return names;
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the factories of calendar events are created']);
