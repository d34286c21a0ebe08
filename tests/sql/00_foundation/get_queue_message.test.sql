-- get_queue_message: one message, by the id that it keeps as a dead letter.
begin;
select tests.start();
select tests.person('vic');

select private.enqueue('storage_gc', jsonb_build_object('text', repeat('x', 1000)), _request_id => 'req-1');
create temp table sent as select msg_id as id from pgmq.q_storage_gc;
select tests.access('get_queue_message', format('select public.get_queue_message(%L, %s)', 'storage_gc', id),
  '42501: anon vic; ok 1: service') from sent;
create function pg_temp.message() returns jsonb language sql as $$
  select tests.value_as('service', format('select public.get_queue_message(%L, %s)', 'storage_gc', id))::jsonb
  from sent $$;

select is((select array[m ->> 'state', m ->> 'lastError', m ->> 'requestId', length(m #>> '{message,text}')::text]
  from pg_temp.message() m), array['waiting', null, 'req-1', '1000'],
  'get_queue_message returns a waiting message in full');
select private.claim_jobs('storage_gc', 10, 30);
select private.fail_job('storage_gc', id, 'peer said no') from sent;
select is((select array[m ->> 'state', m ->> 'attempts', m ->> 'lastError', (m ->> 'nextAttemptAt' is not null)::text]
  from pg_temp.message() m), array['waiting', '1', 'peer said no', 'true'],
  'get_queue_message returns the last error and the next attempt of a failed message');
select private.fail_job('storage_gc', id, 'rejected', true) from sent;
select is((select array[m ->> 'state', m ->> 'lastError', (m ->> 'failedAt' is not null)::text]
  from pg_temp.message() m),
  array['dead', 'rejected', 'true'], 'get_queue_message finds a dead letter by the id of its message');
select is(tests.result_of('service', $$ select public.get_queue_message('storage_gc', 0) $$), 'PT404',
  'get_queue_message returns 404 for an unknown id');
select is(tests.result_of('service', format('select public.get_queue_message(%L, %s)', 'no_queue', id)), 'PT404',
  'get_queue_message returns 404 for an unknown queue') from sent;

select * from tests.finish();
rollback;
