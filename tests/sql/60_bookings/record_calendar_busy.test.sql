-- Readings of calendars: what they replace, what failures keep, and what a selection changes
begin;
select tests.start();

select tests.podcast('Pilot', 'ola'), tests.booking_link('link', 'Pilot', '{"max_advance_days": 30}');
select tests.connection('work', 'ola');
select tests.connected_calendar('one', 'work'), tests.connected_calendar('two', 'work');

create temp table reads (calendar text, lease uuid);
create function pg_temp.claim(at timestamptz) returns void language sql as $$
  delete from reads;
  insert into reads select i.name, r.lease
  from private.claim_calendar_reads(tests.id('link'), at => at) r, jsonb_array_elements(r.calendars) c (calendar)
  join tests.ids i on i.id = (c.calendar ->> 'id')::uuid $$;
create function pg_temp.record(calendar text, busy text, at timestamptz) returns boolean language sql as $$
  select private.record_calendar_busy(tests.id(calendar),
    (select r.lease from reads r where r.calendar = record.calendar),
    '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', busy::tstzmultirange, at) $$;
create function pg_temp.fail(
  calendar text, error text, at timestamptz, retry_after_seconds int default null)
returns boolean language sql as $$
  select private.fail_calendar_read(tests.id(calendar), (select r.lease from reads r where r.calendar = fail.calendar),
    error, retry_after_seconds, at) $$;
create function pg_temp.busy(calendar text) returns private.calendar_busy language sql as $$
  select b from private.calendar_busy b where b.calendar_id = tests.id(calendar) $$;
create function pg_temp.shown() returns table (calendar text, fetched timestamptz, error text) language sql as $$
  select c.name, c.fetched_at, c.last_error from public.connected_calendars c $$;
create function pg_temp.connection() returns text language sql as $$
  select concat_ws(': ', n.status, n.last_error) from public.calendar_connections n where n.id = tests.id('work') $$;

select is((select count(*) from private.calendar_busy b where b.due_at = '-infinity'), 2::bigint,
  'a new calendar that is selected is due');

-- Readings
select pg_temp.claim('2026-01-02T00:00:00Z');
select is(pg_temp.record('one', '{[2026-01-05T10:00Z,2026-01-05T11:00Z),[2026-01-05T10:30Z,2026-01-05T12:00Z),'
    '[2026-01-05T12:00Z,2026-01-05T13:00Z),[2025-12-31T00:00Z,2026-01-01T05:00Z),[2026-02-28T00:00Z,2027-01-01T00:00Z),'
    '[2025-06-01T00:00Z,2025-06-02T00:00Z)}', '2026-01-02T00:00:01Z'), true,
  'record_calendar_busy returns true for the holder of the lease');
select is(tests.busy_times('one'), '{["2026-01-01 00:00:00+00","2026-01-01 05:00:00+00"),'
    '["2026-01-05 10:00:00+00","2026-01-05 13:00:00+00"),["2026-02-28 00:00:00+00","2026-03-01 00:00:00+00")}',
  'record_calendar_busy merges the intervals and keeps those within the window');
select is((pg_temp.busy('one')).fetched_at, '2026-01-02T00:00:01Z'::timestamptz,
  'record_calendar_busy sets fetched_at');
select is(((pg_temp.busy('one')).window_start, (pg_temp.busy('one')).window_end),
  ('2026-01-01T00:00:00Z'::timestamptz, '2026-03-01T00:00:00Z'::timestamptz), 'record_calendar_busy stores the window');
select is((pg_temp.busy('one')).due_at, '2026-01-02T00:10:01Z'::timestamptz,
  'record_calendar_busy makes the calendar due again after calendar_refresh_minutes');
select set_eq('select * from pg_temp.shown()', $$ values
    ('one', '2026-01-02T00:00:01Z'::timestamptz, null::text), ('two', null, null) $$,
  'record_calendar_busy shows the owner when the calendar was read');
select is(pg_temp.record('one', '{}', '2026-01-02T00:00:02Z'), false, 'record_calendar_busy ends the lease');
select is(tests.busy_times('one') is not null, true, 'record_calendar_busy changes nothing without the lease');

create temp table before as
  select i.ctid::text as place, i.during from private.calendar_busy_intervals i where i.calendar_id = tests.id('one');
select pg_temp.claim('2026-01-02T01:00:00Z'), pg_temp.record('one', '{[2026-01-01T00:00Z,2026-01-01T05:00Z),'
  '[2026-01-05T10:00Z,2026-01-05T14:00Z),[2026-02-28T00:00Z,2027-01-01T00:00Z)}', '2026-01-02T01:00:01Z');
select is((select count(*) from private.calendar_busy_intervals i join before b on b.place = i.ctid::text), 2::bigint,
  'record_calendar_busy does not write intervals that stay');
select matches(tests.busy_times('one'), '2026-01-05 14:00:00',
  'record_calendar_busy replaces an interval that changed');
select pg_temp.claim('2026-01-02T02:00:00Z'), pg_temp.record('one', '{}', '2026-01-02T02:00:01Z');
select is(tests.busy_times('one'), null, 'record_calendar_busy deletes the intervals of a calendar that is free');
select pg_temp.claim('2026-01-02T03:00:00Z'),
  pg_temp.record('one', '{[2026-01-05T10:00Z,2026-01-05T11:00Z)}', '2026-01-02T03:00:01Z');

create function pg_temp.record_many(intervals int) returns boolean language sql as $$
  select private.record_calendar_busy(tests.id('two'), (select r.lease from reads r where r.calendar = 'two'),
    '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', range_agg(tstzrange(n, n + interval '1 minute')),
    '2026-01-02T03:00:01Z')
  from generate_series('2026-01-01T00:00:00Z'::timestamptz, '2026-02-28T00:00:00Z', '2 minutes') with ordinality
    g (n, number) where number <= intervals $$;
select is(pg_temp.record_many(20000), true, 'record_calendar_busy accepts 20,000 intervals');
select pg_temp.claim('2026-01-02T03:30:00Z'), pg_temp.record_many(20001);
select is((pg_temp.busy('two')).error, 'The calendar has more than 20,000 busy times',
  'record_calendar_busy fails a calendar with more than 20,000 intervals');
select is((select count(*) from private.calendar_busy_intervals i where i.calendar_id = tests.id('two')),
  20000::bigint, 'record_calendar_busy keeps the busy times of a calendar that has too many now');
select pg_temp.claim('2026-01-02T04:30:00Z'), pg_temp.record('two', '{}', '2026-01-02T03:00:02Z'),
  pg_temp.record('one', '{[2026-01-05T10:00Z,2026-01-05T11:00Z)}', '2026-01-02T03:00:01Z');

-- Warnings and slowness
create function pg_temp.record_more(calendar text, at timestamptz, warnings jsonb, is_slow boolean default false)
returns text language sql as $$
  select split_part(tests.outcome_of(format('select private.record_calendar_busy(%L, %L, %L, %L, ''{}'', %L, %L, %L)',
    tests.id(calendar), (select r.lease from reads r where r.calendar = record_more.calendar),
    '2026-01-01T00:00:00Z'::timestamptz, '2026-03-01T00:00:00Z'::timestamptz, at, warnings, is_slow)), ' ', 1) $$;
select pg_temp.claim('2026-01-02T05:30:00Z');
select is(pg_temp.record_more('two', '2026-01-02T05:30:00Z', warnings), expected,
  format('record_calendar_busy returns %s for %s', expected, left(warnings::text, 40)))
from (values ('{}'::jsonb, '23514'), ('[{"text": "", "count": 1}]', '23514'), ('[{"text": "a"}]', '23514'),
  ('[{"text": 1, "count": 1}]', '23514'), ('[{"text": "a", "count": 0}]', '23514'),
  ('[{"text": "a", "count": "1"}]', '23514'), ('["a"]', '23514'),
  (jsonb_build_array(jsonb_build_object('text', repeat('x', 301), 'count', 1)), '23514'),
  ((select jsonb_agg(jsonb_build_object('text', n::text, 'count', 1)) from generate_series(1, 11) n), '23514'))
  v (warnings, expected);
select is(pg_temp.record_more('two', '2026-01-02T05:30:00Z', '[{"text": "No start", "count": 2}]', true), 'true',
  'record_calendar_busy accepts warnings');
select is((select c.warnings from public.connected_calendars c where c.id = tests.id('two')),
  '[{"text": "No start", "count": 2}]', 'record_calendar_busy shows warnings to the owner');
select is((pg_temp.busy('two')).is_slow, true, 'record_calendar_busy stores that a calendar is slow');
select pg_temp.record('one', '{[2026-01-05T10:00Z,2026-01-05T11:00Z)}', '2026-01-02T03:00:01Z');
update private.calendar_busy set is_slow = false;
select pg_temp.claim('2026-01-02T06:30:00Z'), pg_temp.record('two', '{}', '2026-01-02T03:00:02Z'),
  pg_temp.record('one', '{[2026-01-05T10:00Z,2026-01-05T11:00Z)}', '2026-01-02T03:00:01Z');
select is((select c.warnings from public.connected_calendars c where c.id = tests.id('two')), '[]',
  'record_calendar_busy clears the warnings of an earlier reading');

-- Failures
select pg_temp.claim('2026-01-03T00:00:00Z');
select is(pg_temp.fail('one', 'The server responded with status 500', '2026-01-03T00:00:01Z'), true,
  'fail_calendar_read returns true for the holder of the lease');
select is(tests.busy_times('one'), '{["2026-01-05 10:00:00+00","2026-01-05 11:00:00+00")}',
  'fail_calendar_read keeps the busy times');
select is((pg_temp.busy('one')).fetched_at, '2026-01-02T03:00:01Z'::timestamptz,
  'fail_calendar_read keeps when the calendar was last read');
select is((pg_temp.busy('one')).error, 'The server responded with status 500', 'fail_calendar_read stores the reason');
select set_eq('select calendar, error from pg_temp.shown()',
  $$ values ('one', 'The server responded with status 500'), ('two', null) $$,
  'fail_calendar_read shows the owner the reason at the calendar');
select is(pg_temp.connection(), 'failing: The server responded with status 500',
  'fail_calendar_read makes the connection failing, with the reason');
select is(pg_temp.fail('one', 'Late', '2026-01-03T00:00:02Z'), false, 'fail_calendar_read ends the lease');
select is((pg_temp.busy('one')).error, 'The server responded with status 500',
  'fail_calendar_read changes nothing without the lease');
select pg_temp.record('two', '{}', '2026-01-03T00:00:02Z');
select is(pg_temp.connection(), 'failing: The server responded with status 500',
  'record_calendar_busy leaves a connection failing while another of its calendars fails');

select set_eq($$
  select n, extract(epoch from (pg_temp.busy('one')).stale_at - t.at) / 60 from (values (2, 0), (3, 1), (4, 2), (5, 3),
      (6, 4), (30, 5)) v (n, hour),
    lateral (select '2026-01-03T06:00:00Z'::timestamptz + hour * interval '1 hour' as at) t,
    lateral (select pg_temp.claim(t.at), pg_temp.fail('one', 'Broken', t.at)) f
  $$, $$ values (2, 2::numeric), (3, 4), (4, 8), (5, 15), (6, 15), (30, 15) $$,
  'fail_calendar_read doubles the wait before the next attempt up to 15 minutes');
select pg_temp.claim('2026-01-04T00:00:00Z'), pg_temp.fail('one', 'Slow down', '2026-01-04T00:00:00Z', 1800);
select is((pg_temp.busy('one')).stale_at, '2026-01-04T00:30:00Z'::timestamptz,
  'fail_calendar_read waits for as long as the provider asks');
select is((pg_temp.busy('one')).due_at, '2026-01-04T00:30:00Z'::timestamptz,
  'fail_calendar_read makes the calendar due after the wait');
select pg_temp.claim('2026-01-04T01:00:00Z'),
  pg_temp.fail('one', repeat('x', 2000), '2026-01-04T01:00:00Z', 2000000000);
select is((pg_temp.busy('one')).stale_at, '2026-01-04T02:00:00Z'::timestamptz,
  'fail_calendar_read waits for at most an hour');
select is(char_length((pg_temp.busy('one')).error), 1000, 'fail_calendar_read cuts a long reason');
update public.connected_calendars set events_error = 'It is full' where id = tests.id('one');
select pg_temp.claim('2026-01-04T02:00:00Z'), pg_temp.record('one', '{}', '2026-01-04T02:00:00Z');
select is(((pg_temp.busy('one')).error, (pg_temp.busy('one')).failures), (null::text, 0),
  'record_calendar_busy clears the error');
select is(pg_temp.connection(), 'active', 'record_calendar_busy makes the connection active again');
select set_eq('select error from pg_temp.shown()', '{null}'::text[],
  'record_calendar_busy clears the reason that the owner reads');
select is((select events_error from public.connected_calendars where id = tests.id('one')), 'It is full',
  'record_calendar_busy keeps why the calendar receives no sessions');

select pg_temp.claim('2026-01-05T00:00:00Z');
update public.calendar_connections set status = 'revoked', last_error = 'Revoked' where id = tests.id('work');
select pg_temp.fail('one', 'Revoked', '2026-01-05T00:00:00Z'), pg_temp.fail('two', 'Late', '2026-01-05T00:00:00Z');
select is(pg_temp.connection(), 'revoked: Revoked', 'fail_calendar_read keeps the reason of a revoked connection');
update public.connected_calendars set is_selected = false;
update public.connected_calendars set is_selected = true;
select is(pg_temp.connection(), 'revoked: Revoked', 'a connection stays revoked when other calendars are selected');
update public.calendar_connections set status = 'active', last_error = null where id = tests.id('work');

-- Many failures
update private.calendar_busy set failures = 5000, error = 'Broken', stale_at = '2026-01-05T03:00:00Z'
where calendar_id = tests.id('one');
select pg_temp.claim('2026-01-05T03:00:00Z');
select is(pg_temp.fail('one', 'Broken', '2026-01-05T03:00:00Z'), true,
  'fail_calendar_read accepts a calendar that has failed for months');
select pg_temp.record('two', '{}', '2026-01-05T03:00:00Z');
select pg_temp.claim('2026-01-05T04:00:00Z'), pg_temp.record('one', '{}', '2026-01-05T04:00:00Z'),
  pg_temp.record('two', '{}', '2026-01-05T04:00:00Z');

-- Selection
select pg_temp.claim('2026-01-06T00:00:00Z');
select pg_temp.record('two', '{[2026-01-06T10:00Z,2026-01-06T11:00Z)}', '2026-01-06T00:00:00Z'),
  pg_temp.fail('one', 'Broken', '2026-01-06T00:00:00Z');
select pg_temp.claim('2026-01-06T01:00:00Z');
update public.connected_calendars set is_selected = false;
select is(pg_temp.record('two', '{[2026-01-06T10:00Z,2026-01-06T12:00Z)}', '2026-01-06T00:00:01Z'), false,
  'record_calendar_busy rejects a reading of a calendar that was deselected meanwhile');
update private.calendar_busy set lease = (select r.lease from reads r limit 1), lease_expires_at = now();
select is(pg_temp.fail('two', 'Late', '2026-01-06T00:00:01Z'), false,
  'fail_calendar_read rejects a reader who claimed the calendar while it was being deselected');
update private.calendar_busy set lease = null, lease_expires_at = null;
select set_eq('select calendar, error from pg_temp.shown()', $$ values ('one', null), ('two', null) $$,
  'a deselected calendar has no error');
select is(pg_temp.connection(), 'active', 'a connection is active when its failing calendar is deselected');
update public.connected_calendars set is_selected = true where id = tests.id('two');
select is(tests.busy_times('two'), '{["2026-01-06 10:00:00+00","2026-01-06 11:00:00+00")}',
  'a calendar that is selected again soon blocks its last known busy times');
select is((pg_temp.busy('two')).due_at, '-infinity'::timestamptz, 'a calendar that is selected is due');
select pg_temp.claim('2026-01-06T00:00:59Z');
select is((select count(*) from reads), 0::bigint,
  'a calendar that is selected again is not read twice within a minute');
update public.connected_calendars set is_selected = false;
select private.enqueue_due_calendar_reads('2026-01-06T00:01:00Z');
select is(tests.busy_times('two'), null, 'enqueue_due_calendar_reads deletes the busy times of deselected calendars');
select is((select count(*) from private.calendar_busy b where num_nulls(b.due_at, b.fetched_at, b.window_start,
    b.window_end, b.error, b.lease) = 6), 2::bigint,
  'enqueue_due_calendar_reads forgets the readings of deselected calendars');
update public.connected_calendars set is_selected = true where id = tests.id('two');
select pg_temp.claim('2026-01-06T00:01:00Z');
select is((select string_agg(calendar, ' ') from reads), 'two', 'a calendar that is selected can be read at once');
update public.connected_calendars set is_selected = false where id = tests.id('two');
update public.connected_calendars set is_selected = true where id = tests.id('two');
select pg_temp.claim('2026-01-06T00:01:01Z');
select is((select string_agg(calendar, ' ') from reads), 'two',
  'a calendar that was deselected and selected again does not wait for the reader that it had');
delete from public.calendar_connections where id = tests.id('work');
select is(pg_temp.record('two', '{}', '2026-01-06T01:00:02Z'), false,
  'record_calendar_busy rejects a reading of a calendar that was removed meanwhile');
select is((select count(*) from private.calendar_busy), 0::bigint,
  'the busy times of a removed connection are deleted');

select * from tests.finish();
rollback;
