-- The scheduler: which deliveries it enqueues, and in which order
begin;
select tests.start();

select tests.person('ann'), tests.person('bob');
create function pg_temp.delivery(
  name text, channel text, priority text, due_at timestamptz, status text default 'pending')
returns void language sql as $$
  insert into public.notification_deliveries (id, user_id, type, channel, priority, due_at, status)
  values (tests.remember(name, gen_random_uuid()), tests.id('bob'), 'chat.message',
    channel::public.notification_channel, priority::public.notification_priority, due_at,
    status::public.delivery_status)
$$;
create function pg_temp.enqueued(channel text default 'email') returns text language sql as $$
  select string_agg(i.name, ' ' order by q.n)
  from tests.queued(channel || '_deliveries') with ordinality q (message, n)
  join tests.ids i on i.id = (q.message ->> 'delivery_id')::uuid
$$;
select pg_temp.delivery(name, channel, priority, due_at::timestamptz, status)
from (values ('low early', 'email', 'low', '2026-01-01T00:00:00Z', 'pending'),
  ('normal late', 'email', 'normal', '2026-01-01T00:00:05Z', 'pending'),
  ('normal early', 'push', 'normal', '2026-01-01T00:00:04Z', 'pending'),
  ('immediate late', 'email', 'immediate', '2026-01-01T00:00:09Z', 'pending'),
  ('immediate later', 'email', 'immediate', '2026-01-01T00:00:11Z', 'pending'),
  ('queued', 'email', 'immediate', '2026-01-01T00:00:00Z', 'queued'),
  ('canceled', 'email', 'immediate', '2026-01-01T00:00:00Z', 'canceled'),
  ('sent', 'email', 'immediate', '2026-01-01T00:00:00Z', 'sent')) v (name, channel, priority, due_at, status);

select is(private.enqueue_due_deliveries('2026-01-01T00:00:10Z', 3), 3,
  'enqueue_due_deliveries returns how many it enqueued, at most max_deliveries');
select is(pg_temp.enqueued(), 'immediate late normal late',
  'enqueue_due_deliveries enqueues by priority, then by due_at');
select is(pg_temp.enqueued('push'), 'normal early', 'enqueue_due_deliveries enqueues pushes in a queue of their own');
select set_eq($$ select status::text, queued_at from public.notification_deliveries
    where id in (tests.id('immediate late'), tests.id('normal early'), tests.id('normal late')) $$,
  $$ values ('queued', '2026-01-01T00:00:10Z'::timestamptz) $$, 'enqueue_due_deliveries marks deliveries as queued');
select is(private.enqueue_due_deliveries('2026-01-01T00:00:10Z', 3), 1,
  'enqueue_due_deliveries continues with the remaining deliveries');
select is(private.enqueue_due_deliveries('2026-01-01T00:00:10Z'), 0,
  'enqueue_due_deliveries enqueues each delivery once, and none that is not due, canceled or sent');
select is(pg_temp.enqueued(), 'immediate late normal late low early',
  'enqueue_due_deliveries writes one message per delivery');
select is((select q from tests.queued('email_deliveries') q limit 1),
  jsonb_build_object('delivery_id', tests.id('immediate late'), 'recipient', tests.id('bob')),
  'a message of the queue email_deliveries names the delivery and its recipient');
select tests.empty_queue('email_deliveries');
insert into public.notification_deliveries (id, type, channel, priority, due_at)
values (tests.remember('to address', gen_random_uuid()), 'chat.message', 'email', 'normal', '2026-01-01');
select private.enqueue_due_deliveries('2026-01-01T00:00:09Z');
select is((select q ->> 'recipient' from tests.queued('email_deliveries') q), tests.id('to address')::text,
  'the recipient of an email to an address is the delivery itself');

-- The setting
select tests.empty_queue(channel || '_deliveries') from unnest('{email,push}'::text[]) channel;
delete from public.notification_deliveries;
delete from tests.ids where name not in ('ann', 'bob');
select pg_temp.delivery('n' || n, 'email', 'normal', '2026-01-01T00:00:00Z') from generate_series(1, 201) n;
select is(private.enqueue_due_deliveries('2026-01-01T00:00:10Z'), 200,
  'enqueue_due_deliveries claims 200 deliveries by default');
select private.set_setting('max_deliveries_per_run', '0');
select is(private.enqueue_due_deliveries('2026-01-01T00:00:10Z'), 0,
  'enqueue_due_deliveries claims as many as max_deliveries_per_run says');
select private.set_setting('max_deliveries_per_run', null);

-- Waking the worker
delete from net.http_request_queue;
select vault.create_secret('s', 'worker_secret');
select set_config('castbase.worker_woken_email_deliveries', '', true);
select private.enqueue_due_deliveries('2025-12-31T00:00:00Z');
select is((select count(*) from net.http_request_queue), 0::bigint,
  'enqueue_due_deliveries does not wake the worker for nothing');
select private.enqueue_due_deliveries('2026-01-01T00:00:10Z');
select is((select count(*) from net.http_request_queue), 1::bigint, 'enqueue_due_deliveries wakes the worker');

-- After an outage
delete from public.notification_deliveries;
delete from tests.ids where name not in ('ann', 'bob');
select tests.empty_queue(channel || '_deliveries') from unnest('{email,push}'::text[]) channel;
select pg_temp.delivery(format('%s %s %s', channel, priority, hour), channel, priority,
  '2026-01-03T00:00:00Z'::timestamptz + hour * interval '1 hour')
from unnest('{low,immediate}'::text[]) priority, unnest('{email,push}'::text[]) channel, generate_series(18, 20) hour;
update public.notification_deliveries set type = 'import.failed' where id = tests.id('push low 18');
select is(private.enqueue_due_deliveries('2026-01-03T23:30:00Z', 9), 9,
  'enqueue_due_deliveries does not count late pushes as enqueued');
select set_eq($$ select i.name from public.notification_deliveries d join tests.ids i on i.id = d.id
    where d.status = 'queued' $$, array['email immediate 18', 'email immediate 19', 'email immediate 20',
    'push immediate 20', 'email low 18', 'push low 18', 'email low 19', 'email low 20', 'push low 20'],
  'enqueue_due_deliveries enqueues late emails, and pushes until the push_ttl of their type has passed');
select set_eq($$ select d.status::text, d.failed_at, s.last_error, i.name from public.notification_deliveries d
    join private.delivery_sends s on s.delivery_id = d.id join tests.ids i on i.id = d.id $$,
  $$ values ('failed', '2026-01-03T23:30:00Z'::timestamptz, 'The push was not sent in time', 'push immediate 18'),
    ('failed', '2026-01-03T23:30:00Z', 'The push was not sent in time', 'push immediate 19'),
    ('failed', '2026-01-03T23:30:00Z', 'The push was not sent in time', 'push low 19') $$,
  'enqueue_due_deliveries fails late pushes with the reason');
insert into public.notification_deliveries (user_id, type, channel, priority, due_at)
select tests.id('bob'), t.type, c.channel, 'low', '2026-01-03T18:30:00Z'
from unnest('{import.failed,podcast.paused}'::text[]) t (type),
  unnest('{email,push}'::public.notification_channel[]) c (channel), generate_series(1, 500);
analyze public.notification_deliveries;
create function pg_temp.rows_read() returns bigint language sql volatile as $$
  select s.seq_tup_read + s.idx_tup_fetch from pg_stat_xact_user_tables s
  where s.relid = 'public.notification_deliveries'::regclass $$;
create temp table before as select pg_temp.rows_read();
select private.enqueue_due_deliveries('2026-01-03T23:30:00Z', 0);
select cmp_ok(pg_temp.rows_read() - (select rows_read from before), '<', 50::bigint,
  'enqueue_due_deliveries looks for late pushes without reading the other due deliveries');
select tests.access('enqueue_due_deliveries', 'select private.enqueue_due_deliveries()', '42501: anon ann service');

select * from tests.finish();
rollback;
