-- retry_failed_import_items: the failed items of an import, and all open items of a canceled one, run again.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin');

-- Failed items
select tests.failed_items();
select is(tests.call_as_ana('retry_failed_import_items')::jsonb, '{"status": "running", "retriedCount": 2}',
  'retry_failed_import_items returns the number of failed items');
select is(tests.items_of('one') || '; ' || tests.state_of('one'),
  'a pending, b pending, c completed; running: 1/0/0 of 3',
  'retry_failed_import_items resets the failed items to pending');
select is((select array_agg(distinct (error_message, error_code)::text) from public.podcast_import_items), '{"(,)"}',
  'retry_failed_import_items clears the error messages');
select is((select count(*) from tests.queued('import_items')), 2::bigint,
  'retry_failed_import_items sends one message per failed item');
select is(tests.call_as_ana('retry_failed_import_items'), 'PT409 INVALID_IMPORT_STATE',
  'retry_failed_import_items returns 409 for a running import');
update public.podcast_import_items set status = 'processing' where import_id = tests.id('one') and status = 'pending';
update public.podcast_import_items set status = 'completed' where import_id = tests.id('one');
select is(tests.call_as_ana('retry_failed_import_items'), 'PT409 INVALID_IMPORT_STATE',
  'retry_failed_import_items returns 409 for a completed import');

select tests.running_import();
select private.fail_import_item(tests.id('a'), 'x'), tests.call_as_ana('cancel_import');
select tests.begin_item('b'), tests.empty_queue('import_items');
select is(tests.call_as_ana('retry_failed_import_items')::jsonb, '{"status": "running", "retriedCount": 3}',
  'retry_failed_import_items of a canceled import retries failed, skipped and pending items');
select is((select count(*) from tests.queued('import_items')), 3::bigint,
  'retry_failed_import_items of a canceled import sends a message for every open item');

-- An import that was never confirmed
delete from public.podcast_imports;
select tests.import('one', 'show', 'verification_required'), tests.import_item('a', 'one');
select tests.call_as_ana('cancel_import');
select is(tests.call_as_ana('retry_failed_import_items'), 'PT409 INVALID_IMPORT_STATE',
  'retry_failed_import_items returns 409 for an import that was never confirmed');

-- Orphaned items: in progress without a message
select tests.orphaned_item();
select is(tests.call_as_ana('retry_failed_import_items')::jsonb, '{"status": "running", "retriedCount": 1}',
  'retry_failed_import_items counts an orphaned item');
select is(tests.items_of('one'), 'a pending, b processing, c completed',
  'retry_failed_import_items resets only the orphaned item');

-- Another import in flight
select tests.failed_items(), tests.import('two', 'show');
select is(tests.call_as_ana('retry_failed_import_items'),
  format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('two')),
  'retry_failed_import_items returns 409 while another import is in flight');
update public.podcast_imports set status = 'canceled' where id = tests.id('two');
select is(tests.call_as_ana('retry_failed_import_items')::jsonb ->> 'status', 'running',
  'retry_failed_import_items accepts an import when no other is in flight');

-- A queue that rejects messages
select tests.failed_items(), tests.close_queue();
create temp table before as select tests.items_of('one') as items, tests.state_of('one') as state;
select is(tests.call_as_ana('retry_failed_import_items')::jsonb ->> 'hint', 'DISPATCH_FAILED',
  'retry_failed_import_items returns DISPATCH_FAILED when the queue rejects the messages');
select set_config('tests.trouble', '57014', true);
select is(tests.call_as_ana('retry_failed_import_items')::jsonb ->> 'hint', 'DISPATCH_FAILED',
  'retry_failed_import_items returns DISPATCH_FAILED on a statement timeout');
select set_config('tests.trouble', '', true);
select results_eq($$ select tests.items_of('one'), tests.state_of('one') $$, 'select items, state from before',
  'a retry_failed_import_items with DISPATCH_FAILED leaves items and counters unchanged');
select tests.open_queue(), tests.running_import(), tests.call_as_ana('cancel_import');
select tests.begin_item('a'), tests.close_queue();
select is(tests.call_as_ana('retry_failed_import_items')::jsonb ->> 'hint', 'DISPATCH_FAILED',
  'retry_failed_import_items of a canceled import returns DISPATCH_FAILED when the queue rejects the messages');
select is(tests.state_of('one') || ' ' || tests.items_of('one'),
  'canceled: 0/0/3 of 3 a skipped_canceled, b skipped_canceled, c skipped_canceled',
  'a retry_failed_import_items with DISPATCH_FAILED leaves the import canceled');

select * from tests.finish();
rollback;
