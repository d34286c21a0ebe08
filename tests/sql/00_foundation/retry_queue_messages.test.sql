-- retry_queue_messages: dead letters return to their queue, and waiting messages are tried at once.
begin;
select tests.start();
select tests.person('vic');

select tests.access('retry_queue_messages', $$ select public.retry_queue_messages('storage_gc') $$,
  '42501: anon vic; ok 1: service');
create function pg_temp.retried(args text) returns text language sql as $$
  select tests.value_as('service', format('select public.retry_queue_messages(%s)', args))::jsonb ->> 'retriedCount' $$;
create function pg_temp.dead(n int) returns bigint language sql as $$
  select (message ->> 'msg_id')::bigint from pgmq.q_storage_gc_dlq where message #>> '{message,n}' = n::text $$;

select private.enqueue('storage_gc', jsonb_build_object('n', n), _request_id => 'req-' || n)
from generate_series(1, 5) n;
select private.claim_jobs('storage_gc', 10, 30);
select private.fail_job('storage_gc', msg_id, 'no', true) from pgmq.q_storage_gc order by msg_id;

select is(pg_temp.retried(format('%L, %s', 'storage_gc', pg_temp.dead(4))), '1',
  'retry_queue_messages retries one message');
select results_eq($$ select message ->> 'n', read_ct, headers ->> 'request_id' from pgmq.q_storage_gc $$,
  $$ values ('4', 0, 'req-4') $$, 'retry_queue_messages sends a dead letter with all attempts and its request');
select is(pg_temp.retried($$ 'storage_gc', max_messages => 2 $$), '2',
  'retry_queue_messages retries at most max_messages');
select results_eq($$ select message ->> 'n' from pgmq.q_storage_gc order by msg_id $$, $$ values ('4'), ('1'), ('2') $$,
  'retry_queue_messages retries the oldest dead letters first');
select is(pg_temp.retried($$ 'storage_gc' $$), '2', 'retry_queue_messages retries all dead letters of a queue');
select is(pg_temp.retried($$ 'storage_gc' $$), '0', 'retry_queue_messages retries nothing without dead letters');

-- Messages in the queue
update pgmq.q_storage_gc set vt = now() + interval '1 hour', read_ct = 3, headers = '{"waits_for": "retry"}'
where message ->> 'n' = '1';
select is(pg_temp.retried(format('%L, %s', 'storage_gc', msg_id)), '1',
  'retry_queue_messages retries a waiting message')
from pgmq.q_storage_gc where message ->> 'n' = '1';
select ok(vt <= clock_timestamp() and read_ct = 3,
  'retry_queue_messages makes a waiting message due, with its attempts')
from pgmq.q_storage_gc where message ->> 'n' = '1';
select private.claim_jobs('storage_gc', 1, 30);
select is(tests.result_of('service', format('select public.retry_queue_messages(%L, %s)', 'storage_gc', msg_id)),
  'PT409',
  'retry_queue_messages returns 409 for a message that a worker has')
from pgmq.q_storage_gc where read_ct > 0 and not headers ? 'waits_for';

-- Dead letters whose subject has failed as well
select is(tests.error_of(format('select private.retry_queue_messages(%L, null, 1)', q.name)),
  'PT409',
  'retry_queue_messages leaves dead letters of this queue to what starts their work again: ' || q.name)
from private.queues q where q.retried_by is not null order by q.name;

-- Input
select is(tests.result_of('service', $$ select public.retry_queue_messages('storage_gc', 0) $$), 'PT404',
  'retry_queue_messages returns 404 for an unknown id');
select is(tests.result_of('service', $$ select public.retry_queue_messages('no_queue') $$), 'PT404',
  'retry_queue_messages returns 404 for an unknown queue');
select is(tests.result_of('service', $$ select public.retry_queue_messages('storage_gc', max_messages => 10001) $$),
  'PT400', 'retry_queue_messages returns 400 above 10,000 messages');

select * from tests.finish();
rollback;
