-- drop_queue_message: what a message was about fails, and nothing waits any longer.
begin;
select tests.start();
select tests.person('vic');

select tests.access('drop_queue_message', $$ select public.drop_queue_message('storage_gc', 0) $$,
  '42501: anon vic; PT404: service');
create function pg_temp.dropped(queue text, id bigint) returns jsonb language sql as $$
  select tests.value_as('service', format('select public.drop_queue_message(%L, %s)', queue, id))::jsonb $$;

select private.enqueue('storage_gc', '{"n": 1}', _request_id => 'req-1');
select is((select d - '{messageId,enqueuedAt,nextAttemptAt}'::text[] from pgmq.q_storage_gc q,
    pg_temp.dropped('storage_gc', q.msg_id) d),
  '{"queue": "storage_gc", "message": {"n": 1}, "attempts": 0, "lastError": null, "isPermanent": false,
    "requestId": "req-1", "failedAt": null}', 'drop_queue_message returns the message that it deletes');
select is((select count(*) from pgmq.q_storage_gc) + (select count(*) from pgmq.q_storage_gc_dlq), 0::bigint,
  'drop_queue_message leaves no dead letter');

select private.enqueue('storage_gc', '{"n": 2}');
select private.fail_job('storage_gc', msg_id, 'no', true) from pgmq.q_storage_gc;
select is((select d ->> 'lastError' from pgmq.q_storage_gc_dlq q,
    pg_temp.dropped('storage_gc', (q.message ->> 'msg_id')::bigint) d), 'no',
  'drop_queue_message deletes a dead letter');
select is((select count(*) from pgmq.q_storage_gc_dlq), 0::bigint, 'a dropped dead letter is deleted');

-- The subject
select tests.podcast('show', 'ann'), tests.member('bob', 'show');
select tests.sent_email('mail', 'bob', 'episode.team_added', 'queued');
select private.enqueue('email_deliveries', jsonb_build_object('delivery_id', tests.id('mail')));
select pg_temp.dropped('email_deliveries', msg_id) from pgmq.q_email_deliveries;
select is((select status::text from public.notification_deliveries where id = tests.id('mail')), 'failed',
  'the delivery of a dropped message has failed');

select private.enqueue('storage_gc', '{"n": 3}');
select private.claim_jobs('storage_gc', 1, 30);
select is(tests.result_of('service', format('select public.drop_queue_message(%L, %s)', 'storage_gc', msg_id)), 'PT409',
  'drop_queue_message returns 409 for a message that a worker has') from pgmq.q_storage_gc;
select is(tests.result_of('service', $$ select public.drop_queue_message('no_queue', 1) $$), 'PT404',
  'drop_queue_message returns 404 for an unknown queue');

select * from tests.finish();
rollback;
