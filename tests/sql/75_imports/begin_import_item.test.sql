-- The worker's functions for items: begin, save, skip and fail; dead letters, later attempts and newer messages.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.running_import();

-- The worker
select is(tests.begin_item('a'), 'go', 'begin_import_item begins a pending item');
select is(tests.begin_item('a'), 'go', 'begin_import_item begins an item in progress again');
select is(private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/u', 6, 10, '"e"'), true,
  'save_import_transfer returns true for an item in progress');
select is(private.begin_import_item(tests.id('a'), 2) -> 'transfer',
  '{"path": "p/1", "contentType": "audio/mpeg", "uploadUrl": "https://s.example/u", "receivedBytes": 6,
    "maxReceivedBytes": 6, "totalBytes": 10, "etag": "\"e\"", "storedBytes": null}',
  'begin_import_item returns the saved transfer');
select private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/u', 10, 10, '"e"');
select is((select received_bytes from private.import_transfers), 10::bigint,
  'save_import_transfer updates the received bytes');
select private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/v', 6, 10, '"f"');
select is((private.begin_import_item(tests.id('a'), 2)
  -> 'transfer') - '{path,contentType,uploadUrl,totalBytes,storedBytes}'::text[],
  '{"receivedBytes": 6, "maxReceivedBytes": 10, "etag": "\"f\""}',
    'save_import_transfer keeps the maximum of received bytes when a transfer restarts');
update public.podcast_import_items set status = 'pending' where id = tests.id('a');
select is(private.begin_import_item(tests.id('a'), 1) #> '{transfer,maxReceivedBytes}', '6',
  'begin_import_item resets the maximum of received bytes when an item was reset to pending');
select private.delete_import_transfer(tests.id('a'));
select is(private.begin_import_item(tests.id('a'), 2) -> 'transfer', 'null',
  'delete_import_transfer deletes the progress');
select is(private.save_import_transfer(tests.id('b'), 'p/2', 'audio/mpeg', null, 0, null, null), false,
  'save_import_transfer returns false for an item that is not in progress');
select is(private.skip_import_item(tests.id('a'), _error_message => 'Too big'), true,
  'skip_import_item returns true for an item in progress');
select is((select (status, error_message)::text from public.podcast_import_items where id = tests.id('a')),
  '(skipped_oversize,"Too big")', 'skip_import_item stores the status and the error message');
select is(private.fail_import_item(tests.id('a'), 'late'), false, 'fail_import_item returns false for a skipped item');
select is(private.fail_import_item(tests.id('b'), 'The source answered 404', 'HTTP_ERROR'), true,
  'fail_import_item returns true for a pending item');
select is((select (status, error_message, error_code)::text from public.podcast_import_items where id = tests.id('b')),
  '(failed,"The source answered 404",HTTP_ERROR)', 'fail_import_item stores the error message and code');
select is(tests.begin_item('a') || ' ' || tests.begin_item('b'), 'skipped_oversize failed',
  'begin_import_item skips closed items');
select is(private.begin_import_item(gen_random_uuid(), 1), '{"skip": "not_found"}',
  'begin_import_item skips an unknown item');
select is(tests.state_of('one'), 'running: 0/1/1 of 3', 'an import with an open item is running');
select private.add_import_item_warnings(tests.id('c'), '[{"code": "X", "message": "x"}]'),
  private.add_import_item_warnings(tests.id('c'), '[{"code": "X", "message": "x"}]');
select is((select warnings from public.podcast_import_items where id = tests.id('c')),
  '[{"code": "X", "message": "x"}]', 'add_import_item_warnings adds a code once');
select private.add_import_item_warnings(tests.id('c'),
  '[{"code": "Y", "message": "y"}, {"code": "X", "message": "x2"}, {"code": "Y", "message": "y2"},
    {"code": "A", "message": "a"}]');
select is((select warnings from public.podcast_import_items where id = tests.id('c')),
  '[{"code": "X", "message": "x"}, {"code": "Y", "message": "y"}, {"code": "A", "message": "a"}]',
  'add_import_item_warnings adds only the new codes');
insert into public.episodes (podcast_id, guid, title) values (tests.id('show'), 'c', 'C');
select is(tests.begin_item('c'), 'skipped_duplicate',
  'begin_import_item skips an item whose GUID the podcast has by now');
select is(tests.state_of('one'), 'failed: 0/1/2 of 3',
  'an import without open items has finished, as failed if no item is completed');
delete from public.episodes where guid = 'c';

-- Dead letters
select tests.running_import();
select is(private.fail_job('import_items', tests.message_id_of('a'), 'The worker ended', _is_permanent => true),
  'dead_lettered', 'fail_job moves a message to the dead-letter queue');
select is((select (status, error_message, error_code)::text from public.podcast_import_items where id = tests.id('a')),
  '(failed,"The worker ended",RETRIES_EXHAUSTED)', 'a dead letter of import_items fails its item with its error');
update pgmq.q_import_items set read_ct = 6 where msg_id = tests.message_id_of('b');
select private.claim_jobs('import_items', 4, 60, clock_timestamp() + interval '1 minute');
select is((select error_code from public.podcast_import_items where id = tests.id('b')), 'RETRIES_EXHAUSTED',
  'claim_jobs fails the item of an import_items message that is out of attempts');
select is(tests.state_of('one'), 'running: 0/2/0 of 3', 'an import counts the items that dead letters failed');
select lives_ok(format($$ select pgmq.send('import_items_dlq', %L) $$, m),
  'import_items_dlq accepts a dead letter without an import item')
from unnest(array['{}', '{"message": 1}', '{"message": {"import_item_id": "x"}}',
  jsonb_build_object('message', jsonb_build_object('import_item_id', gen_random_uuid()))::text]) m;
select tests.running_import();
create temp table past_msg as select tests.message_id_of('a') as id;
update pgmq.q_import_items set read_ct = 6, vt = clock_timestamp() + interval '1 minute';
select ok(private.fail_import_item(tests.id('a'), 'The source answered 404', 'HTTP_ERROR', id),
  'fail_import_item fails an item whose message stays in the queue') from past_msg;
select is(tests.call_as_ana('retry_import_item', 'a')::jsonb ->> 'status',
  'pending', 'retry_import_item accepts an item whose old message is in the queue');
select is(tests.begin_item('a', tests.message_id_of('a')), 'go',
  'begin_import_item begins the retried item with its new message');
update pgmq.q_import_items set vt = now() where msg_id = (select id from past_msg);
select is_empty($$ select from private.claim_jobs('import_items', 1, 60) $$,
  'claim_jobs returns no row for the old message of a retried item');
select is((select (message ->> 'msg_id')::bigint from pgmq.q_import_items_dlq), id,
  'claim_jobs moves the old message of a retried item to the dead-letter queue') from past_msg;
select is((select status from public.podcast_import_items where id = tests.id('a')), 'processing',
  'a retried item stays in progress when its old message becomes a dead letter');
select ok(not private.fail_import_item(tests.id('a'), 'late', _msg_id => id),
  'fail_import_item returns false for the old message of a retried item') from past_msg;
select ok(not private.skip_import_item(tests.id('a'), _error_message => 'late', _msg_id => id),
  'skip_import_item returns false for the old message of a retried item') from past_msg;
select is((select status from public.podcast_import_items where id = tests.id('a')), 'processing',
  'a retried item stays in progress when the worker of its old message fails or skips it');
select ok(private.skip_import_item(tests.id('a'), _error_message => 'big', _msg_id => tests.message_id_of('a')),
  'skip_import_item returns true for the current message of a retried item');

-- Two attempts at one message: the first worker paused beyond its visibility timeout
select tests.running_import();
update pgmq.q_import_items set read_ct = 2;
select is(tests.begin_item('a', tests.message_id_of('a')), 'superseded', 'begin_import_item skips an earlier attempt');
select is(private.begin_import_item(tests.id('a'), 2, tests.message_id_of('a')) ->> 'skip', null,
  'begin_import_item begins the latest attempt');
select ok(not private.fail_import_item(tests.id('a'), 'late', _msg_id => tests.message_id_of('a'), _attempt => 1),
  'fail_import_item returns false for an earlier attempt');
select ok(not private.skip_import_item(tests.id('a'), _error_message => 'late', _msg_id => tests.message_id_of('a'),
  _attempt => 1), 'skip_import_item returns false for an earlier attempt');
select ok(not private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/u', 6, 10, '"e"',
  tests.message_id_of('a'), 1), 'save_import_transfer returns false for an earlier attempt');
select is_empty($$ select from private.import_transfers $$,
  'save_import_transfer stores nothing for an earlier attempt');
select ok(private.save_import_transfer(tests.id('a'), 'p/2', 'audio/mpeg', 'https://s.example/v', 6, 10, '"e"',
  tests.message_id_of('a'), 2), 'save_import_transfer returns true for the latest attempt');
select ok(private.fail_import_item(tests.id('a'), 'no', _msg_id => tests.message_id_of('a'), _attempt => 2),
  'fail_import_item returns true for the latest attempt');

-- Two messages for one item
select tests.running_import();
create temp table first_msg as select tests.message_id_of('a') as id;
select private.dispatch_import(tests.id('one'), tests.id('a'), clock_timestamp());
select is(tests.begin_item('a', id), 'superseded', 'begin_import_item skips the older of two messages') from first_msg;
select is(tests.begin_item('a', tests.message_id_of('a')), 'go', 'begin_import_item begins the newer of two messages');
select is(tests.begin_item('a', id), 'superseded',
  'begin_import_item skips the older message while the newer is in progress') from first_msg;
create temp table next_msg as select private.requeue_job('import_items', tests.message_id_of('a')) as id;
select is(tests.begin_item('a', id), 'go', 'begin_import_item continues an item with its requeued message')
from next_msg;
select is(tests.begin_item('a', (select id from first_msg)), 'superseded',
  'begin_import_item skips the older message after the newer was requeued');
select private.acknowledge_jobs('import_items', array[id]) from next_msg;
select is(tests.begin_item('a', (select id from first_msg)), 'go',
  'begin_import_item accepts an older message when no newer one is left');

-- Cancel
select tests.running_import(), tests.begin_item('a');
select is(tests.call_as_ana('cancel_import'), '{"status": "canceled"}', 'cancel_import cancels a running import');
select ok((select finished_at is not null from public.podcast_imports), 'cancel_import sets finished_at');
select is(tests.begin_item('a') || ' ' || tests.begin_item('b'), 'go skipped_canceled',
  'begin_import_item continues an item in progress and skips a pending one after cancel_import');
select is(tests.items_of('one') || '; ' || tests.state_of('one'),
  'a processing, b skipped_canceled, c skipped_canceled; canceled: 0/0/2 of 3',
  'cancel_import skips the pending items');
select private.fail_import_item(tests.id('a'), 'x');
select tests.begin_item('c');
select is(tests.state_of('one'), 'canceled: 0/1/2 of 3', 'a canceled import stays canceled when its last item closes');

-- A podcast pending deletion
select tests.running_import(), tests.begin_item('a');
update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now();
select is(tests.call_as_ana('cancel_import'), 'PT409 PODCAST_PENDING_DELETION',
  'cancel_import returns 409 for a podcast pending deletion');
select is(tests.begin_item('a'), 'skipped_canceled',
  'begin_import_item skips an item in transfer of a podcast pending deletion');
select is((select (error_message, error_code)::text from public.podcast_import_items where id = tests.id('a')),
  '("The import was canceled",)', 'begin_import_item says that the import of a podcast pending deletion was canceled');

select * from tests.finish();
rollback;
