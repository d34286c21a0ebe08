-- return_calendar_read: a calendar whose reader had no time did not fail
begin;
select tests.start();

select tests.podcast('Pilot', 'ola'), tests.booking_link('link', 'Pilot');
select tests.connection('home', 'ola', 'caldav');
select tests.connected_calendar('one', 'home'), tests.connected_calendar('two', 'home');
update private.calendar_busy set due_at = '2026-01-02T00:00:30Z', error = 'Earlier', failures = 3
where calendar_id = tests.id('two');
create temp table read as select * from private.claim_calendar_reads(tests.id('link'), at => '2026-01-02T00:00:00Z');
create function pg_temp.returned(calendar text, is_slow boolean, lease uuid default null) returns boolean
language sql as $$
  select private.return_calendar_read(tests.id(calendar), coalesce(returned.lease, (select r.lease from read r)),
    is_slow)
$$;
create temp table before as
  select b.calendar_id, b.stale_at, b.due_at, b.failures, b.error, b.fetched_at from private.calendar_busy b;

select is(pg_temp.returned('one', true, gen_random_uuid()), false,
  'return_calendar_read rejects a reader whose lease another one has');
select is((pg_temp.returned('one', true), pg_temp.returned('two', false))::text, '(t,t)',
  'return_calendar_read returns true for the holder of the lease');
select is(pg_temp.returned('one', false), false, 'return_calendar_read ends the lease');
select set_eq($$ select b.calendar_id, b.is_slow, b.lease, b.lease_expires_at from private.calendar_busy b $$,
  $$ values (tests.id('one'), true, null::uuid, null::timestamptz), (tests.id('two'), false, null, null) $$,
  'return_calendar_read stores which calendar is slow');
select set_eq($$ select b.calendar_id, b.stale_at, b.due_at, b.failures, b.error, b.fetched_at
    from private.calendar_busy b $$, 'select * from before',
  'return_calendar_read counts no failure, and postpones nothing');
select is((select n.status::text from public.calendar_connections n where n.id = tests.id('home')), 'active',
  'return_calendar_read leaves the status of the connection');
select results_eq($$ select tests.queued('calendar_reads') $$,
  $$ values (jsonb_build_object('connection_id', tests.id('home'), 'user_id', tests.id('ola'))) $$,
  'return_calendar_read enqueues the connection, once for several calendars');
select is((select sum(jsonb_array_length(r.calendars)) from private.claim_calendar_reads(
    _connection_id => tests.id('home'), at => '2026-01-02T00:00:00Z') r), 2::bigint,
  'the worker can claim what was returned at once');
select pg_temp.returned('one', false, r.lease) from private.calendar_busy r where r.calendar_id = tests.id('one');
select is((select b.is_slow from private.calendar_busy b where b.calendar_id = tests.id('one')), true,
  'return_calendar_read keeps a calendar slow that had no time once more');

select * from tests.finish();
rollback;
