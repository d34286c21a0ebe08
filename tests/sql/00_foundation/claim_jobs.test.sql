-- A queue with max_concurrency, which limits how many of its messages are in process, over all workers.
begin;
select tests.start();

create function pg_temp.claim(max_jobs int, at timestamptz default clock_timestamp()) returns bigint language sql as $$
  select count(*) from private.claim_jobs('storage_gc', max_jobs, 60, at)
$$;
create function pg_temp.send(n int) returns void language sql as $$
  select private.enqueue('storage_gc', to_jsonb(g)) from generate_series(1, n) g
$$;
create function pg_temp.in_process() returns bigint language sql as $$
  select count(*) from pgmq.q_storage_gc q
  where private.message_state(q.read_ct, q.headers) = 'claimed' and q.vt > clock_timestamp()
$$;
create temp table clock as select clock_timestamp() as t;

select pg_temp.send(3);
select is(pg_temp.claim(10), 3::bigint, 'claim_jobs returns all messages of a queue without max_concurrency');
select pgmq.purge_queue('storage_gc');
select throws_ok($$ update private.queues set max_concurrency = 0 where name = 'storage_gc' $$, '23514', null,
  'queues rejects a max_concurrency of 0');

update private.queues set max_concurrency = 2 where name = 'storage_gc';
select pg_temp.send(5);
select is(pg_temp.claim(1), 1::bigint, 'claim_jobs returns a message within max_concurrency');
select is(pg_temp.claim(10), 1::bigint, 'claim_jobs returns only as many messages as max_concurrency has left');
select is(pg_temp.claim(10), 0::bigint, 'claim_jobs returns no message beyond max_concurrency');
create temp table claimed as select msg_id, row_number() over (order by msg_id) as n from pgmq.q_storage_gc
where read_ct > 0;
select private.acknowledge_jobs('storage_gc', array(select msg_id from claimed where n = 1));
select is(pg_temp.claim(10), 1::bigint, 'acknowledge_jobs frees a place');
select private.fail_job('storage_gc', msg_id, 'peer said no') from claimed where n = 2;
select is(pg_temp.claim(10), 1::bigint, 'fail_job frees a place');
select is(pg_temp.in_process(), 2::bigint, 'claim_jobs fills max_concurrency');
update pgmq.q_storage_gc set vt = clock_timestamp() where read_ct > 0;
select is(pg_temp.claim(10), 2::bigint, 'claim_jobs does not count messages whose visibility timeout has ended');
update pgmq.q_storage_gc set vt = clock_timestamp(), read_ct = 10, headers = null;
select is(pg_temp.claim(10), 0::bigint, 'claim_jobs does not return a message after its last attempt');
select is(pg_temp.in_process(), 0::bigint, 'claim_jobs does not count a message that it dead-lettered');

-- extend_job_visibility
select pgmq.purge_queue('storage_gc'), pg_temp.send(1);
create temp table job as select msg_id, attempt from private.claim_jobs('storage_gc', 1, 60);
select ok(private.extend_job_visibility('storage_gc', msg_id, 600, 1, t),
  'extend_job_visibility accepts the current attempt')
from job, clock;
select is((select q.vt - t from pgmq.q_storage_gc q, clock), interval '10 minutes',
  'extend_job_visibility moves the visibility timeout');
select ok(private.extend_job_visibility('storage_gc', msg_id, 600),
  'extend_job_visibility accepts a call without an attempt')
from job;
update pgmq.q_storage_gc set read_ct = 2;
select ok(not private.extend_job_visibility('storage_gc', msg_id, 600, 1),
  'extend_job_visibility returns false after another attempt has claimed the message') from job;
select ok(not private.extend_job_visibility('storage_gc', 0, 600, 1),
  'extend_job_visibility returns false for a deleted message');
update pgmq.q_storage_gc set vt = clock_timestamp() - interval '1 second';
select ok(not private.extend_job_visibility('storage_gc', msg_id, 600),
  'extend_job_visibility returns false if the visibility timeout has ended, because another message may have the place')
from job;
update private.queues set max_concurrency = null where name = 'storage_gc';
select ok(private.extend_job_visibility('storage_gc', msg_id, 600),
  'extend_job_visibility accepts a message whose visibility timeout has ended in a queue without max_concurrency')
from job;
update private.queues set max_concurrency = 2 where name = 'storage_gc';

-- requeue_job
select vault.create_secret('s3cret', 'worker_secret');
update pgmq.q_storage_gc set read_ct = 9;
select set_config('castbase.worker_woken_storage_gc', '', true);
delete from net.http_request_queue;
select ok(private.requeue_job('storage_gc', msg_id) > msg_id, 'requeue_job returns the id of a new message') from job;
select is((select array_agg((message, read_ct)::text) from pgmq.q_storage_gc), array['(1,0)'],
  'requeue_job replaces the message by one with all attempts left');
select is(pg_temp.in_process(), 0::bigint, 'requeue_job frees a place');
select is((select count(*) from net.http_request_queue), 1::bigint, 'requeue_job wakes the worker');
select is(private.requeue_job('storage_gc', msg_id), null, 'requeue_job returns null for a deleted message') from job;
select is((select count(*) from pgmq.q_storage_gc), 1::bigint, 'requeue_job sends nothing for a deleted message');
select is_empty($$ select from pgmq.q_storage_gc_dlq where message ->> 'attempts' = '9' $$,
  'requeue_job writes no dead letter');

-- fail_job with retry_after_seconds
create temp table next_job as select msg_id from private.claim_jobs('storage_gc', 1, 60);
create function pg_temp.delay_after(retry_after_seconds int) returns interval language sql as $$
  select private.fail_job('storage_gc', msg_id, '503', _retry_after_seconds => $1, at => t) from next_job, clock;
  select vt - t from pgmq.q_storage_gc, clock
$$;
select is(pg_temp.delay_after(300), interval '5 minutes', 'fail_job waits retry_after_seconds');
select cmp_ok(pg_temp.delay_after(1), '>', interval '2 seconds',
  'fail_job waits at least the queue''s backoff when retry_after_seconds is shorter');
select is(pg_temp.delay_after(86400), interval '1 hour', 'fail_job waits at most backoff_max');
select cmp_ok(pg_temp.delay_after(-5), '<', interval '6 seconds', 'fail_job ignores a negative retry_after_seconds');

-- A worker that lost its message to another one
select pgmq.purge_queue('storage_gc'), pg_temp.send(1);
create temp table slow as select msg_id, attempt from private.claim_jobs('storage_gc', 1, 60);
create temp table live as
  select msg_id, attempt from private.claim_jobs('storage_gc', 1, 60, clock_timestamp() + interval '61 seconds');
select is((select (l.msg_id = s.msg_id, s.attempt, l.attempt)::text from slow s, live l), '(t,1,2)',
  'claim_jobs returns a message as its next attempt after the visibility timeout');
create temp table before as select q.vt, q.read_ct, q.headers from pgmq.q_storage_gc q;
select private.acknowledge_jobs('storage_gc', array[msg_id], array[attempt]) from slow;
select is(private.fail_job('storage_gc', msg_id, 'late', _attempt => attempt), 'not_found',
  'fail_job rejects a lost attempt') from slow;
select is(private.fail_job('storage_gc', msg_id, 'late', _is_permanent => true, _attempt => attempt), 'not_found',
  'fail_job rejects the permanent failure of a lost attempt') from slow;
select is(private.requeue_job('storage_gc', msg_id, _attempt => attempt), null, 'requeue_job rejects a lost attempt')
from slow;
select ok(not private.extend_job_visibility('storage_gc', msg_id, 600, attempt),
  'extend_job_visibility rejects a lost attempt') from slow;
select results_eq('select q.vt, q.read_ct, q.headers from pgmq.q_storage_gc q', 'select * from before',
  'calls of a lost attempt do not change the message');

-- A message that has failed
select is(private.fail_job('storage_gc', msg_id, '503', _attempt => attempt), 'retry_scheduled',
  'fail_job accepts the current attempt') from live;
update before set vt = q.vt from pgmq.q_storage_gc q;
select ok(not private.extend_job_visibility('storage_gc', msg_id, 600, attempt),
  'extend_job_visibility returns false for an attempt that has failed') from live;
select is((select vt from pgmq.q_storage_gc), (select vt from before),
  'extend_job_visibility does not move a scheduled retry');
select is(pg_temp.in_process(), 0::bigint, 'a failed message is not in process until its next attempt');
create temp table last as
  select msg_id, attempt from private.claim_jobs('storage_gc', 1, 60, clock_timestamp() + interval '1 day');
select private.acknowledge_jobs('storage_gc', array[msg_id, 0], array[attempt, 1]) from last;
select is((select count(*) from pgmq.q_storage_gc), 0::bigint,
  'acknowledge_jobs accepts the current attempt in one call with a deleted message');

-- Acknowledged by the next claim
select pg_temp.send(3);
create temp table full_queue as select msg_id, attempt from private.claim_jobs('storage_gc', 10, 60);
select is((select count(*) from full_queue) || ' of ' || (select count(*) from pgmq.q_storage_gc), '2 of 3',
  'claim_jobs leaves a message beyond max_concurrency in the queue');
create temp table next_claim as
  select j.* from private.claim_jobs('storage_gc', 10, 60, completed_ids => array(select msg_id from full_queue),
    completed_attempts => array(select attempt + case row_number() over () when 1 then 0 else 1 end from full_queue)) j;
select is((select count(*) from next_claim), 1::bigint,
  'claim_jobs claims a message after it has acknowledged another');
select is((select count(*) from pgmq.q_storage_gc), 2::bigint,
  'claim_jobs acknowledges completed messages whose attempt is the current one');
update private.queues set is_paused = true where name = 'storage_gc';
select is_empty($$
    select from private.claim_jobs('storage_gc', 1, 60, completed_ids => array(select msg_id from next_claim)) $$,
  'claim_jobs claims nothing from a paused queue with completed messages');
select is((select count(*) from pgmq.q_storage_gc), 1::bigint,
  'claim_jobs acknowledges the completed messages of a paused queue');

-- Limits that change, and messages that are deleted
update private.queues set is_paused = false, max_concurrency = 4 where name = 'storage_gc';
select pgmq.purge_queue('storage_gc'), pg_temp.send(9);
select is(pg_temp.claim(9), 4::bigint, 'claim_jobs fills a raised limit');
update private.queues set max_concurrency = 2 where name = 'storage_gc';
select is(pg_temp.claim(9), 0::bigint, 'claim_jobs claims nothing above a lowered limit');
select private.delete_jobs(q.message, 'storage_gc') from (
  select q.message from pgmq.q_storage_gc q where q.read_ct > 0 limit 3) q;
select is(pg_temp.claim(9), 1::bigint, 'delete_jobs frees the places of the messages that it deletes');
select pgmq.purge_queue('storage_gc');
select is(pg_temp.claim(9), 0::bigint, 'claim_jobs claims nothing from an empty queue');
select pg_temp.send(1);
update pgmq.q_storage_gc set read_ct = 10;
select set_config('castbase.worker_woken_storage_gc', '', true);
delete from net.http_request_queue;
select is(pg_temp.claim(9), 0::bigint, 'claim_jobs does not return a message that it dead-letters');
select is((select count(*) from net.http_request_queue), 1::bigint,
  'claim_jobs wakes the worker after a dead letter, for the messages behind it');

-- seconds_to_next_job
select pgmq.purge_queue('storage_gc'), pg_temp.send(3);
update private.queues set max_concurrency = 2 where name = 'storage_gc';
update pgmq.q_storage_gc q set vt = t + case q.msg_id when (select max(msg_id) from pgmq.q_storage_gc)
  then interval '1 hour' else interval '0' end from clock;
create function pg_temp.next_job(max_seconds int) returns float language sql as $$
  select private.seconds_to_next_job('storage_gc', $1, t) from clock $$;
select is(pg_temp.next_job(3600), 3600::float, 'seconds_to_next_job returns when the next message becomes visible');
select is(pg_temp.next_job(3599), null, 'seconds_to_next_job returns null for a message that waits longer');
select is(pg_temp.claim(1), 1::bigint, 'claim_jobs leaves a place');
select is(pg_temp.next_job(3600), 3600::float, 'seconds_to_next_job returns the next message while there is a place');
select is(pg_temp.claim(1), 1::bigint, 'claim_jobs takes the last place');
select is(pg_temp.next_job(3600), null, 'seconds_to_next_job returns null when max_concurrency is reached');

select * from tests.finish();
rollback;
