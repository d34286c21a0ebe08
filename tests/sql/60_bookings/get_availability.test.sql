-- get_availability: the slots of a date, or why it has none.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.booking_link('talk', 'show', '{"description": "About trains"}');
create function pg_temp.on(date text, timezone text default 'UTC', link text default 'talk',
  at timestamptz default '2026-12-01Z') returns text language sql as $$
  select tests.outcome_of(format('select private.get_availability(%L, %L, %L, %L)', tests.id(link), date, timezone, at))
$$;

select is(pg_temp.on('2026-12-07', 'America/Havana')::jsonb, jsonb_build_object(
  'date', '2026-12-07', 'timezone', 'America/Havana', 'bookingLinkTimezone', 'Europe/Berlin',
  'bookingLink', jsonb_build_object('id', tests.id('talk'), 'name', 'talk', 'duration_minutes', 60,
    'description', 'About trains', 'timezone', 'Europe/Berlin'),
  'podcast', jsonb_build_object('id', tests.id('show'), 'slug', 'show', 'title', 'show'),
  'slots', '[{"start": "2026-12-07T08:00:00.000Z", "end": "2026-12-07T09:00:00.000Z", "available": true},
    {"start": "2026-12-07T09:00:00.000Z", "end": "2026-12-07T10:00:00.000Z", "available": true},
    {"start": "2026-12-07T10:00:00.000Z", "end": "2026-12-07T11:00:00.000Z", "available": true}]'::jsonb),
  'get_availability returns the slots of a date with the link and the podcast');
select tests.calendar('work', 'ola', '{[2026-12-07Z,2026-12-08Z)}');
select is(pg_temp.on('2026-12-07')::jsonb -> 'slots', '[]', 'get_availability returns no slots of a booked-up date');
select is(pg_temp.on('2026-12-07')::jsonb -> 'message', null,
  'get_availability has no message if the date can be booked');

select is(pg_temp.on(date)::jsonb, jsonb_build_object('date', date, 'slots', '[]'::jsonb, 'message', message),
  format('get_availability says: %s', message))
from (values ('2026-11-30', 'This date is in the past'), ('0001-01-01', 'This date is in the past'),
  ('2026-12-01', 'This session must be booked at least 24 hours ahead; choose a later date'),
  ('2027-01-31', 'This session can be booked at most 60 days ahead; choose an earlier date'),
  ('9999-12-31', 'This session can be booked at most 60 days ahead; choose an earlier date'),
  ('2026-12-05', 'This session is not offered on Saturdays; choose another date')) v (date, message);
select is(pg_temp.on('2027-01-29', at => '2026-11-30 12:00Z')::jsonb ? 'message', false,
  'get_availability includes the last bookable date');
select is(pg_temp.on('2026-12-07', at => '2026-12-07 23:30Z')::jsonb ->> 'message', 'This date is in the past',
  'get_availability takes today as the date of the link''s time zone');
select is(pg_temp.on('2026-12-02', at => '2026-12-01 09:30Z')::jsonb #>> '{slots,0,start}',
  '2026-12-02T10:00:00.000Z', 'get_availability includes the date on which the notice ends');
select is(pg_temp.on('2026-12-01', at => '2026-11-30 23:30Z')::jsonb ->> 'message',
  'This session must be booked at least 24 hours ahead; choose a later date',
  'get_availability takes the date as one of the link''s time zone');

select tests.booking_link('sunday', 'show',
  '{"availability_rules": [{"dayOfWeek": 0, "startTime": "09:00", "endTime": "10:00"}]}');
select is(pg_temp.on('2026-12-06', link => 'sunday')::jsonb ? 'message', false,
  'get_availability takes Sunday as day 0');

select tests.booking_link('special', 'show', '{"date_overrides": [{"date": "2026-12-07", "windows": []},
  {"date": "2026-12-12", "windows": [{"startTime": "20:00", "endTime": "21:00"}]}]}');
select is(pg_temp.on('2026-12-07', link => 'special')::jsonb - 'date',
  '{"slots": [], "message": "This session is not offered on this date; choose another date"}',
  'get_availability says that a day off has no slots');
select is(pg_temp.on('2026-12-12', link => 'special')::jsonb -> 'slots',
  '[{"start": "2026-12-12T19:00:00.000Z", "end": "2026-12-12T20:00:00.000Z", "available": true}]',
  'get_availability offers special hours on a weekday without a rule');

select is(pg_temp.on(date), 'PT400 date: must be a date as YYYY-MM-DD', format('get_availability rejects %L', date))
from unnest('{2026-02-30,2026-2-3,"",today,2026-13-01,0000-01-01,infinity,20261207,"2026-12-07 "}'::text[]) date;
select is(pg_temp.on(null), 'PT400 date: must be a date as YYYY-MM-DD', 'get_availability requires a date');
select is(pg_temp.on('2026-12-07', zone), 'PT400 timezone: must be an IANA time zone, such as Europe/Berlin',
  format('get_availability rejects the time zone %L', zone))
from unnest('{Mars/Base,"",<+05>-5,null}'::text[]) zone;

-- Who
select is(tests.value_as(who, $$ select public.get_availability(tests.id('talk'), '2026-01-01') ->> 'date' $$),
  '2026-01-01', format('%s may call get_availability', who)) from unnest('{anon,ola,service}'::text[]) who;

-- Links that do not exist for guests
update public.podcasts set status = 'paused', paused_at = now(), pause_expires_at = now() + interval '1 day';
select is(left(pg_temp.on('2026-12-07'), 1), '{', 'get_availability offers sessions of a paused podcast');
select tests.booking_link('closed', 'show', '{"is_active": false}');
select is(pg_temp.on('2026-12-07', link => 'closed'), 'PT404', 'get_availability returns 404 for an inactive link');
select is(pg_temp.on('2026-12-07', link => 'show'), 'PT404', 'get_availability returns 404 for an unknown link');
alter table public.podcast_members disable trigger t310_guard_owner;
delete from public.podcast_members;
select is(pg_temp.on('2026-12-07'), 'PT500', 'get_availability returns 500 for a podcast without owner and admins');
update public.podcasts set status = 'active', paused_at = null, pause_expires_at = null;
update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now();
select is(pg_temp.on('2026-12-07'), 'PT404', 'get_availability returns 404 for a podcast pending deletion');

select * from tests.finish();
rollback;
