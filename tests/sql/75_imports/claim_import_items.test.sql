-- claim_import_items: claims messages and begins their items
begin;
select tests.start();
select tests.podcast('show', 'ola'), tests.import('one', 'show', 'running');
select tests.import_item('a', 'one'), tests.import_item('b', 'one');
create function pg_temp.send(import_item_id text) returns bigint language sql as $$
  select private.enqueue('import_items', jsonb_build_object('type', 'import_item', 'import_item_id', import_item_id))
$$;
-- "attempt: what began" of each claimed message
create function pg_temp.claim(completed bigint[] default '{}') returns text language sql as $$
  select string_agg(format('%s: %s', c.attempt, coalesce(c.item ->> 'skip', c.item ->> 'guid', 'nothing')), ', '
    order by c.msg_id)
  from private.claim_import_items(10, 60, completed_ids => completed) c
$$;
create function pg_temp.make_visible() returns void language sql as $$
  update pgmq.q_import_items set vt = clock_timestamp() - interval '1 second'
$$;

select pg_temp.send(tests.id('a')::text);
select is(pg_temp.claim(), '1: a', 'claim_import_items begins the item of a claimed message');
select is((select (status, attempts)::text from public.podcast_import_items where guid = 'a'), '(processing,1)',
  'an item that its claim began is in progress');
select pg_temp.make_visible();
select is(pg_temp.claim(), '2: a', 'claim_import_items begins the next attempt of an item');
select is((select attempts from public.podcast_import_items where guid = 'a'), 2,
  'an item that its claim began again counts the attempt');
select private.fail_import_item(tests.id('a'), 'The source answered 404', 'HTTP_ERROR');
select pg_temp.send(tests.id('b')::text);
select is(pg_temp.claim(array(select msg_id from pgmq.q_import_items where read_ct > 0)), '1: b',
  'claim_import_items acknowledges completed messages');
select is((select count(*) from pgmq.q_import_items), 1::bigint, 'claim_import_items deletes the completed message');
select pgmq.purge_queue('import_items');
delete from private.leases;
select pg_temp.send(tests.id('a')::text);
select is(pg_temp.claim(), '1: failed', 'claim_import_items returns why an item has nothing left to do');

-- One message does not stop the others
select pgmq.purge_queue('import_items');
delete from private.leases;
update public.podcast_import_items set status = 'pending', error_message = null, error_code = null where guid = 'a';
select pg_temp.send('no id'), pg_temp.send(tests.id('a')::text);
select is(pg_temp.claim(), '1: nothing, 1: a', 'claim_import_items claims a message whose item cannot begin');
select is((select count(*) from private.leases where expires_at > clock_timestamp()), 2::bigint,
  'claim_import_items leases a message whose item cannot begin');
select is(tests.result_of('service', 'select private.claim_import_items(1, 60)'), '42501',
  'service_role may not call claim_import_items');

select * from tests.finish();
rollback;
