-- add_calendar_cost and calendar_cpu_left_ms: computing time of a user's calendars, which recovers with time
begin;
select tests.start();

select tests.person('ada'), tests.person('ben');
create function pg_temp.left_ms(at timestamptz, who text default 'ada') returns int language sql as $$
  select private.calendar_cpu_left_ms(tests.id(who), at) $$;
select is(pg_temp.left_ms('2026-01-02Z'), 3000, 'calendar_cpu_left_ms is max_calendar_cpu_ms_per_minute at first');
select private.add_calendar_cost(tests.id('ada'), 1000, '2026-01-02T00:00:00Z');
select is(pg_temp.left_ms('2026-01-02T00:00:00Z'), 2000, 'add_calendar_cost takes from the computing time');
select is(pg_temp.left_ms('2026-01-02T00:00:10Z'), 2500, 'the computing time recovers with time');
select is(pg_temp.left_ms('2026-01-03T00:00:00Z'), 3000, 'the computing time recovers no further');
select private.add_calendar_cost(tests.id('ada'), 9500, '2026-01-02T00:00:10Z');
select is(pg_temp.left_ms('2026-01-02T00:00:10Z'), -7000, 'add_calendar_cost adds what is over the limit');
select is(pg_temp.left_ms('2026-01-02T00:02:30Z'), 0, 'a user pays for more than the limit with a longer wait');
select is(pg_temp.left_ms('2026-01-02T00:00:00Z', 'ben'), 3000, 'add_calendar_cost counts each user');
select private.add_calendar_cost(tests.id('ada'), 100, '2026-01-01T00:00:00Z');
select is(pg_temp.left_ms('2026-01-02T00:02:30Z'), -100, 'add_calendar_cost adds what an earlier reading reports late');
select private.add_calendar_cost(tests.id('ben'), 2147483647, '2026-01-02Z');
select private.add_calendar_cost(tests.id('ben'), -5, '2026-01-02Z');
select is(pg_temp.left_ms('2026-01-02Z', 'ben'), -3597000,
  'add_calendar_cost adds at most an hour, and nothing negative');
select is(tests.error_of($$ select private.add_calendar_cost(gen_random_uuid(), 5) $$), 'none',
  'add_calendar_cost ignores a deleted user');
select private.set_setting('max_calendar_cpu_ms_per_minute', '0');
select is(pg_temp.left_ms('2026-01-04Z', 'ben') <= 0, true, 'no reading begins with max_calendar_cpu_ms_per_minute 0');
select tests.access('add_calendar_cost', 'select private.add_calendar_cost(gen_random_uuid(), 1)', '42501: anon ada');

select * from tests.finish();
rollback;
