-- claim_import_item: claims a message and begins its item
begin;
select tests.start();
select tests.podcast('show', 'ola'), tests.import('one', 'show', 'running');
select tests.import_item('a', 'one'), tests.import_item('b', 'one');
create function pg_temp.send(import_item_id text) returns bigint language sql as $$
  select private.enqueue('import_items', jsonb_build_object('type', 'import_item', 'import_item_id', import_item_id))
$$;
-- "attempt: what began" of the claimed message
create function pg_temp.claim(completed_id bigint default null, completed_attempt int default null) returns text
language sql as $$
  select format('%s: %s', c.attempt, coalesce(c.item ->> 'skip', c.item ->> 'guid', 'nothing'))
  from private.claim_import_item(60, completed_id => completed_id, completed_attempt => completed_attempt) c
$$;
create function pg_temp.make_visible() returns void language sql as $$
  update pgmq.q_import_items set vt = clock_timestamp() - interval '1 second'
$$;
create function pg_temp.leases() returns bigint language sql as $$
  select count(*) from private.leases where queue = 'import_items' and expires_at > clock_timestamp()
$$;
create function pg_temp.clear() returns void language sql as $$
  select pgmq.purge_queue('import_items'), pgmq.purge_queue('import_items_dlq');
  delete from private.leases
$$;

select is(pg_temp.claim(), null, 'claim_import_item returns nothing when the queue is empty');
select pg_temp.send(tests.id('a')::text);
select is(pg_temp.claim(), '1: a', 'claim_import_item begins the item of a claimed message');
select is((select (status, attempts)::text from public.podcast_import_items where guid = 'a'), '(processing,1)',
  'an item that its claim began is in progress');
select is(pg_temp.leases(), 1::bigint, 'claim_import_item grants a lease');
select ok(
  (select vt - clock_timestamp() between interval '50 s' and interval '60 s' from pgmq.q_import_items),
  'claim_import_item hides the message until its visibility timeout');
select is(pg_temp.claim(), null, 'claim_import_item returns no message that is hidden');
select pg_temp.make_visible();
select is(pg_temp.claim(), '2: a', 'claim_import_item begins the next attempt of an item');
select is((select attempts from public.podcast_import_items where guid = 'a'), 2,
  'an item that its claim began again counts the attempt');
select is(pg_temp.leases(), 1::bigint, 'claim_import_item ends the lease of the attempt before');
select private.fail_import_item(tests.id('a'), 'The source answered 404', 'HTTP_ERROR');

-- The message before
select pg_temp.send(tests.id('b')::text);
create temp table before as select msg_id from pgmq.q_import_items where read_ct > 0;
select is(pg_temp.claim((select msg_id from before), 1), '1: b', 'claim_import_item claims a message after another');
select is((select count(*) from pgmq.q_import_items), 2::bigint,
  'claim_import_item does not acknowledge a message that another attempt has claimed');
select is(pg_temp.leases(), 2::bigint, 'claim_import_item leaves the lease of another attempt');
select is(pg_temp.claim((select msg_id from before), 2), null, 'claim_import_item acknowledges when it claims nothing');
select is((select count(*) from pgmq.q_import_items), 1::bigint, 'claim_import_item deletes the completed message');
select is(pg_temp.leases(), 1::bigint, 'claim_import_item ends the lease of the completed message');
select pg_temp.clear(), pg_temp.send(tests.id('a')::text);
select is(pg_temp.claim(), '1: failed', 'claim_import_item returns why an item has nothing left to do');

-- Limits, as of claim_jobs
select pg_temp.clear(), pg_temp.send('1'), pg_temp.send('2'), pg_temp.send('3');
update private.queues set max_concurrency = 2 where name = 'import_items';
select is(array[pg_temp.claim(), pg_temp.claim(), pg_temp.claim()], array['1: nothing', '1: nothing', null],
  'claim_import_item claims no more messages than max_concurrency');
select is((select sum(read_ct) from pgmq.q_import_items), 2::bigint,
  'claim_import_item leaves a message without a free lease as it was');
update private.queues set max_concurrency = 1 where name = 'import_items';
select is(pg_temp.claim(l.msg_id, 1), null, 'claim_import_item grants no lease above a lowered limit')
from private.leases l where l.slot = 2;
update private.leases set expires_at = clock_timestamp() - interval '1 second' where slot = 1;
select is(pg_temp.claim(), '1: nothing', 'claim_import_item grants an expired lease to another message');
select pg_temp.clear(), pg_temp.send('1'), pg_temp.send('2'), pg_temp.send('3');
update private.queues set max_concurrency = 2 where name = 'import_items';
select pg_temp.claim(), pg_temp.claim();
update private.queues set max_concurrency = null where name = 'import_items';
select is(pg_temp.claim(), '1: nothing', 'claim_import_item claims a message of a queue without max_concurrency');
select is((select count(*) from private.leases where msg_id is not null), 2::bigint,
  'claim_import_item writes no lease for a queue without max_concurrency');
select pg_temp.clear(), pg_temp.send('1');
update private.queues set max_concurrency = 4, is_paused = true where name = 'import_items';
select is(pg_temp.claim(), null, 'claim_import_item claims nothing from a paused queue');
update private.queues set is_paused = false where name = 'import_items';
select is(pg_temp.claim(), '1: nothing', 'claim_import_item claims a message whose item cannot begin');
update private.queues set is_paused = true where name = 'import_items';
select pg_temp.claim(msg_id, 1) from pgmq.q_import_items;
select is((select count(*) from pgmq.q_import_items), 0::bigint,
  'claim_import_item acknowledges the completed message of a paused queue');
update private.queues set is_paused = false where name = 'import_items';

select pg_temp.clear(), pg_temp.send('1');
select pg_temp.claim();
select is(pg_temp.claim((select msg_id from pgmq.q_import_items)), null,
  'claim_import_item accepts a completed message without an attempt');
select is((select count(*) from pgmq.q_import_items), 0::bigint,
  'claim_import_item acknowledges a completed message without an attempt');

select vault.create_secret('s3cret', 'worker_secret');
select pg_temp.clear(), pg_temp.send(tests.id('b')::text);
update pgmq.q_import_items set read_ct = 6;
select set_config('castbase.worker_woken_import_items', '', true);
delete from net.http_request_queue;
select is(pg_temp.claim(), null, 'claim_import_item does not return a message after its last attempt');
select is((select message ->> 'error' from pgmq.q_import_items_dlq), 'The worker crashed on every attempt',
  'claim_import_item moves a message after its last attempt to the dead-letter queue');
select is((select count(*) from private.leases where msg_id is not null), 0::bigint,
  'claim_import_item leaves no lease for a message that it dead-lettered');
select is((select count(*) from net.http_request_queue), 1::bigint,
  'claim_import_item wakes the worker after a dead letter, for the messages behind it');

select is(tests.result_of('service', 'select private.claim_import_item(60)'), '42501',
  'service_role may not call claim_import_item');

select * from tests.finish();
rollback;
