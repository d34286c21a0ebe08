-- The job that keeps the busy times of active links fresh
begin;
select tests.start();

select tests.team('Pilot', 'ola', 'ada', 'mia'),
  tests.podcast('Paused', 'pia'), tests.podcast('Closed', 'cal'), tests.podcast('Idle', 'ida');
select tests.booking_link('link', 'Pilot'), tests.booking_link('paused_link', 'Paused'),
  tests.booking_link('closed_link', 'Closed'), tests.booking_link('inactive_link', 'Idle');
update public.booking_links set is_active = false where id = tests.id('inactive_link');
select tests.set_status('Paused', 'paused'), tests.set_status('Closed', 'pending_deletion');
select tests.connection(who || ' connection', who)
from unnest(array['ola', 'ada', 'mia', 'pia', 'cal', 'ida']) who;
select tests.connected_calendar(who || ' ' || n, who || ' connection', n < 3)
from unnest(array['ola', 'ada', 'mia', 'pia', 'cal', 'ida']) who, generate_series(1, 3) n;
select tests.connection('deselected', 'ola'), tests.connected_calendar('off', 'deselected', false);

create function pg_temp.enqueued() returns text language sql as $$
  select string_agg(split_part(i.name, ' ', 1), ' ' order by q.n)
  from tests.queued('calendar_reads') with ordinality q (message, n)
  join tests.ids i on i.id = (q.message ->> 'connection_id')::uuid $$;

insert into private.calendar_busy_intervals values (tests.id('ola 1'), '[2026-01-05T10:00Z,2026-01-05T11:00Z)');
select is(private.enqueue_due_calendar_reads('2026-01-02T00:00:00Z'), 3,
  'enqueue_due_calendar_reads returns how many connections it enqueued');
select set_eq($$ select i.name from tests.queued('calendar_reads') q
    join tests.ids i on i.id = (q ->> 'connection_id')::uuid $$,
  array['ola connection', 'ada connection', 'pia connection'],
  'enqueue_due_calendar_reads enqueues connections of owner and admins of podcasts that can be booked, each once');
select isnt(tests.busy_times('ola 1'), null, 'enqueue_due_calendar_reads keeps the busy times of selected calendars');
select is(private.enqueue_due_calendar_reads('2026-01-02T00:09:59Z'), 0,
  'enqueue_due_calendar_reads enqueues no calendar within calendar_refresh_minutes');

-- The longest unread first, within bounds
select tests.empty_queue('calendar_reads');
update private.calendar_busy set due_at = '2026-01-10T00:00:00Z' where due_at is not null;
update private.calendar_busy b set due_at = '2026-01-03T00:00:00Z'::timestamptz + order_of.n * interval '1 second'
from (values ('pia 1', 1), ('ola 2', 2), ('ada 1', 3)) order_of (name, n) where b.calendar_id = tests.id(order_of.name);
select is(private.enqueue_due_calendar_reads('2026-01-03T00:00:03Z', 2), 2,
  'enqueue_due_calendar_reads examines at most max_reads calendars');
select is(pg_temp.enqueued(), 'pia ola', 'enqueue_due_calendar_reads enqueues the longest unread first');
select is(private.enqueue_due_calendar_reads('2026-01-03T00:00:03Z', 2), 0,
  'enqueue_due_calendar_reads enqueues nothing while as many messages wait');
select is(private.enqueue_due_calendar_reads('2026-01-03T00:00:03Z', 3), 1,
  'enqueue_due_calendar_reads continues with the remaining calendars');

-- Failing and revoked connections
select tests.empty_queue('calendar_reads');
update private.calendar_busy set due_at = null
where calendar_id in (select i.id from tests.ids i where i.name <> 'ola 1');
update private.calendar_busy set due_at = '2026-01-03T00:00:00Z' where calendar_id = tests.id('ola 1');
update public.calendar_connections set status = 'revoked', last_error = 'Revoked' where id = tests.id('ola connection');
select is(private.enqueue_due_calendar_reads('2026-01-05T00:00:00Z'), 0,
  'enqueue_due_calendar_reads enqueues no revoked connection');
update public.calendar_connections set status = 'active', last_error = null where id = tests.id('ola connection');
update public.calendar_connections set status = 'failing' where id = tests.id('ola connection');
select is(private.enqueue_due_calendar_reads('2026-01-05T00:10:00Z'), 1,
  'enqueue_due_calendar_reads enqueues a failing connection');

-- Waking the worker
delete from net.http_request_queue;
select vault.create_secret('s', 'worker_secret');
update private.queues set is_paused = false where name = 'calendar_reads';
select set_config('castbase.worker_woken_calendar_reads', '', true);
select private.enqueue_due_calendar_reads('2026-01-05T00:11:00Z');
select is((select count(*) from net.http_request_queue), 0::bigint,
  'enqueue_due_calendar_reads does not wake the worker for nothing');
select private.enqueue_due_calendar_reads('2026-01-05T00:20:00Z');
select is((select count(*) from net.http_request_queue), 1::bigint, 'enqueue_due_calendar_reads wakes the worker');

select * from tests.finish();
rollback;
