-- Queues: enqueue, claim, retry, dead letter, pause
begin;
select tests.start();

select tests.access('enqueue', $$ select private.enqueue('storage_gc', '{}') $$, '42501: anon service');
select is(tests.result_of('anon', 'select from pgmq.q_storage_gc'), '42501', 'clients may not read a queue');
select set_eq('select queue_name from pgmq.list_queues()',
  $$ select n from private.queues q, unnest(array[q.name, q.name || '_dlq']) n $$,
  'every queue has a dead-letter queue');

-- enqueue and wake_worker
select vault.create_secret('s3cret', 'worker_secret');
select private.enqueue('storage_gc', '{"n":1}'), private.enqueue('storage_gc', '{"n":2}'),
  private.enqueue('feed_invalidation', '{"n":3}');
select is((select count(*) from net.http_request_queue), 2::bigint,
  'enqueue wakes the worker once per transaction and queue');
select is(
  (select (url, headers ->> 'Authorization', convert_from(body, 'UTF8')::jsonb)::text
   from net.http_request_queue order by id limit 1),
  '(https://casts.test/functions/v1/worker,"Bearer s3cret","{""queue"": ""storage_gc""}")',
  'wake_worker sends the queue and the secret to worker_url');
delete from net.http_request_queue;

-- claim_jobs and acknowledge_jobs
select is(
  (select array_agg(message order by message::text) from private.claim_jobs('storage_gc', 10, 30)),
  array['{"n":1}', '{"n":2}']::jsonb[], 'claim_jobs returns visible messages');
select is((select count(*) from private.claim_jobs('storage_gc', 10, 30)), 0::bigint,
  'claim_jobs returns no message that another worker has claimed');
select is(
  (select count(*) from private.claim_jobs('storage_gc', 10, 30, clock_timestamp() + interval '31 seconds')), 2::bigint,
  'claim_jobs returns a message again after its visibility timeout');
select private.acknowledge_jobs('storage_gc', array(select msg_id from pgmq.q_storage_gc where message = '{"n":1}'));
select is((select count(*) from pgmq.q_storage_gc), 1::bigint, 'acknowledge_jobs deletes the message');

-- Order of claims
select pgmq.send('import_feeds', jsonb_build_object('n', n), '2026-01-01'::timestamptz + after)
from unnest(array['3 s', '1 s', '2 s', '1 s']::interval[]) with ordinality d (after, n) order by n;
select is((select string_agg(message ->> 'n', ' ') from private.claim_jobs('import_feeds', 3, 30)), '2 3 4',
  'claim_jobs claims the messages that have been visible for longest, and returns them by id');
select is((select string_agg(message ->> 'n', ' ') from private.claim_jobs('import_feeds', 3, 30)), '1',
  'claim_jobs claims a retry, whose id is lower, after the messages that were visible before it');
select tests.empty_queue('import_feeds');

-- fail_job
create temp table job as select msg_id from pgmq.q_storage_gc;
create temp table clock as select clock_timestamp() as t;
update pgmq.q_storage_gc set read_ct = 1;
select is(private.fail_job('storage_gc', msg_id, 'peer said no', at => t), 'retry_scheduled',
  'fail_job schedules a retry') from job, clock;
select ok(vt between t + interval '1 second' and t + interval '5 seconds',
  'fail_job waits the base delay, with jitter, after the first attempt') from pgmq.q_storage_gc, clock;
update pgmq.q_storage_gc set read_ct = 9;
select is(private.fail_job('storage_gc', msg_id, 'peer said no', at => t), 'retry_scheduled',
  'fail_job schedules retries up to the last attempt') from job, clock;
select ok(vt between t + interval '10 minutes' and t + interval '22 minutes',
  'fail_job doubles the delay with each attempt') from pgmq.q_storage_gc, clock;
update pgmq.q_storage_gc set read_ct = 10;
select is(private.fail_job('storage_gc', msg_id, 'peer said no', at => t), 'dead_lettered',
  'fail_job moves the message to the dead-letter queue after the last attempt') from job, clock;
select is(
  (select d.message - '{enqueued_at,failed_at,msg_id}'::text[] from pgmq.q_storage_gc_dlq d),
  '{"message":{"n":2},"error":"peer said no","attempts":10,"is_permanent":false}',
  'a dead letter holds the message and its last error');
select is((select count(*) from pgmq.q_storage_gc), 0::bigint,
  'fail_job deletes a dead-lettered message from its queue');
select is(private.fail_job('storage_gc', msg_id, 'again'), 'not_found',
  'fail_job returns not_found for a deleted message')
from job;

-- Delayed messages
select private.enqueue('storage_gc', '{"n":4}', 60);
select is((select count(*) from private.claim_jobs('storage_gc', 10, 30)), 0::bigint,
  'claim_jobs does not return a delayed message');
select is((select count(*) from net.http_request_queue), 0::bigint, 'enqueue wakes no worker for a delayed message');
select is(
  private.fail_job('storage_gc', (select msg_id from pgmq.q_storage_gc), 'not a valid message', _is_permanent => true),
  'dead_lettered', 'fail_job moves a permanently failed message to the dead-letter queue at once');
select results_eq(
  'select queue, depth, dead_letters from private.queue_health where depth + dead_letters > 0 order by queue',
  $$ values ('feed_invalidation', 1::bigint, 0::bigint), ('storage_gc', 0, 2) $$,
  'queue_health shows depth and dead letters');

-- wake_worker_if_pending
update pgmq.q_feed_invalidation set vt = clock_timestamp() + interval '1 minute';
select is(private.wake_worker_if_pending(), 0, 'wake_worker_if_pending ignores messages that are not visible yet');
update pgmq.q_feed_invalidation set vt = now();
select is(private.wake_worker_if_pending(), 1,
  'wake_worker_if_pending wakes the worker for a queue with visible messages');
update pgmq.q_feed_invalidation set read_ct = 8;
select is((select count(*) from private.claim_jobs('feed_invalidation', 10, 0)), 0::bigint,
  'claim_jobs does not return a message whose worker crashed on every attempt');
select is((select message - '{message,msg_id,enqueued_at,failed_at}'::text[] from pgmq.q_feed_invalidation_dlq),
  '{"error": "The worker crashed on every attempt", "attempts": 9, "is_permanent": false}',
  'claim_jobs moves a message whose worker crashed on every attempt to the dead-letter queue');

-- Pauses
update private.queues set is_paused = true where name = 'feed_invalidation';
delete from net.http_request_queue;
select set_config('castbase.worker_woken_feed_invalidation', '', true);
select private.enqueue('feed_invalidation', '{"n":5}');
select is((select count(*) from net.http_request_queue), 0::bigint, 'enqueue wakes no worker for a paused queue');
select is(private.wake_worker_if_pending(), 0, 'wake_worker_if_pending ignores a paused queue');
select is((select count(*) from private.claim_jobs('feed_invalidation', 10, 0)), 0::bigint,
  'claim_jobs returns no message of a paused queue');
select is((select (depth, is_paused)::text from private.queue_health where queue = 'feed_invalidation'), '(1,t)',
  'queue_health shows whether a queue is paused');
select private.install();
select ok((select is_paused from private.queues where name = 'feed_invalidation'),
  'private.install() keeps a paused queue paused');
update private.queues set is_paused = false where name = 'feed_invalidation';
select is((select array_agg(message) from private.claim_jobs('feed_invalidation', 10, 0)), array['{"n":5}']::jsonb[],
  'claim_jobs returns the messages of a queue after its pause');
select is((select (max_attempts, backoff_max, max_concurrency)::text from private.queues where name = 'import_items'),
  '(6,00:15:00,4)', 'import_items allows 6 attempts, 15 minutes apart at most, 4 at a time');

-- purge_cron_history
insert into cron.job_run_details (runid, jobid, end_time)
values (-1, 1, '2026-01-01 00:00Z'), (-2, 1, '2026-01-03 00:00Z');
select private.purge_cron_history('2026-01-04 12:00Z');
select set_eq('select runid from cron.job_run_details where runid < 0', 'values (-2::bigint)',
  'purge_cron_history deletes runs that ended more than three days ago');

select * from tests.finish();
rollback;
