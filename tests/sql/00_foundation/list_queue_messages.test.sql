-- list_queue_messages: what waits and what failed, of a queue or of a request.
begin;
select tests.start();
select tests.person('vic');

select tests.access('list_queue_messages', 'select public.list_queue_messages()', '42501: anon vic; ok 1: service');
create function pg_temp.listed(args text default '') returns setof jsonb language sql as $$
  select jsonb_array_elements(tests.value_as('service', format('select public.list_queue_messages(%s)',
    args))::jsonb) $$;
create function pg_temp.short(args text default '') returns text language sql as $$
  select string_agg(concat_ws(' ', l.m ->> 'queue', l.m ->> 'state', l.m ->> 'message'), ', ')
  from (select l.m from pg_temp.listed(args) with ordinality l (m, n) order by l.n) l $$;

select is(pg_temp.short(), null, 'list_queue_messages returns no message of empty queues');
select private.enqueue('storage_gc', jsonb_build_object('n', n), at => now() + n * interval '1 s',
  _request_id => 'req-' || n)
from generate_series(1, 4) n;
select private.enqueue('feed_invalidation', '{"n": 9}', _request_id => 'req-2');
select private.fail_job('storage_gc', msg_id, 'it broke', true) from pgmq.q_storage_gc
where message ->> 'n' in ('1', '2') order by msg_id;
update pgmq.q_storage_gc set read_ct = 1, vt = now() + interval '1 minute' where message ->> 'n' = '4';

select is(pg_temp.short($$ 'storage_gc' $$),
  'storage_gc dead {"n": 2}, storage_gc dead {"n": 1}, storage_gc waiting {"n": 3}, storage_gc in_process {"n": 4}',
  'list_queue_messages lists dead letters first, the newest before others, then what waits and what is in process');
select is(pg_temp.short($$ request_id => 'req-2' $$), 'storage_gc dead {"n": 2}, feed_invalidation waiting {"n": 9}',
  'list_queue_messages finds what a request caused in all queues');
select is(pg_temp.short($$ 'storage_gc', 'req-3' $$), 'storage_gc waiting {"n": 3}',
  'list_queue_messages finds what a request caused in one queue');
select is((select count(*) from pg_temp.listed('max_messages => 2')), 2::bigint,
  'list_queue_messages returns at most max_messages');
select is((select m - '{enqueuedAt,failedAt,messageId}'::text[] from pg_temp.listed($$ 'storage_gc', 'req-1' $$) m),
  '{"queue": "storage_gc", "state": "dead", "message": "{\"n\": 1}", "attempts": 0, "lastError": "it broke",
    "isPermanent": true, "requestId": "req-1", "nextAttemptAt": null}',
  'list_queue_messages says why a message is dead, and which request caused it');
select private.enqueue('show_notes', jsonb_build_object('text', repeat('x', 1000)));
select is((select length(m ->> 'message') from pg_temp.listed($$ 'show_notes' $$) m), 300,
  'list_queue_messages cuts a long message');

-- Input
select is(tests.result_of('service', $$ select public.list_queue_messages('no_such_queue') $$), 'PT404',
  'list_queue_messages returns 404 for an unknown queue');
select is(tests.result_of('service', format('select public.list_queue_messages(max_messages => %s)', bad.n)), 'PT400',
  'list_queue_messages returns 400 for max_messages ' || bad.n)
from (values ('0'), ('501'), ('null')) bad (n);

select * from tests.finish();
rollback;
