-- get_month_availability: the dates of a month whose weekday has a rule.
begin;
select tests.start();

select tests.podcast('show', 'ola');
select tests.booking_link('talk', 'show', '{"availability_rules": [
  {"dayOfWeek": 0, "startTime": "09:00", "endTime": "12:00"},
  {"dayOfWeek": 0, "startTime": "13:00", "endTime": "15:00"},
  {"dayOfWeek": 6, "startTime": "09:00", "endTime": "09:01"}]}');
select tests.calendar('work', 'ola', '{[2020-01-01Z,2030-01-01Z)}');

select is(public.get_month_availability(tests.id('talk'), 2024, 2, 'Asia/Tokyo')::jsonb, jsonb_build_object(
  'year', 2024, 'month', 2, 'timezone', 'Asia/Tokyo', 'bookingLinkTimezone', 'Europe/Berlin',
  'bookingLink', jsonb_build_object('id', tests.id('talk'), 'name', 'talk', 'duration_minutes', 60,
    'timezone', 'Europe/Berlin'), 'availableDates', (
    select jsonb_agg(jsonb_build_object('date', '2024-02-' || d, 'slots', 1))
    from unnest('{03,04,10,11,17,18,24,25}'::text[]) d)),
  'get_month_availability lists the dates whose weekday has a rule');
select is(public.get_month_availability(tests.id('talk'), year, month) #>> path::text[], date,
  format('get_month_availability lists %s', date))
from (values (1970, 1, '{availableDates,0,date}', '1970-01-03'), (9999, 12, '{availableDates,-1,date}', '9999-12-26'),
  (2000, 2, '{availableDates,-1,date}', '2000-02-27'), (2024, 3, '{availableDates,-1,date}', '2024-03-31'))
  v (year, month, path, date);
set local datestyle = 'German';
select is(public.get_month_availability(tests.id('talk'), 2026, 12) #>> '{availableDates,0,date}', '2026-12-05',
  'get_month_availability writes ISO dates under any DateStyle');
reset datestyle;
select tests.booking_link('never', 'show', '{"availability_rules": []}');
select is(public.get_month_availability(tests.id('never'), 2026, 12)::jsonb -> 'availableDates', '[]',
  'get_month_availability lists no dates without rules');

create function pg_temp.dates(fields jsonb) returns text language sql as $$
  update public.booking_links l set date_overrides = fields -> 'date_overrides',
    availability_rules = coalesce(fields -> 'availability_rules', l.availability_rules) where l.id = tests.id('never');
  select coalesce(string_agg(right(d ->> 'date', 2), ' ' order by n), '') || ' '
    || count(*) filter (where d -> 'slots' = '1')
  from jsonb_array_elements(public.get_month_availability(tests.id('never'), 2028, 2)::jsonb -> 'availableDates')
    with ordinality o (d, n)
$$;
select is(pg_temp.dates('{"date_overrides": [
  {"date": "2028-02-29", "windows": [{"startTime": "09:00", "endTime": "10:00"}]},
  {"date": "2028-02-01", "windows": [{"startTime": "09:00", "endTime": "10:00"}]},
  {"date": "2028-03-01", "windows": [{"startTime": "09:00", "endTime": "10:00"}]}]}'), '01 29 2',
  'get_month_availability lists dates with special hours, without a rule too');
select is(pg_temp.dates('{"availability_rules": [{"dayOfWeek": 1, "startTime": "09:00", "endTime": "10:00"}],
  "date_overrides": [{"date": "2028-02-14", "windows": []}, {"date": "2028-02-15", "windows": []}]}'), '07 21 28 3',
  'get_month_availability leaves out days off');
select is(pg_temp.dates('{"availability_rules": [], "date_overrides": [{"date": "2028-02-14", "windows": []}]}'), ' 0',
  'get_month_availability lists no dates if an override closes the only one');

select is(tests.outcome_of(format('select public.get_month_availability(tests.id(''talk''), %L, %L, %L)', year, month,
  zone)), 'PT400 ' || problem, format('get_month_availability rejects %s, %s, %s', year, month, zone))
from (values (1969, 1, 'UTC', 'year: must be an integer from 1970 to 9999'),
  (10000, 1, 'UTC', 'year: must be an integer from 1970 to 9999'), (null, 1, 'UTC',
    'year: must be an integer from 1970 to 9999'), (2026, 0, 'UTC', 'month: must be an integer from 1 to 12'),
  (2026, 13, 'UTC', 'month: must be an integer from 1 to 12'), (2026, null, 'UTC',
    'month: must be an integer from 1 to 12'),
  (2026, 1, 'Mars/Base', 'timezone: must be an IANA time zone, such as Europe/Berlin')) v (year, month, zone, problem);
select is(tests.result_of(who, $$ select public.get_month_availability(tests.id('talk'), 2026, 12) $$), 'ok 1',
  format('%s may call get_month_availability', who)) from unnest('{anon,ola,service}'::text[]) who;
update public.booking_links set is_active = false where id = tests.id('talk');
select is(tests.result_of('anon', $$ select public.get_month_availability(tests.id('talk'), 2026, 12) $$), 'PT404',
  'get_month_availability returns 404 for an inactive link');

select * from tests.finish();
rollback;
