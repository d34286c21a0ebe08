-- explain_availability: each time of a date with the step that drops it, for admins.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto'), tests.booking_link('talk', 'show');
-- Monday, 7 December 2026, 09:00 to 12:00 in Berlin
create function pg_temp.explain(link text default 'talk', date text default '2026-12-07', who text default 'ola',
  at timestamptz default '2026-12-01Z') returns jsonb language plpgsql as $$
declare
  result jsonb;
begin
  perform tests.act_as(who);
  result := private.explain_availability(tests.id(link), date, at);
  perform tests.act_as('postgres');
  return result;
end $$;
create function pg_temp.reasons(explanation jsonb) returns text language sql as $$
  select coalesce(explanation ->> 'reason' || ':', '') || coalesce(string_agg(coalesce(t ->> 'reason', 'free'), ' '
    order by t ->> 'start'), '') from jsonb_array_elements(explanation -> 'times') t
$$;

-- Who
select tests.access('explain_availability',
  $$ select public.explain_availability(tests.id('talk'), '2026-12-07') $$,
  '42501: anon; PT403: otto vic; ok 1: ola ada; 42501: service');
select is(tests.result_of('ola', $$ select public.explain_availability(gen_random_uuid(), '2026-12-07') $$), 'PT404',
  'explain_availability returns 404 for an unknown link');
select is(tests.result_of('ola', $$ select public.explain_availability(tests.id('talk'), '2026-02-30') $$), 'PT400',
  'explain_availability returns 400 for what is not a date');

-- Shape
select is(pg_temp.explain(), jsonb_build_object('date', '2026-12-07', 'bookingLinkTimezone', 'Europe/Berlin',
  'reason', null, 'times', (
    select jsonb_agg(jsonb_build_object('start', format('2026-12-07T%s:00:00.000Z', lpad(h::text, 2, '0')),
      'end', format('2026-12-07T%s:00:00.000Z', lpad((h + 1)::text, 2, '0')), 'reason', null, 'calendar', null,
      'booking', null))
    from generate_series(8, 10) h)), 'explain_availability lists the times of a date, which are free');

-- Steps
select is(pg_temp.reasons(pg_temp.explain(at => at)), reasons,
  format('explain_availability at %s says %s', at, reasons))
from (values ('2026-12-07 08:30Z'::timestamptz, 'past notice notice'), ('2026-12-06 09:00Z', 'notice free free'),
  ('2026-12-08Z', 'past past past'), ('2026-10-08 12:00Z', 'free free free'),
  ('2026-10-07 12:00Z', 'advance advance advance')) v (at, reasons);
select tests.booking_link('special', 'show', '{"duration_minutes": 180, "slug": "special", "date_overrides": [
  {"date": "2026-12-07", "windows": []},
  {"date": "2026-12-08", "windows": [{"startTime": "09:00", "endTime": "11:59"}]},
  {"date": "2026-12-12", "windows": [{"startTime": "09:00", "endTime": "12:00"}]}]}');
select is(pg_temp.reasons(pg_temp.explain('special', date)), reasons, format('explain_availability on %s says %s', date,
  reasons))
from (values ('2026-12-07', 'day_off:'), ('2026-12-08', 'no_room:'), ('2026-12-12', 'free'), ('2026-12-13', 'no_rule:'))
  v (date, reasons);
update public.booking_links set is_active = false where id = tests.id('special');
select is(pg_temp.reasons(pg_temp.explain('special', '2026-12-12')), 'link_inactive',
  'explain_availability says that the link is inactive');

-- Calendars and bookings
select tests.calendar('work', 'ola', '{[2026-12-07 08:10Z,2026-12-07 08:11Z)}'),
  tests.calendar('own', 'ada', '{[2026-12-07 08:20Z,2026-12-07 08:21Z),[2026-12-07 09:20Z,2026-12-07 09:21Z)}'),
  tests.calendar('idle', 'ada', '{[2026-12-07 08:20Z,2026-12-07 08:21Z)}', is_selected => false);
select tests.booking_link('other', 'show'), tests.open_link('open', 'show');
select tests.request_booking('gus', 'open', 1);
update public.bookings set start_time = '2026-12-07 10:30Z', end_time = '2026-12-07 11:30Z',
  booking_link_id = tests.id('other');
select is(pg_temp.reasons(pg_temp.explain()), 'calendar calendar free',
  'explain_availability names calendars, and no booking of another link');
select is(pg_temp.explain(who => who) #> array['times', time::text, 'calendar'],
  jsonb_build_object('userId', tests.id(owner), 'id', case when calendar <> '' then tests.id(calendar) end,
    'name', name),
  format('explain_availability shows %s at time %s a calendar of %s as %L', who, time, owner, name))
from (values ('ola', 0, 'ola', 'ola/work', 'work'), ('ola', 1, 'ada', null, null), ('ada', 0, 'ada', 'ada/own', 'own'),
  ('ada', 1, 'ada', 'ada/own', 'own')) v (who, time, owner, calendar, name);
update public.booking_links set conflict_scope = 'podcast' where id = tests.id('talk');
select is(pg_temp.reasons(pg_temp.explain()), 'calendar calendar booking',
  'explain_availability names a booking of another link with the scope podcast');
select is(pg_temp.explain() #> '{times,2,booking}', jsonb_build_object('id', tests.id('gus'),
  'bookingLinkId', tests.id('other'), 'guestName', 'Gus', 'status', 'pending', 'start', '2026-12-07T10:30:00.000Z',
  'end', '2026-12-07T11:30:00.000Z'), 'explain_availability shows the booking that takes a time');
update public.booking_links set buffer_before_minutes = 45 where id = tests.id('other');
delete from private.calendar_busy_intervals;
select is(pg_temp.reasons(pg_temp.explain()), 'free booking booking',
  'explain_availability keeps the buffers of bookings');
select is(pg_temp.explain() #>> '{times,1,booking,id}', tests.id('gus')::text,
  'explain_availability shows a booking whose buffers take a time');
insert into private.calendar_busy_intervals values (tests.id('ola/work'), '[2026-12-07 07:50Z,2026-12-07 07:55Z)');
update public.booking_links set buffer_before_minutes = 10 where id = tests.id('talk');
select is(pg_temp.explain() #>> '{times,0,calendar,name}', 'work',
  'explain_availability shows a calendar with an event in the buffer');
update private.calendar_busy set awaited_until = '2026-12-01 00:01Z' where calendar_id = tests.id('ada/own');
select is(pg_temp.reasons(pg_temp.explain(at => at)), reasons,
  format('explain_availability at %s, while a calendar is awaited until 00:01, says %s', at, reasons))
from (values ('2026-12-01 00:00Z'::timestamptz, 'calendar_pending calendar_pending'),
  ('2026-12-01 00:01Z', 'calendar booking')) v (at, reasons);

update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now();
select is(pg_temp.reasons(pg_temp.explain(date => '2026-12-08')),
  'podcast_pending_deletion podcast_pending_deletion',
  'explain_availability says that the podcast is pending deletion');

select * from tests.finish();
rollback;
