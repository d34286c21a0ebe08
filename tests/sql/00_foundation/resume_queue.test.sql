-- resume_queue: workers claim its messages again.
begin;
select tests.start();
select tests.person('vic');

update private.queues set is_paused = true where name = 'storage_gc';
select tests.access('resume_queue', $$ select public.resume_queue('storage_gc') $$, '42501: anon vic; ok 1: service');
select private.enqueue('storage_gc', '{"n": 1}');
select is(tests.value_as('service', $$ select public.resume_queue('storage_gc') $$)::jsonb,
  '{"queue": "storage_gc", "isPaused": false}', 'resume_queue returns the queue and its state, also a second time');
select is((select count(*) from private.claim_jobs('storage_gc', 10, 30)), 1::bigint,
  'resume_queue lets workers claim messages again');
select is(tests.result_of('service', $$ select public.resume_queue('no_queue') $$), 'PT404',
  'resume_queue returns 404 for an unknown queue');

select * from tests.finish();
rollback;
