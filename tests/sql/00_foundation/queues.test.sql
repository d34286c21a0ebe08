-- Queues: written with their cause, retried within bounds, parked with a reason.
begin;
select tests.start();

select is(tests.result_of(who, $$ select private.enqueue('storage_gc', '{}') $$), '42501', who || ' cannot enqueue by hand') from unnest(array['anon', 'service']) who;
select is(tests.result_of('anon', 'select from pgmq.q_storage_gc'), '42501', 'nor read a queue');
select set_eq('select queue_name from pgmq.list_queues()', $$ select n from private.queues q, unnest(array[q.name, q.name || '_dlq']) n $$, 'every queue has its dead-letter queue');

select vault.create_secret('s3cret', 'worker_secret');
select private.enqueue('storage_gc', '{"n":1}'), private.enqueue('storage_gc', '{"n":2}'), private.enqueue('feed_invalidation', '{"n":3}');
select is((select count(*) from net.http_request_queue), 2::bigint, 'the worker is woken once per transaction and queue');
select is((select (url, headers ->> 'Authorization', convert_from(body, 'UTF8')::jsonb)::text from net.http_request_queue order by id limit 1),
  '(https://casts.test/functions/v1/worker,"Bearer s3cret","{""queue"": ""storage_gc""}")', 'at its URL, with its secret');
delete from net.http_request_queue;
select is((select array_agg(message order by message::text) from private.claim_jobs('storage_gc', 10, 30)), array['{"n":1}', '{"n":2}']::jsonb[], 'jobs are claimed in order');
select is((select count(*) from private.claim_jobs('storage_gc', 10, 30)), 0::bigint, 'and by one worker only until their visibility timeout');
select private.acknowledge_jobs('storage_gc', array(select msg_id from pgmq.q_storage_gc where message = '{"n":1}'));
select is((select count(*) from pgmq.q_storage_gc), 1::bigint, 'a finished job is gone');

create temp table job as select msg_id from pgmq.q_storage_gc;
select is(private.fail_job('storage_gc', msg_id, 'peer said no'), 'retry_scheduled', 'a failed job comes back') from job;
select ok((select vt between clock_timestamp() + interval '1 second' and clock_timestamp() + interval '6 seconds' from pgmq.q_storage_gc), 'after the base delay, with jitter');
update pgmq.q_storage_gc set read_ct = 9;
select is(private.fail_job('storage_gc', msg_id, 'peer said no'), 'retry_scheduled', 'up to its attempts') from job;
select ok((select vt between clock_timestamp() + interval '10 minutes' and clock_timestamp() + interval '22 minutes' from pgmq.q_storage_gc), 'later and later, up to the cap');
update pgmq.q_storage_gc set read_ct = 10;
select is(private.fail_job('storage_gc', msg_id, 'peer said no'), 'dead_lettered', 'then it is parked') from job;
select is((select message - '{enqueued_at,failed_at,msg_id}'::text[] from pgmq.q_storage_gc_dlq), '{"message":{"n":2},"error":"peer said no","attempts":10}', 'with its last error');
select is((select count(*) from pgmq.q_storage_gc), 0::bigint, 'out of the queue');
select is(private.fail_job('storage_gc', msg_id, 'again'), 'not_found', 'a job that is gone is no error') from job;
select private.enqueue('storage_gc', '{"n":4}', 60);
select is((select count(*) from private.claim_jobs('storage_gc', 10, 30)), 0::bigint, 'a delayed message waits');
select is((select count(*) from net.http_request_queue), 0::bigint, 'and wakes nobody');
select is(private.fail_job('storage_gc', (select msg_id from pgmq.q_storage_gc), 'not a valid message', is_permanent => true), 'dead_lettered', 'what can never work is parked at once');
select results_eq('select queue, depth, dead_letters from private.queue_health where depth + dead_letters > 0 order by queue', $$ values ('feed_invalidation', 1::bigint, 0::bigint), ('storage_gc', 0, 2) $$, 'operators see depth and dead letters');
select is(private.wake_worker_if_pending(), 0, 'the clock wakes nobody for messages that are not due');
update pgmq.q_feed_invalidation set vt = now();
select is(private.wake_worker_if_pending(), 1, 'and wakes the worker for a queue that holds one that is');
update pgmq.q_feed_invalidation set read_ct = 8;
select is((select count(*) from private.claim_jobs('feed_invalidation', 10, 0)), 0::bigint, 'a message that the worker died with, every time, is not handed out again');
select matches((select message ->> 'error' from pgmq.q_feed_invalidation_dlq), '^The worker crashed', 'it is parked with its reason');

update private.queues set paused = true where name = 'feed_invalidation';
delete from net.http_request_queue;
select set_config('castbase.worker_woken_feed_invalidation', '', true);
select private.enqueue('feed_invalidation', '{"n":5}');
select is((select count(*) from net.http_request_queue), 0::bigint, 'a paused queue wakes nobody');
select is(private.wake_worker_if_pending(), 0, 'nor does the clock for it');
select is((select count(*) from private.claim_jobs('feed_invalidation', 10, 0)), 0::bigint, 'its messages are not claimed');
select is((select (depth, paused)::text from private.queue_health where queue = 'feed_invalidation'), '(1,t)', 'they wait, and operators see why');
select private.install();
select ok((select paused from private.queues where name = 'feed_invalidation'), 'installing again keeps the pause');
update private.queues set paused = false where name = 'feed_invalidation';
select is((select array_agg(message) from private.claim_jobs('feed_invalidation', 10, 0)), array['{"n":5}']::jsonb[], 'until it goes on');
select is((select (max_attempts, backoff_max, concurrency)::text from private.queues where name = 'import_items'), '(6,00:15:00,4)', 'imports: a try and up to 5 retries, 15 minutes at most in between, four at a time');

select * from tests.finish();
rollback;
