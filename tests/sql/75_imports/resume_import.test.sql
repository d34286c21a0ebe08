-- resume_import: a canceled import runs again, or returns to its preview or its proof of ownership.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin');

-- A started import
select tests.running_import(), tests.begin_item('a'), tests.call_as_ana('cancel_import');
select private.fail_import_item(tests.id('a'), 'x');
select tests.empty_queue('import_items');
select is(tests.call_as_ana('resume_import'), '{"status": "running"}', 'resume_import sets a started import running');
select is(tests.items_of('one') || '; ' || tests.state_of('one'), 'a failed, b pending, c pending; running: 0/1/0 of 3',
  'resume_import resets the skipped items and keeps the failed one');
select is((select count(*) from tests.queued('import_items')), 2::bigint,
  'resume_import sends one message per pending item');
select is((select finished_at from public.podcast_imports), null, 'resume_import clears finished_at');
select is(tests.call_as_ana('resume_import'), 'PT409 INVALID_IMPORT_STATE',
  'resume_import returns 409 for a running import');
select tests.begin_item('b');
create temp table old_msg as select tests.message_id_of('c') as id;
select is(tests.call_as_ana('cancel_import'), '{"status": "canceled"}', 'cancel_import cancels a resumed import');
select is(tests.call_as_ana('resume_import'), '{"status": "running"}',
  'resume_import accepts an import whose old messages are enqueued');
select is(tests.begin_item('c', id), 'superseded', 'begin_import_item skips a message from before resume_import')
from old_msg;
select is(tests.begin_item('c', tests.message_id_of('c')), 'go',
  'begin_import_item accepts a message of resume_import');

select tests.running_import();
update public.podcast_imports set status = 'canceled';
update public.podcast_import_items set status = 'processing' where status = 'pending';
update public.podcast_import_items set status = 'skipped_oversize';
select is(tests.call_as_ana('resume_import'), '{"status": "completed"}',
  'resume_import finishes an import without open items at once');
delete from public.podcast_imports;
select tests.import('one', 'show'), tests.import_item('a', 'one'), tests.call_as_ana('cancel_import');
select is(tests.call_as_ana('resume_import'), '{"status": "preview"}',
  'resume_import returns an unconfirmed import to preview');
select is((select count(*) from tests.queued('import_items') m where m ->> 'import_id' = tests.id('one')::text),
  0::bigint, 'resume_import of a preview sends no message');
delete from public.podcast_imports;
select tests.import('one', 'show', 'verification_required'), tests.import_item('a', 'one');
select tests.call_as_ana('cancel_import');
select is(tests.call_as_ana('resume_import'), '{"status": "verification_required"}',
  'resume_import returns an unverified import to verification_required');
delete from public.podcast_imports;
select tests.import('one', 'show', 'pending'), tests.import_item('a', 'one'), tests.call_as_ana('cancel_import');
select is(tests.call_as_ana('resume_import'), 'PT409 INVALID_IMPORT_STATE',
  'resume_import returns 409 for an import that was not fully read');

-- Orphaned items: in progress without a message
select tests.orphaned_item();
select is(tests.call_as_ana('resume_import'), '{"status": "running"}',
  'resume_import accepts an import with an orphaned item');
select is(tests.items_of('one'), 'a pending, b processing, c completed',
  'resume_import resets an orphaned item and keeps one with a message');
select is((select count(*) from pgmq.q_import_items where message ->> 'import_item_id' = tests.id(item)::text),
  1::bigint, format('resume_import leaves one message of item %s', item)) from unnest('{a,b}'::text[]) item;
select tests.orphaned_item();
select private.requeue_job('import_items', tests.message_id_of('b'));
select tests.call_as_ana('resume_import');
select is(tests.items_of('one'), 'a pending, b processing, c completed',
  'resume_import does not reset an item with a requeued message');

-- Another import in flight
select tests.running_import(), tests.import('two', 'show', 'canceled');
select is(tests.call_as_ana('resume_import', import => 'two'),
  format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('one')),
  'resume_import returns 409 while another import is running');
update public.podcast_imports set status = 'canceled' where id = tests.id('one');
update public.podcast_imports set status = 'preview' where id = tests.id('two');
select is(tests.call_as_ana('resume_import'), format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('two')),
  'resume_import returns 409 for a started import while another is in flight');
delete from public.podcast_import_items where import_id = tests.id('one') and status = 'pending';
select is(tests.call_as_ana('resume_import'), format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('two')),
  'resume_import returns 409 for an import without open items while another is in flight');

-- A queue that rejects messages
select tests.running_import(), tests.call_as_ana('cancel_import'), tests.begin_item('a'), tests.close_queue();
select is(tests.call_as_ana('resume_import')::jsonb ->> 'hint', 'DISPATCH_FAILED',
  'resume_import of a canceled import returns DISPATCH_FAILED when the queue rejects the messages');
select is(tests.state_of('one') || ' ' || tests.items_of('one'),
  'canceled: 0/0/3 of 3 a skipped_canceled, b skipped_canceled, c skipped_canceled',
  'a resume_import with DISPATCH_FAILED leaves the import canceled');

select * from tests.finish();
rollback;
