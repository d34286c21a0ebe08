-- pause_queue: workers claim none of its messages.
begin;
select tests.start();
select tests.person('vic');

update private.queues set is_paused = false where name = 'storage_gc';
select tests.access('pause_queue', $$ select public.pause_queue('storage_gc') $$, '42501: anon vic; ok 1: service');
select private.enqueue('storage_gc', '{"n": 1}');
select is(tests.value_as('service', $$ select public.pause_queue('storage_gc') $$)::jsonb,
  '{"queue": "storage_gc", "isPaused": true}', 'pause_queue returns the queue and its state, also a second time');
select is((select count(*) from private.claim_jobs('storage_gc', 10, 30)), 0::bigint,
  'pause_queue keeps workers from claiming messages');
select is(tests.result_of('service', $$ select public.pause_queue('no_queue') $$), 'PT404',
  'pause_queue returns 404 for an unknown queue');

select * from tests.finish();
rollback;
