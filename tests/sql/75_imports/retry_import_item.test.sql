-- retry_import_item: one failed item runs again.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin');

-- One item
select tests.failed_items();
select is(tests.call_as_ana('retry_import_item', 'b')::jsonb ->> 'status', 'pending',
  'retry_import_item retries one item');
select is(tests.items_of('one') || '; ' || tests.state_of('one'),
  'a failed, b pending, c completed; running: 1/1/0 of 3', 'retry_import_item keeps other failed items');
select is((select array_agg(m ->> 'import_item_id') from tests.queued('import_items') m), array[tests.id('b')::text],
  'retry_import_item sends one message');
select is(tests.call_as_ana('retry_import_item', 'a')::jsonb ->> 'status', 'pending',
  'retry_import_item accepts an item of a running import');
select is((select count(*) from tests.queued('import_items')), 2::bigint,
  'retry_import_item sends no second message for another item');
select is(tests.call_as_ana('retry_import_item', 'a'), 'PT409 IMPORT_ITEM_NOT_FAILED',
  'retry_import_item returns 409 for a pending item');
select is(tests.call_as_ana('retry_import_item', 'show'), 'PT404',
  'retry_import_item returns 404 for an item of another import');
delete from public.podcast_imports;
select tests.import('one', 'show', 'preview'), tests.import_item('h', 'one', 'skipped_user_limit'),
  tests.import_item('f', 'one', 'failed');
update public.podcast_imports set status = 'running';
select is(tests.call_as_ana('retry_import_item', 'h'), 'PT409 IMPORT_ITEM_NOT_FAILED',
  'retry_import_item returns 409 for an item held by the limit');
select is(tests.state_of('one'), 'failed: 0/1/1 of 2', 'a rejected retry_import_item changes nothing');

select tests.running_import();
select private.fail_import_item(tests.id('a'), 'x'), tests.call_as_ana('cancel_import');
select is(tests.call_as_ana('retry_import_item', 'a'), 'PT409 INVALID_IMPORT_STATE',
  'retry_import_item returns 409 for a canceled import');

-- Another import in flight
select tests.failed_items(), tests.import('two', 'show');
select is(tests.call_as_ana('retry_import_item', 'a'),
  format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('two')),
  'retry_import_item returns 409 while another import is in flight');

-- A queue that rejects messages
select tests.failed_items(), tests.close_queue();
create temp table before as select tests.items_of('one') as items, tests.state_of('one') as state;
select is(tests.call_as_ana('retry_import_item', 'a')::jsonb ->> 'hint', 'DISPATCH_FAILED',
  'retry_import_item returns DISPATCH_FAILED when the queue rejects the messages');
select results_eq($$ select tests.items_of('one'), tests.state_of('one') $$, 'select items, state from before',
  'a retry_import_item with DISPATCH_FAILED leaves items and counters unchanged');

select * from tests.finish();
rollback;
