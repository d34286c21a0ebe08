-- begin_calendar_sync, hold_calendar_sync, record_calendar_event and fail_calendar_sync: what is written into which
-- calendar, by one worker at a time
begin;
select tests.start();
select private.set_setting('app_url', 'https://app.test');

select tests.podcast('Night Trains', 'ola'), tests.member('ana', 'Night Trains', 'admin');
select tests.member('vic', 'Night Trains'), tests.member('mia', 'Night Trains'), tests.person('stranger');
select tests.episode('pilot', 'Night Trains');
select tests.booking_link('link', 'Night Trains',
  '{"questions": [{"id": "topic", "label": "Your topic?"}, {"id": "bio", "label": "Your bio?"}]}');
select tests.session('first', 'Night Trains', jsonb_build_object('booking_link_id', tests.id('link'), 'episode_id',
  tests.id('pilot'), 'start_time', '2026-03-01T10:00:00Z', 'end_time', '2026-03-01T11:00:00Z',
  'guest_name', E'Gus\nGuest', 'notes', 'See you <b>there</b>', 'answers',
  '{"old": "Gone", "bio": "Plays oboe", "topic": "Trains"}'::jsonb));
insert into episode_people (episode_id, source_type, user_id, name, is_active)
select tests.id('pilot'), 'team', tests.id(name), name, name <> 'mia'
from unnest('{ola,ana,vic,mia,stranger}'::text[]) name;

create temp table begun (session text, result jsonb);
create function pg_temp.begin(session text, at timestamptz) returns jsonb language sql as $$
  delete from begun where session = $1;
  insert into begun values ($1, tests.begin_sync($1, at));
  select result from begun where session = $1 $$;
create function pg_temp.record(session text, external_id text) returns void language sql as $$
  select private.record_calendar_event(tests.id($1), (b.result ->> 'attemptId')::uuid, $2, b.result ->> 'digest')
  from begun b where b.session = $1 $$;
create function pg_temp.event(session text) returns private.calendar_events language sql as $$
  select e from private.calendar_events e where e.booking_id = tests.id($1) $$;

-- The calendar
select is(pg_temp.begin('first', '2026-02-01T00:00:00Z'), null,
  'begin_calendar_sync returns null if no calendar receives events');
select tests.receiving_calendar('vic'), tests.receiving_calendar('stranger'),
  tests.member('url', 'Night Trains', 'admin'), tests.receiving_calendar('url', 'ics');
select is(private.find_receiving_calendar(tests.id('Night Trains')), null,
  'find_receiving_calendar returns no calendar of a member, of another user or of a URL');
select tests.receiving_calendar('ana', 'microsoft');
select is(private.find_receiving_calendar(tests.id('Night Trains')), tests.id('ana/calendar'),
  'find_receiving_calendar returns the calendar of an admin');
select tests.member('eve', 'Night Trains', 'admin'), tests.receiving_calendar('eve');
update podcast_members set created_at = now() + case when user_id = tests.id('eve') then v.wait else -v.wait end
from (values (interval '1 hour')) v (wait) where user_id in (tests.id('eve'), tests.id('ana'));
select is(private.find_receiving_calendar(tests.id('Night Trains')), tests.id('ana/calendar'),
  'find_receiving_calendar prefers the admin who joined first');
update podcast_members set created_at = now() - interval '2 hours' where user_id = tests.id('eve');
select is(private.find_receiving_calendar(tests.id('Night Trains')), tests.id('eve/calendar'),
  'find_receiving_calendar does not depend on the ids of admins');
delete from podcast_members where user_id = tests.id('eve');
select tests.receiving_calendar('ola');
select is(private.find_receiving_calendar(tests.id('Night Trains')), tests.id('ola/calendar'),
  'find_receiving_calendar prefers the owner''s calendar');
update calendar_connections set status = 'revoked', last_error = 'Connect again' where id = tests.id('ola/connection');
select is(private.find_receiving_calendar(tests.id('Night Trains')), tests.id('ana/calendar'),
  'find_receiving_calendar skips revoked connections');
update calendar_connections set status = 'active', last_error = null where id = tests.id('ola/connection');

-- The content
select is(pg_temp.begin('first', '2026-02-01T00:00:00Z') - '{attemptId,digest,event,attendeeDigests}'::text[],
  jsonb_build_object('state', 'begun', 'isFirst', true, 'provider', 'google',
    'connectionId', tests.id('ola/connection'), 'calendarId', 'ola@calendars.example', 'eventId', null,
    'creationKey', tests.id('first')),
  'begin_calendar_sync returns where the event is created');
select is((select (result -> 'event') - 'description' from begun), jsonb_build_object('summary', 'Gus Guest: Interview',
    'start', '2026-03-01T10:00:00.000Z', 'end', '2026-03-01T11:00:00.000Z', 'location', '', 'attendees', (
      select jsonb_agg(jsonb_build_object('email', n || '@test.example', 'name', initcap(n)) order by tests.id(n))
      from unnest('{ana,vic}'::text[]) n)),
  'begin_calendar_sync lists active members of the team as attendees, without the calendar''s own user');
select is((select result -> 'event' ->> 'description' from begun), array_to_string(array['Night Trains',
    'Guest: Gus Guest (gus@guests.example)',
    format('Manage this booking: https://app.test/podcasts/%s/bookings/%s', tests.id('Night Trains'),
      tests.id('first')),
    'See you <b>there</b>', E'Your topic?\nTrains', E'Your bio?\nPlays oboe', E'old\nGone'], E'\n\n'),
  'begin_calendar_sync describes podcast, guest, link, notes and answers in the order of the questions');
select is((pg_temp.event('first')).attendee_digests, array(
    select encode(sha256((n || '@test.example')::bytea), 'hex') from unnest('{ana,vic}'::text[]) n order by 1),
  'begin_calendar_sync remembers digests of the attendees before they are written');

-- The lease
select is(tests.begin_sync('first', '2026-02-01T00:00:59Z'), '{"state": "busy"}',
  'begin_calendar_sync returns busy during the lease of a minute');
create temp table lost as select * from begun;
select is(private.hold_calendar_sync(tests.id('first'), (select (result ->> 'attemptId')::uuid from lost),
  at => '2026-02-01T00:00:30Z'), tests.id('first'), 'hold_calendar_sync returns the creation key');
select is(tests.begin_sync('first', '2026-02-01T00:01:29Z'), '{"state": "busy"}',
  'hold_calendar_sync extends the lease to a minute');
select is((pg_temp.begin('first', '2026-02-01T00:01:31Z') ->> 'isFirst')::boolean, false,
  'begin_calendar_sync tells a second attempt that the event may have been created');
select is(private.hold_calendar_sync(tests.id('first'), (select (result ->> 'attemptId')::uuid from lost)), null,
  'hold_calendar_sync returns null after another attempt has begun');
select private.record_calendar_event(tests.id('first'), (select (result ->> 'attemptId')::uuid from lost), 'lost',
    'lost'),
  private.record_calendar_event(tests.id('first'), (select (result ->> 'attemptId')::uuid from lost), null, null),
  private.fail_calendar_sync(tests.id('first'), (select (result ->> 'attemptId')::uuid from lost), 'lost');
select is(((pg_temp.event('first')).external_id, (pg_temp.event('first')).lease_expires_at),
  (null::text, '2026-02-01T00:02:31Z'::timestamptz),
  'record_calendar_event and fail_calendar_sync do nothing after another attempt has begun');
select ok((select is_writable from connected_calendars where id = tests.id('ola/calendar')),
  'fail_calendar_sync keeps the calendar after another attempt has begun');
select isnt(private.hold_calendar_sync(tests.id('first'), (select (result ->> 'attemptId')::uuid from begun), true),
  tests.id('first'), 'hold_calendar_sync renews the creation key on demand');

-- Records
select pg_temp.record('first', 'event-1');
select is((pg_temp.event('first')).external_id, 'event-1', 'record_calendar_event stores the provider''s id');
select is(pg_temp.begin('first', '2026-02-01T00:02:00Z'), null, 'begin_calendar_sync returns null if nothing changed');
update bookings set start_time = '2026-03-02T10:00:00Z', end_time = '2026-03-02T11:00:00Z' where id = tests.id('first');
select is(pg_temp.begin('first', '2026-02-01T00:02:00Z') -> 'event' ->> 'start', '2026-03-02T10:00:00.000Z',
  'begin_calendar_sync returns the changed event');
select is((select result ->> 'eventId' from begun), 'event-1',
  'begin_calendar_sync returns the id of an event to change');
update bookings set start_time = '2026-03-01T10:00:00Z', end_time = '2026-03-01T11:00:00Z' where id = tests.id('first');
select private.fail_calendar_sync(tests.id('first'), (select (result ->> 'attemptId')::uuid from begun));
select is(pg_temp.begin('first', '2026-02-01T00:02:01Z') ->> 'state', 'begun',
  'begin_calendar_sync repeats what was written before an attempt that failed, because that may have succeeded');
select pg_temp.record('first', 'event-1');
update episode_people set is_active = false where user_id = tests.id('vic');
select is(jsonb_array_length(pg_temp.begin('first', '2026-02-01T00:02:02Z') -> 'event' -> 'attendees'), 1,
  'begin_calendar_sync leaves out who is no longer active on the roster');
select is(cardinality((pg_temp.event('first')).attendee_digests), 2, 'begin_calendar_sync remembers former attendees');
select pg_temp.record('first', 'event-1');

-- Changes of the calendar
update connected_calendars set receives_events = false where id = tests.id('ola/calendar');
update bookings set name = 'Talk' where id = tests.id('first');
select is(pg_temp.begin('first', '2026-02-02T00:00:00Z') ->> 'calendarId', 'ola@calendars.example',
  'begin_calendar_sync changes an event where it is, although another calendar receives new ones');
select pg_temp.record('first', 'event-1');
update connected_calendars set receives_events = true where id = tests.id('ola/calendar');
update calendar_connections set status = 'revoked', last_error = 'Connect again'
where id = tests.id('ola/connection');
update bookings set name = 'Chat' where id = tests.id('first');
select is(pg_temp.begin('first', '2026-02-02T00:00:00Z'), null,
  'begin_calendar_sync returns null while the event''s connection is revoked');
select is((pg_temp.event('first')).external_id, 'event-1',
  'begin_calendar_sync keeps the event of a revoked connection');
update calendar_connections set status = 'active', last_error = null where id = tests.id('ola/connection');

update podcasts set owner_id = tests.id('ana') where id = tests.id('Night Trains');
delete from podcast_members where user_id = tests.id('ola');
select is(pg_temp.begin('first', '2026-02-02T00:00:00Z') ->> 'event', null,
  'begin_calendar_sync removes the event from the calendar of a user who is no longer a host');
select is((select result ->> 'eventId' from begun), 'event-1',
  'begin_calendar_sync returns the id of an event to remove');
select pg_temp.record('first', null);
select is((pg_temp.event('first')).booking_id, null, 'record_calendar_event deletes the row of a removed event');
select is(pg_temp.begin('first', '2026-02-02T00:00:00Z') ->> 'provider', 'microsoft',
  'begin_calendar_sync creates the event in the calendar of the remaining host');
select pg_temp.record('first', 'event-2');

select tests.member('ben', 'Night Trains', 'admin'), tests.receiving_calendar('ben');
update bookings set name = 'Interview' where id = tests.id('first');
select pg_temp.begin('first', '2026-02-03T00:00:00Z');
select private.fail_calendar_sync(tests.id('first'), (select (result ->> 'attemptId')::uuid from begun),
  rpad('Microsoft denies access to the calendar', 2000, '.'));
select results_eq($$ select is_writable, receives_events, events_error from connected_calendars
    where id = tests.id('ana/calendar') $$,
  $$ values (true, false, rpad('Microsoft denies access to the calendar', 1000, '.')) $$,
  'fail_calendar_sync with a rejection shows it, and the calendar receives no more events');
select is(pg_temp.begin('first', '2026-02-03T00:00:00Z') ->> 'calendarId', 'ben@calendars.example',
  'begin_calendar_sync creates the event elsewhere after its calendar rejected it');
select pg_temp.record('first', 'event-3');

-- Statuses and time
select is(pg_temp.begin('first', '2026-03-02T10:00:01Z'), null,
  'begin_calendar_sync returns null a day after the session started');
update bookings set status = 'cancelled', cancelled_by = 'guest' where id = tests.id('first');
select is(pg_temp.begin('first', '2026-02-04T00:00:00Z') -> 'event', 'null'::jsonb,
  'begin_calendar_sync removes the event of a cancelled booking');
select private.fail_calendar_sync(tests.id('first'), (select (result ->> 'attemptId')::uuid from begun));
select is(pg_temp.begin('first', '2026-04-01T00:00:00Z') -> 'event', 'null'::jsonb,
  'begin_calendar_sync removes the event of a cancelled booking after the session, too');
select pg_temp.record('first', null);
select is(pg_temp.begin('first', '2026-02-04T00:00:00Z'), null,
  'begin_calendar_sync returns null for a cancelled booking without event');
select tests.session('open', 'Night Trains',
  '{"status": "pending", "expires_at": "2026-03-01T00:00:00Z", "start_time": "2026-03-01", "end_time": "2026-03-02"}');
select is(pg_temp.begin('open', '2026-02-04T00:00:00Z'), null,
  'begin_calendar_sync returns null for a pending booking');
select is(private.begin_calendar_sync(gen_random_uuid()), null,
  'begin_calendar_sync returns null for an unknown booking');

-- A host who becomes a member
select tests.session('left', 'Night Trains'), tests.session('gone', 'Night Trains');
select tests.sync_event('left'), tests.sync_event('gone');
update podcast_members set role = 'member' where user_id = tests.id('ben');
select is(pg_temp.begin('left', now()) -> 'event', 'null'::jsonb,
  'begin_calendar_sync removes the event from the calendar of a host who became a member');
select private.fail_calendar_sync(tests.id('left'), (result ->> 'attemptId')::uuid) from begun where session = 'left';
update calendar_connections set status = 'revoked', last_error = 'Connect again' where id = tests.id('ben/connection');
update bookings set status = 'cancelled', cancelled_by = 'host' where id = tests.id('gone');
select is(array[tests.begin_sync('left'), tests.begin_sync('gone')], array[null, null]::jsonb[],
  'begin_calendar_sync returns null for a revoked connection of a former host');
select is((pg_temp.event('left')).booking_id, null,
  'begin_calendar_sync gives up an event in a revoked connection of a former host, so that another calendar gets it');
select is((pg_temp.event('gone')).external_id, 'gone',
  'begin_calendar_sync keeps the event of a cancelled booking until the connection is renewed');
update bookings set answers = jsonb_build_object('bio', repeat('x', 9000)) where id = tests.id('first');
select is(char_length(private.session_event(tests.booking('first'), tests.id('ola')) ->> 'description'), 8000,
  'session_event cuts a long description');

select * from tests.finish();
rollback;
