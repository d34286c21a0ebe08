-- Which calendars a page view or a job reads, and when
begin;
select tests.start();

select tests.team('Pilot', 'ola', 'ada', 'mia'), tests.podcast('Other', 'sam');
select tests.booking_link('link', 'Pilot', '{"max_advance_days": 30}'),
  tests.booking_link('later', 'Pilot', '{"max_advance_days": 90}');
select tests.connection('work', 'ola'), tests.connection('home', 'ada', 'ics'), tests.connection('mine', 'mia'),
  tests.connection('sams', 'sam');
select tests.connected_calendar(name, connection, name <> 'ola 3')
from (values ('ola 1', 'work'), ('ola 2', 'work'), ('ola 3', 'work'), ('ada 1', 'home'), ('mia 1', 'mine'),
  ('sam 1', 'sams')) v (name, connection);

select tests.booking_link('closed', 'Pilot', '{"max_advance_days": 300, "is_active": false}');
select tests.booking_link('foreign', 'Other', '{"max_advance_days": 200}'), tests.member('ola', 'Other');

create function pg_temp.names(calendars jsonb) returns text language sql as $$
  select string_agg(i.name, ' ' order by i.name) from jsonb_array_elements(calendars) c (calendar)
  join tests.ids i on i.id = (c.calendar ->> 'id')::uuid $$;
create function pg_temp.claimed(at timestamptz, link text default 'link') returns text language sql as $$
  select string_agg(pg_temp.names(r.calendars), ' ' order by pg_temp.names(r.calendars))
  from private.claim_calendar_reads(tests.id(link), at => at) r $$;
create function pg_temp.record(at timestamptz, last timestamptz default '2026-04-03T00:00:00Z') returns bigint
language sql as $$
  select count(*) from private.calendar_busy b
  where b.lease is not null
    and private.record_calendar_busy(b.calendar_id, b.lease, '2026-01-01T00:00:00Z', last, '{}', at) $$;

-- Who, and as what
update profiles set timezone = 'Asia/Kathmandu' where id = tests.id('ola');
create temp table first as
  select * from private.claim_calendar_reads(tests.id('link'), at => '2026-01-02T13:59:00Z');
select set_eq($$ select i.name, f.provider::text, pg_temp.names(f.calendars) from first f
    join tests.ids i on i.id = f.read_connection_id $$,
  $$ values ('work', 'google', 'ola 1 ola 2'), ('home', 'ics', 'ada 1') $$,
  'claim_calendar_reads returns the selected calendars of owner and admins by connection, and of no other user');
select is((select f.calendars from first f where f.provider = 'ics'),
  jsonb_build_array(jsonb_build_object('id', tests.id('ada 1'), 'externalId', 'ada 1')),
  'claim_calendar_reads returns the id and the external id of each calendar');
select set_eq('select provider::text, time_zone from first',
  $$ values ('google', 'Asia/Kathmandu'), ('ics', 'Europe/Berlin') $$,
  'claim_calendar_reads returns the time zone of each connection''s user, or of their links');
select is((select array_agg(distinct f.window_start) from first f), '{2026-01-01T00:00:00Z}'::timestamptz[],
  'claim_calendar_reads returns a window that begins with the day in the zone that is 14 hours behind UTC');
select is((select array_agg(distinct f.window_end) from first f), '{2026-04-04T00:00:00Z}'::timestamptz[],
  'claim_calendar_reads returns a window that ends two days after the last one of the user''s links');
select is((select count(distinct f.lease) from first f), 1::bigint, 'claim_calendar_reads returns one lease');

-- The lease
select is(pg_temp.claimed('2026-01-02T13:59:04Z'), null,
  'claim_calendar_reads returns no calendar that another reader has leased');
select is(pg_temp.claimed('2026-01-02T13:59:05Z'), 'ada 1 ola 1 ola 2',
  'claim_calendar_reads returns a calendar again when the lease has expired, as that of a killed reader');
select is((select private.record_calendar_busy((calendar ->> 'id')::uuid, f.lease, f.window_start, f.window_end, '{}')
    from first f, jsonb_array_elements(f.calendars) calendar limit 1), false,
  'record_calendar_busy rejects a reader whose lease another one has');
select is((select array_agg(distinct b.lease_expires_at) from private.calendar_busy b where b.lease is not null),
  '{2026-01-02T13:59:10Z}'::timestamptz[], 'claim_calendar_reads leases for five seconds');

-- The cache
select is(pg_temp.record('2026-01-02T14:00:00Z'), 3::bigint, 'each leased calendar can be recorded');
select is(pg_temp.claimed('2026-01-02T14:00:59Z'), null,
  'claim_calendar_reads returns no calendar that was read within calendar_cache_seconds');
select is(pg_temp.claimed('2026-01-02T14:01:00Z'), 'ada 1 ola 1 ola 2',
  'claim_calendar_reads returns calendars that were read longer ago than calendar_cache_seconds');
select private.set_setting('calendar_cache_seconds', '300');
select pg_temp.record('2026-01-02T14:01:00Z');
select is(pg_temp.claimed('2026-01-02T14:05:59Z'), null, 'calendar_cache_seconds can be longer');
select is(pg_temp.claimed('2026-01-03T14:02:00Z', 'later'), 'ada 1 ola 1 ola 2',
  'claim_calendar_reads returns calendars whose reading is stale for each link');
select pg_temp.record('2026-01-03T14:02:00Z', '2026-02-04T00:00:00Z');
select is(pg_temp.claimed('2026-01-03T14:02:01Z'), null,
  'claim_calendar_reads returns no calendar whose reading covers the link''s last day');
select is(pg_temp.claimed('2026-01-03T14:02:01Z', 'later'), 'ada 1 ola 1 ola 2',
  'claim_calendar_reads returns calendars whose reading ends before the link''s last day');
select pg_temp.record('2026-01-03T14:02:01Z');
select private.set_setting('calendar_cache_seconds', null);

-- Failures
select pg_temp.claimed('2026-01-04T00:00:00Z');
update private.calendar_busy set window_end = '2026-01-04T12:00:00Z' where calendar_id = tests.id('ola 1');
select is((select private.fail_calendar_read(b.calendar_id, b.lease, 'Broken', at => '2026-01-04T00:00:00Z')
  from private.calendar_busy b where b.calendar_id = tests.id('ola 1')), true, 'a calendar can fail');
select pg_temp.record('2026-01-04T00:00:00Z', '2026-01-05T00:00:00Z');
select is(pg_temp.claimed('2026-01-04T00:00:59Z'), 'ada 1 ola 2',
  'claim_calendar_reads waits for the backoff of a calendar that failed, even if its reading is too short');
select pg_temp.record('2026-01-04T00:00:59Z');
select is(pg_temp.claimed('2026-01-04T00:01:00Z'), 'ola 1', 'claim_calendar_reads tries a failed calendar again');
select pg_temp.record('2026-01-04T00:01:00Z');
update public.calendar_connections set status = 'revoked', last_error = 'Revoked' where id = tests.id('work');
select is(pg_temp.claimed('2026-01-05T00:00:00Z'), 'ada 1',
  'claim_calendar_reads returns no calendar of a revoked connection');
select pg_temp.record('2026-01-05T00:00:00Z');
update public.calendar_connections set status = 'active', last_error = null where id = tests.id('work');
update public.calendar_connections set status = 'failing' where id = tests.id('work');
select is(pg_temp.claimed('2026-01-05T00:00:59Z'), 'ola 1 ola 2',
  'claim_calendar_reads returns calendars of a failing connection');
select pg_temp.record('2026-01-05T00:00:59Z');

-- Hosts
update public.podcast_members set role = 'member' where user_id = tests.id('ada') and podcast_id = tests.id('Pilot');
select is(pg_temp.claimed('2026-01-05T12:00:00Z'), 'ola 1 ola 2',
  'claim_calendar_reads returns no calendar of a host who became a member');
select pg_temp.record('2026-01-05T12:00:00Z');
update public.podcast_members set role = 'admin' where user_id = tests.id('ada') and podcast_id = tests.id('Pilot');

-- Links that are not offered
update public.booking_links set is_active = false where id = tests.id('link');
select is(pg_temp.claimed('2026-01-06T00:00:00Z'), null, 'claim_calendar_reads returns nothing for an inactive link');
select is((select count(*) from private.claim_calendar_reads(gen_random_uuid())), 0::bigint,
  'claim_calendar_reads returns nothing for an unknown link');
select is((select count(*) from private.claim_calendar_reads()), 0::bigint,
  'claim_calendar_reads returns nothing without a link or a connection');
update public.booking_links set is_active = true where id = tests.id('link');
select tests.set_status('Pilot', 'pending_deletion');
select is(pg_temp.claimed('2026-01-06T00:00:00Z'), null,
  'claim_calendar_reads returns nothing for a podcast whose deletion is pending');
select tests.set_status('Pilot', 'paused');

-- A connection
select is((select string_agg(pg_temp.names(r.calendars), ',') from private.claim_calendar_reads(
    _connection_id => tests.id('home'), at => '2026-01-06T00:00:00Z') r), 'ada 1',
  'claim_calendar_reads returns the calendars of one connection');
select is((select r.window_end from private.claim_calendar_reads(
    _connection_id => tests.id('mine'), at => '2026-01-06T00:00:00Z') r), '2026-03-09T00:00:00Z'::timestamptz,
  'claim_calendar_reads returns a window of 60 days for a user without an active link');

-- Bounds
update private.calendar_busy set stale_at = 'infinity', lease = null, lease_expires_at = null;
select tests.connection('large', 'ola', 'google'), tests.connection('server', 'ola', 'caldav');
select count(tests.connected_calendar('many ' || n, 'large')) from generate_series(1, 60) n;
update private.calendar_busy b set stale_at = '2025-12-01' from tests.ids i
where i.id = b.calendar_id and i.name = 'many 60';
update private.calendar_busy b set stale_at = '2026-01-01' where b.stale_at = '-infinity';
create temp table most as select * from private.claim_calendar_reads(tests.id('link'), at => '2026-01-07T00:00:00Z');
select is((select sum(jsonb_array_length(calendars)) from most), 50::bigint,
  'claim_calendar_reads returns at most 50 calendars');
select ok((select bool_or(pg_temp.names(calendars) ~ 'many 60') from most),
  'claim_calendar_reads returns the longest unread calendars');
select is(pg_temp.claimed('2026-01-07T00:00:00Z'), null,
  'claim_calendar_reads returns no calendar of a connection that another reader has');
update private.calendar_busy set stale_at = 'infinity', lease = null, lease_expires_at = null where lease is not null;
select is((select sum(jsonb_array_length(r.calendars)) from private.claim_calendar_reads(
    tests.id('link'), at => '2026-01-07T00:00:00Z') r), 10::bigint,
  'claim_calendar_reads continues with the remaining calendars');
update private.calendar_busy set stale_at = 'infinity', lease = null, lease_expires_at = null;
select count(tests.connected_calendar('url ' || n, 'server')) from generate_series(1, 12) n;
select is((select jsonb_array_length(r.calendars) from private.claim_calendar_reads(
    tests.id('link'), at => '2026-01-07T00:00:00Z') r), 10,
  'claim_calendar_reads returns at most 10 calendars of a server that its user named');

-- The worker: what it cannot claim now, it looks at again
create function pg_temp.empty_queue() returns void language sql as $$
  select tests.empty_queue('calendar_reads');
  select set_config('tests.emptied_at', clock_timestamp()::text, true);
$$;
create function pg_temp.job(connection text, at timestamptz) returns text language sql as $$
  select pg_temp.empty_queue();
  select string_agg(pg_temp.names(r.calendars), ' ')
  from private.claim_calendar_reads(_connection_id => tests.id(connection), lease_seconds => 32, at => at) r $$;
create function pg_temp.delays() returns text language sql as $$
  select string_agg(i.name || ' ' || floor(extract(epoch from q.vt - current_setting('tests.emptied_at')::timestamptz)
    / 5) * 5, ', ')
  from pgmq.q_calendar_reads q join tests.ids i on i.id = (q.message ->> 'connection_id')::uuid
  where q.message ->> 'user_id' = tests.id('ola')::text $$;
select is((pg_temp.job('server', '2026-01-07T00:00:04Z'), pg_temp.delays())::text, '(,"server 5")',
  'claim_calendar_reads returns no calendar of a connection that a page view reads, and enqueues it again');
update private.calendar_busy set lease = null, lease_expires_at = null;
select isnt(pg_temp.job('server', '2026-01-07T00:00:06Z'), null, 'claim_calendar_reads returns what is free');
select is(pg_temp.delays(), 'server 5', 'claim_calendar_reads enqueues a connection of which calendars remain');
update private.calendar_busy set stale_at = 'infinity' where lease is null;
update private.calendar_busy set lease = null, lease_expires_at = null;
select isnt(pg_temp.job('server', '2026-01-07T00:00:07Z'), null, 'claim_calendar_reads returns the others again');
select is(pg_temp.delays(), null, 'claim_calendar_reads enqueues nothing once the worker has all that is stale');
select tests.connection('reader ' || n, 'ola', 'ics') from generate_series(1, 3) n;
select tests.connected_calendar('shifts ' || n, 'reader ' || n) from generate_series(1, 3) n;
select is((pg_temp.job('reader 1', '2026-01-07T00:00:08Z'), pg_temp.job('reader 2', '2026-01-07T00:00:08Z'),
  pg_temp.job('reader 3', '2026-01-07T00:00:08Z'), pg_temp.delays())::text, '("shifts 1","shifts 2",,"reader 3 5")',
  'claim_calendar_reads lets the worker read three connections of a user at once');
update private.calendar_busy set lease = null, lease_expires_at = null;

-- Slow calendars
select pg_temp.empty_queue();
update private.calendar_busy set is_slow = true where calendar_id = tests.id('shifts 1');
select is(pg_temp.claimed('2026-01-07T00:01:00Z'), 'shifts 2 shifts 3 '
  || (select string_agg('url ' || n, ' ' order by 'url ' || n) from generate_series(1, 12) n
    join tests.ids i on i.name = 'url ' || n join private.calendar_busy b on b.calendar_id = i.id
    where b.stale_at < 'infinity'),
  'claim_calendar_reads returns no slow calendar for a link');
select is(pg_temp.delays(), 'reader 1 0', 'claim_calendar_reads enqueues the slow calendars of a viewed page');
select pg_temp.claimed('2026-01-07T00:01:01Z');
select is(pg_temp.delays(), 'reader 1 0', 'claim_calendar_reads enqueues slow calendars once');
update private.calendar_busy set lease = null, lease_expires_at = null;
select pg_temp.empty_queue();
update private.calendar_busy set stale_at = '2026-01-07T00:02:00Z' where is_slow;
select pg_temp.claimed('2026-01-07T00:01:30Z');
select is(pg_temp.delays(), null, 'claim_calendar_reads leaves a slow calendar that was just read');
update private.calendar_busy set lease = null, lease_expires_at = null;
select is(pg_temp.job('reader 1', '2026-01-07T00:02:00Z'), 'shifts 1',
  'claim_calendar_reads returns slow calendars to the worker');
update private.calendar_busy set lease = null, lease_expires_at = null, is_slow = false;

-- Computing time
select private.add_calendar_cost(tests.id('ola'), 7000, '2026-01-07T00:03:00Z');
select is((pg_temp.claimed('2026-01-07T00:03:00Z'), pg_temp.job('reader 1', '2026-01-07T00:03:00Z'),
  pg_temp.delays())::text, '(,,"reader 1 60")',
  'claim_calendar_reads returns nothing of a user whose calendars used up their computing time');
select is((pg_temp.job('reader 1', '2026-01-07T00:04:10Z'), pg_temp.delays())::text, '(,"reader 1 15")',
  'claim_calendar_reads enqueues a connection for when the computing time has recovered');
select is((select min(r.cpu_left_ms) from private.claim_calendar_reads(tests.id('link'), at => '2026-01-07T00:04:30Z')
  r), 500, 'claim_calendar_reads returns the computing time that is left');

select tests.access('claim_calendar_reads', 'select * from private.claim_calendar_reads()', '42501: anon ola');

select * from tests.finish();
rollback;
