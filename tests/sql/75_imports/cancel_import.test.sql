-- cancel_import and waiting items: enqueued for the first time, or between two attempts.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin');
create function pg_temp.start_import() returns void language plpgsql as $$
begin
  delete from public.podcast_imports;
  perform pgmq.purge_queue('import_items'), pgmq.purge_queue('import_items_dlq');
  perform tests.import('one', 'show'), tests.import_item('a', 'one'), tests.import_item('b', 'one'),
    tests.import_item('c', 'one'), tests.import_item('d', 'one');
  perform tests.call_as_ana('confirm_import');
end $$;
-- The worker claims the item's message and begins it
create function pg_temp.begin_item(item text) returns text language plpgsql as $$
declare job record;
begin
  update pgmq.q_import_items set vt = clock_timestamp() + case when msg_id = tests.message_id_of(item) then '-1 second'
    else '1 hour' end::interval;
  select * into job from private.claim_jobs('import_items', 1, 60);
  return coalesce(private.begin_import_item(tests.id(item), job.attempt, job.msg_id) ->> 'skip', 'go');
end $$;
create function pg_temp.fail_job(item text, error text default 'The server responded with status 503') returns text
  language sql as $$
  select private.fail_job('import_items', tests.message_id_of(item), error) $$;

-- Between two attempts
select pg_temp.start_import();
select is(pg_temp.begin_item('a') || ' ' || pg_temp.fail_job('a'), 'go retry_scheduled',
  'fail_job sends the message of an import item back to the queue');
select results_eq($$ select status::text, error_message, error_code, attempts from public.podcast_import_items
  where guid = 'a' $$,
  $$ values ('pending', 'The server responded with status 503', null, 1) $$,
  'an import item between two attempts is pending with its error message');
select is((select next_attempt_at from public.podcast_import_items where guid = 'a'),
  (select vt from pgmq.q_import_items where msg_id = tests.message_id_of('a')),
  'next_attempt_at of an import item is the time at which its message is visible again');
select ok((select next_attempt_at > now() from public.podcast_import_items where guid = 'a'),
  'next_attempt_at of an import item that has just failed is in the future');
select is((select headers ->> 'last_error' from pgmq.q_import_items where msg_id = tests.message_id_of('a')),
  'The server responded with status 503', 'fail_job stores the error in the message that it sends back to the queue');
select is(pg_temp.begin_item('a'), 'go', 'begin_import_item begins an item whose retry is due');
select results_eq($$ select status::text, error_message, next_attempt_at, attempts from public.podcast_import_items
  where guid = 'a' $$,
  $$ values ('processing', null::text, null::timestamptz, 2) $$,
  'begin_import_item clears the error of the previous attempt');
select pg_temp.fail_job('a', 'The server responded with status 503');
select is((select (status, error_message)::text from public.podcast_import_items where guid = 'a'),
  '(pending,"The server responded with status 503")',
    'an import item that fails twice with the same error waits again');
select pg_temp.fail_job('b', repeat('x', 3000));
select is((select char_length(error_message) from public.podcast_import_items where guid = 'b'), 2000,
  'error_message of an import item between attempts is truncated to 2,000 characters');
select pg_temp.begin_item('a'),
  private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/u', 6, 10, '"e"');
select pg_temp.fail_job('a'),
  private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/u', 9, 10, '"e"');
update private.import_transfers set received_bytes = 3, max_received_bytes = 9;
select pg_temp.begin_item('a');
select is((select max_received_bytes from private.import_transfers), 9::bigint,
  'begin_import_item keeps max_received_bytes, which bounds the attempts, in an automatic retry');
select throws_ok($$ update public.podcast_import_items set next_attempt_at = now() where guid = 'c' $$, '23514', null,
  'podcast_import_items rejects next_attempt_at without an error message');
select throws_ok($$ update public.podcast_import_items set next_attempt_at = now(), error_message = 'x'
  where guid = 'a' $$, '23514', null, 'podcast_import_items rejects next_attempt_at of an item in progress');
select is((public.get_import(tests.id('one'))::jsonb #>> '{items,1,next_attempt_at}')::timestamptz,
  (select date_trunc('milliseconds', next_attempt_at) from public.podcast_import_items where guid = 'b'),
  'get_import returns next_attempt_at of an item between two attempts') from tests.act_as('ana');
select tests.act_as('postgres');

-- A superseded message does not change its item
select pg_temp.start_import();
create temp table past_msg as select tests.message_id_of('a') as id;
select private.dispatch_import(tests.id('one'), tests.id('a'), clock_timestamp());
select private.begin_import_item(tests.id('a'), 1,
  (select max(msg_id) from pgmq.q_import_items where message ->> 'import_item_id' = tests.id('a')::text));
select private.fail_job('import_items', id, 'late') from past_msg;
select is((select (status, error_message)::text from public.podcast_import_items where guid = 'a'), '(processing,)',
  'fail_job of a superseded message leaves the import item to its newer message');
select lives_ok($$ update pgmq.q_import_items set message = '{"import_item_id": "x"}', headers = '{"last_error": "x"}'
  where msg_id = tests.message_id_of('d') $$, 'fail_job retries a message without an item''s id');
select lives_ok(format($$ update pgmq.q_import_items set message = '{"import_item_id": "%s"}',
  headers = '{"last_error": "x"}' where msg_id = tests.message_id_of('c') $$, gen_random_uuid()),
  'fail_job retries a message of a deleted item');

-- Cancel
select pg_temp.start_import();
select is(pg_temp.begin_item('a') || pg_temp.begin_item('b') || pg_temp.fail_job('b'), 'gogoretry_scheduled',
  'fail_job schedules a retry of one of two items in transfer before cancel_import');
update pgmq.q_import_items set vt = (select next_attempt_at from public.podcast_import_items where guid = 'b')
  where msg_id = tests.message_id_of('b');
select is(tests.call_as_ana('cancel_import'), '{"status": "canceled"}', 'cancel_import cancels a running import');
select is(tests.items_of('one') || '; ' || tests.state_of('one'),
  'a processing, b skipped_canceled, c skipped_canceled, d skipped_canceled; canceled: 0/0/3 of 4',
  'cancel_import skips enqueued items and items between two attempts at once, and counts them');
select is((select array_agg(distinct (error_message, error_code, next_attempt_at)::text)
  from public.podcast_import_items where status = 'skipped_canceled'), '{"(\"The import was canceled\",,)"}',
  'cancel_import sets the error message of skipped items to "The import was canceled"');
select is((select array_agg(message ->> 'import_item_id') from pgmq.q_import_items), array[tests.id('a')::text],
  'cancel_import deletes the messages of waiting items and keeps the one in progress');
select is(pg_temp.fail_job('a'), 'retry_scheduled',
  'fail_job schedules a retry of an item in transfer after cancel_import');
select is(tests.items_of('one') || '; ' || tests.state_of('one'),
  'a skipped_canceled, b skipped_canceled, c skipped_canceled, d skipped_canceled; canceled: 0/0/4 of 4',
  'fail_job skips an item in transfer that fails after cancel_import');
select is(pg_temp.begin_item('a'), 'skipped_canceled', 'begin_import_item acknowledges the message of a skipped item');

-- The worker checks the import at each claim
select pg_temp.start_import();
select pg_temp.begin_item('a'), pg_temp.begin_item('b');
select tests.call_as_ana('cancel_import');
select is((select private.begin_import_item(tests.id('a'), 1,
  private.requeue_job('import_items', tests.message_id_of('a'))) ->> 'skip'), null,
    'begin_import_item continues a transfer in another run after cancel_import');
select is(pg_temp.begin_item('b') || ' ' || tests.items_of('one'),
  'skipped_canceled a processing, b skipped_canceled, c skipped_canceled, d skipped_canceled',
  'begin_import_item skips an item whose worker died before cancel_import');
select private.finish_import_item(tests.id('b'), 'podcasts/x', 1, 'audio/mpeg', 1);
select is_empty($$ select from public.episodes $$, 'finish_import_item creates no episode for a skipped item');
select pg_temp.start_import();
select * from private.claim_jobs('import_items', 1, 60);
create temp table claimed as select msg_id, message ->> 'import_item_id' as item from pgmq.q_import_items
where read_ct = 1;
select tests.call_as_ana('cancel_import');
select is((select array_agg(msg_id) from pgmq.q_import_items), (select array_agg(msg_id) from claimed),
  'cancel_import leaves a message that a worker has claimed');
select is((private.begin_import_item(item::uuid, 1, msg_id) ->> 'skip'), 'skipped_canceled',
  'begin_import_item skips an item whose message was claimed before cancel_import') from claimed;

-- Resume and retry-failed
select pg_temp.start_import();
select pg_temp.begin_item('a'), pg_temp.fail_job('a'), pg_temp.begin_item('b'),
  private.fail_import_item(tests.id('b'), 'no');
select tests.call_as_ana('cancel_import');
select is(tests.call_as_ana('resume_import'), '{"status": "running"}', 'resume_import sets a canceled import running');
select is(tests.items_of('one') || '; ' || tests.state_of('one'),
  'a pending, b failed, c pending, d pending; running: 0/1/0 of 4',
  'resume_import resets skipped items to pending and lowers skipped_count');
select is((select array_agg(distinct (error_message, next_attempt_at)::text) from public.podcast_import_items
  where status = 'pending'), '{"(,)"}', 'resume_import clears the error messages of the items that it resets');
select is((select count(*) from pgmq.q_import_items where read_ct = 0), 3::bigint,
  'resume_import enqueues one message per pending item');
select tests.call_as_ana('cancel_import');
select is(tests.call_as_ana('retry_failed_import_items')::jsonb, '{"status": "running", "retriedCount": 4}',
  'retry_failed_import_items of a canceled import counts failed and skipped items');
select is(tests.items_of('one') || '; ' || tests.state_of('one'),
  'a pending, b pending, c pending, d pending; running: 0/0/0 of 4',
  'retry_failed_import_items resets skipped and failed items and lowers both counters');

-- An import that was never confirmed keeps its items
delete from public.podcast_imports;
select tests.import('one', 'show'), tests.import_item('a', 'one'), tests.call_as_ana('cancel_import');
select is(tests.items_of('one') || '; ' || tests.state_of('one'), 'a pending; canceled: 0/0/0 of 1',
  'cancel_import of a preview skips no item');
select is(tests.call_as_ana('resume_import'), '{"status": "preview"}',
  'resume_import of a canceled preview restores the preview');

select * from tests.finish();
rollback;
