-- request_id: what a request causes names it, so that a failure is found from the request and back.
begin;
select tests.start();

select is(private.request_id(), null, 'request_id is null without a request');
select ok(private.limit_statement(max_ms => 8000, _request_id => 'req-1'), 'limit_statement returns true');
select is(private.request_id(), 'req-1', 'request_id is the id that the statement of an edge function passes');
select private.enqueue('storage_gc', '{"n": 1}');
select private.enqueue_batch('storage_gc', array['{"n": 2}', '{"n": 3}']::jsonb[], request_ids => array[null, 'req-2']);
select results_eq($$ select message ->> 'n', headers ->> 'request_id' from pgmq.q_storage_gc order by msg_id $$,
  $$ values ('1', 'req-1'), ('2', 'req-1'), ('3', 'req-2') $$,
  'enqueue and enqueue_batch write the request into the headers, and a batch each message''s own');
select results_eq(
  $$ select message ->> 'n', request_id from private.claim_jobs('storage_gc', 10, 30) order by msg_id $$,
  $$ values ('1', 'req-1'), ('2', 'req-1'), ('3', 'req-2') $$, 'claim_jobs returns the request of each message');

-- Ends of jobs
select private.limit_statement(max_ms => 8000, _request_id => 'worker');
select private.requeue_job('storage_gc', (select msg_id from pgmq.q_storage_gc where message ->> 'n' = '1'));
select is((select headers ->> 'request_id' from pgmq.q_storage_gc where message ->> 'n' = '1'), 'req-1',
  'requeue_job keeps the request of a message');
select private.fail_job('storage_gc', msg_id, 'no') from pgmq.q_storage_gc where message ->> 'n' = '2';
select is((select headers ->> 'request_id' from pgmq.q_storage_gc where message ->> 'n' = '2'), 'req-1',
  'fail_job keeps the request of a message that is tried again');
select private.fail_job('storage_gc', msg_id, 'no', true) from pgmq.q_storage_gc where message ->> 'n' = '3';
select is((select message ->> 'request_id' from pgmq.q_storage_gc_dlq), 'req-2', 'a dead letter names its request');

-- Over REST
select set_config('castbase.request_id', '', true);
select set_config('request.headers', '{"sb-request-id": "0197-ab_c"}', true);
select is(private.request_id(), '0197-ab_c', 'request_id is that of the platform''s gateway over REST');
create function pg_temp.id_of(header text) returns text language sql as $$
  select private.request_id()
  from set_config('request.headers', jsonb_build_object('sb-request-id', header)::text, true) $$;
select is(pg_temp.id_of(bad.id), null, format('request_id ignores %s', bad.what))
from (values ('', 'an empty id'), ('a b', 'a blank'), (repeat('a', 65), 'more than 64 characters'),
  (E'a\nb', 'a line break'), ('{"x": 1}', 'an object')) bad (id, what);

-- Deliveries are enqueued later, by a job
select tests.podcast('show', 'ann'), tests.episode('pilot', 'show'), tests.member('bob', 'show');
select private.limit_statement(max_ms => 8000, _request_id => 'req-mail');
select private.notify('episode.team_added', private.user_recipients(tests.id('bob')),
  jsonb_build_object('podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'), 'actor_id', tests.id('ann')));
select set_config('castbase.request_id', '', true), set_config('request.headers', '', true);
select private.enqueue_due_deliveries(clock_timestamp() + interval '1 hour');
select is((select distinct q.headers ->> 'request_id' from pgmq.q_email_deliveries q), 'req-mail',
  'the message of a delivery names the request that caused the notification');

select * from tests.finish();
rollback;
