-- fail_calendar_read: which outages the owner is told of, and rejected logins. record_calendar_busy.test.sql has the
-- rest.
begin;
select tests.start();

select tests.podcast('Pilot', 'ola'), tests.booking_link('link', 'Pilot');
select tests.connection('home', 'ola', 'caldav');
select tests.connected_calendar('one', 'home'), tests.connected_calendar('two', 'home');
create function pg_temp.read(at timestamptz, error text default null, is_rejected boolean default false) returns bigint
language sql as $$
  update private.calendar_busy set stale_at = '-infinity';
  select count(*) from private.claim_calendar_reads(tests.id('link'), at => read.at) r
  cross join lateral jsonb_array_elements(r.calendars) c (calendar)
  cross join lateral (select (c.calendar ->> 'id')::uuid as id) v
  where case when error is null or v.id = tests.id('two') and not is_rejected
    then private.record_calendar_busy(v.id, r.lease, r.window_start, r.window_end, '{}', read.at)
    else private.fail_calendar_read(v.id, r.lease, error, null, read.at, is_rejected) end $$;
create function pg_temp.told() returns text language sql as $$
  select string_agg(e.type, ' ' order by e.id) from private.events e where e.type like 'calendar.%' $$;
create function pg_temp.shown() returns text language sql as $$
  select (n.status, n.last_error, n.failing_since at time zone 'UTC', n.is_failure_told)::text
  from public.calendar_connections n where n.id = tests.id('home') $$;

-- An outage
select pg_temp.read('2026-01-02T00:00:00Z'), pg_temp.read('2026-01-02T00:10:00Z', 'The server is down');
select is(pg_temp.shown(), '(failing,"The server is down","2026-01-02 00:10:00",f)',
  'fail_calendar_read stores since when a connection is failing');
select pg_temp.read('2026-01-02T01:09:59Z', 'The server is slow');
select is((pg_temp.shown(), pg_temp.told())::text,
  '("(failing,""The server is slow"",""2026-01-02 00:10:00"",f)",)',
  'fail_calendar_read tells nothing of an outage of less than an hour');
select pg_temp.read('2026-01-02T01:10:00Z', 'The server is down');
select is(pg_temp.told(), 'calendar.failing', 'fail_calendar_read tells the user after an hour');
select results_eq($$ select n.user_id, n.group_key, n.link from public.notifications n $$,
  $$ values (tests.id('ola'), 'calendar_connection:' || tests.id('home'), '/calendars') $$,
  'fail_calendar_read tells the user, and links to the page that repairs it');
select pg_temp.read('2026-01-02T01:20:00Z', 'The server is down'), pg_temp.read('2026-01-03T01:20:00Z', 'Still down');
select is(pg_temp.told(), 'calendar.failing', 'fail_calendar_read tells of an outage once');

-- What the user reads
select matches(n.title || ' ' || n.body,
  'Your calendar home@calendars.example can''t be read The server is down.*Check that the calendar is still shared',
  'calendar.failing says what is wrong and how to repair it') from public.notifications n;
select is((select string_agg(d.channel::text, ' ' order by d.channel::text) from public.notification_deliveries d
    where d.type = 'calendar.failing'), 'email', 'calendar.failing is an email, too');

-- Its end, and the next one
select pg_temp.read('2026-01-03T02:00:00Z');
select is(pg_temp.shown(), '(active,,,f)', 'a reading ends the outage');
select isnt((select n.read_at from public.notifications n), null, 'the end of the outage ends its notification');
select is((select d.status::text from public.notification_deliveries d where d.type = 'calendar.failing'), 'canceled',
  'the end of the outage cancels its email');
select pg_temp.read('2026-01-03T03:00:00Z', 'Down'), pg_temp.read('2026-01-03T04:00:00Z', 'Down again');
select is(pg_temp.told(), 'calendar.failing calendar.failing', 'fail_calendar_read tells of the next outage');

-- Rejected logins
select pg_temp.read('2026-01-04T00:00:00Z'), pg_temp.read('2026-01-04T01:00:00Z', 'Wrong login', true);
select is(pg_temp.shown(), '(failing,"Wrong login","2026-01-04 01:00:00",f)',
  'fail_calendar_read tries a rejected login again');
select pg_temp.read('2026-01-04T02:00:00Z', 'Wrong login', true);
select is(pg_temp.shown(), '(revoked,"Wrong login","2026-01-04 01:00:00",f)',
  'fail_calendar_read revokes a connection whose login is rejected for an hour');
select is(pg_temp.told(), 'calendar.failing calendar.failing calendar.revoked',
  'a connection that is revoked is told of at once');
select is(pg_temp.read('2026-01-04T03:00:00Z'), 0::bigint, 'a revoked connection is not read');
update public.calendar_connections set last_error = 'Other' where id = tests.id('home');
select is(pg_temp.told(), 'calendar.failing calendar.failing calendar.revoked', 'a revocation is told of once');
select matches(n.title || ' ' || n.body, 'Reconnect your calendar home@calendars.example Wrong login.*Connect it again',
  'calendar.revoked says what is wrong and how to repair it')
from public.notifications n where n.type = 'calendar.revoked';

select * from tests.finish();
rollback;
