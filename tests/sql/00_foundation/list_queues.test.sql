-- list_queues: depth, waiting time and dead letters for operators.
begin;
select tests.start();
select tests.person('vic');

select tests.access('list_queues', 'select public.list_queues()', '42501: anon vic; ok 1: service');
create function pg_temp.queue(name text) returns jsonb language sql as $$
  select q from jsonb_array_elements(tests.value_as('service', 'select public.list_queues()')::jsonb) q
  where q ->> 'queue' = name $$;
select is((select count(*) from jsonb_array_elements(tests.value_as('service', 'select public.list_queues()')::jsonb)),
  (select count(*) from private.queues), 'list_queues returns each queue');
select is(pg_temp.queue('storage_gc') - 'totalMessages', jsonb_build_object('queue', 'storage_gc',
  'description', 'Deletes orphaned storage objects', 'isPaused', false, 'isStandalone', false, 'retriedBy', null,
  'maxAttempts', 10, 'depth', 0, 'visible', 0, 'waitingSeconds', 0, 'deadLetters', 0),
  'list_queues returns an empty queue with zeros');

select private.enqueue('storage_gc', '{"n": 1}', at => clock_timestamp() - interval '10 minutes');
select private.enqueue('storage_gc', '{"n": 2}', at => clock_timestamp() + interval '1 hour');
select private.enqueue('storage_gc', '{"n": 3}');
select private.fail_job('storage_gc', msg_id, 'no', true) from pgmq.q_storage_gc where message ->> 'n' = '3';
select is((select array[q -> 'depth', q -> 'visible', q -> 'deadLetters'] from pg_temp.queue('storage_gc') q),
  array['2', '1', '1']::jsonb[], 'list_queues counts all messages, visible ones, and dead letters');
select ok((pg_temp.queue('storage_gc') ->> 'waitingSeconds')::int between 600 and 660,
  'list_queues says how long the first visible message has waited, not a delayed one');
select is(pg_temp.queue('email_deliveries') ->> 'retriedBy', 'retry_failed_deliveries',
  'list_queues names what starts the work of dead letters again');

select * from tests.finish();
rollback;
