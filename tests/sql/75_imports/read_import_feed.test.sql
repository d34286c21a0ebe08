-- The queue import_feeds: start_import sends a message, and the process that has it reads the feed.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'ola');
create function tests.start_reading(show text default 'show') returns void language plpgsql as $$
begin
  delete from public.podcast_imports where podcast_id = tests.id(show);
  perform pgmq.purge_queue('import_feeds'), pgmq.purge_queue('import_feeds_dlq');
  perform tests.act_as('ola');
  perform tests.remember('new',
    (public.start_import(tests.id(show), 'https://feeds.example/a.xml') ->> 'importId')::uuid);
  perform tests.act_as('postgres');
  delete from tests.ids where name = 'one';
  update tests.ids set name = 'one' where name = 'new';
end $$;
create function tests.feed_items(variadic guids text[]) returns jsonb language sql as $$
  select jsonb_agg(jsonb_build_object('position', n, 'guid', guid)) from unnest(guids) with ordinality g (guid, n) $$;
create function tests.message_id() returns bigint language sql as $$ select msg_id from pgmq.q_import_feeds $$;
create function tests.feed_state() returns text language sql as $$
  select format('%s %s %s: %s', status, error_code, error_message, total_items) from public.podcast_imports
  where id = tests.id('one') $$;

-- Start
select tests.start_reading();
select is((select message from pgmq.q_import_feeds),
  jsonb_build_object('type', 'import_feed', 'import_id', tests.id('one'), 'podcast_id', tests.id('show')),
  'start_import enqueues the reading of the feed');
select ok((select vt <= clock_timestamp() and read_ct = 0 from pgmq.q_import_feeds),
  'start_import by RPC enqueues a message that is visible at once');
select is((select status::text from public.podcast_imports where id = tests.id('one')),
  'pending', 'start_import by RPC leaves the import pending');
select results_eq($$ select (data::jsonb - 'importId')::text
  from private.call_start_import(json_build_object('role', 'authenticated', 'sub', tests.id('ola')),
  jsonb_build_object('podcast_id', tests.id('other'), 'feed_url', 'https://feeds.example/b.xml')) $$,
  $$ values ('{"status": "pending"}') $$, 'start_import returns pending through the functions');
select tests.act_as('postgres');
select ok((select vt - enqueued_at between interval '4 seconds' and interval '6 seconds' from pgmq.q_import_feeds
  where msg_id <> (select min(msg_id) from pgmq.q_import_feeds)),
  'start_import through the functions leaves its route five seconds to claim the message');
select set_config('castbase.called_by_edge_function', '', true);

-- Claim
select tests.start_reading();
select results_eq($$ select msg_id, attempt, feed_url from private.claim_import_feed(tests.id('one')) $$,
  $$ select tests.message_id(), 1, 'https://feeds.example/a.xml' $$,
  'claim_import_feed returns the message to the route as attempt 1, with the feed''s URL');
select is_empty($$ select from private.claim_import_feed(tests.id('one')) $$,
  'claim_import_feed returns no row when the message is claimed');
select is_empty($$ select from private.claim_jobs('import_feeds', 4, 60) $$,
  'claim_jobs does not return a message that the route has claimed');
select is(private.begin_import_feed(tests.id('one'), tests.message_id(), 2), null,
  'begin_import_feed returns null for an attempt that has not claimed the message');
select is(private.stage_import_items(tests.id('one'), tests.feed_items('a', 'b'), tests.message_id(), 1), 2,
  'stage_import_items accepts items from the reader that has the message');

-- A feed too long for a request
savepoint claimed;
select is(private.hand_over_feed(tests.id('one'), tests.message_id(), 1),
  jsonb_build_object('importId', tests.id('one'), 'status', 'pending', 'totalItems', 2),
  'hand_over_feed leaves the import pending and returns its items so far');
select is((select attempt from private.claim_jobs('import_feeds', 4, 60)), 1,
  'hand_over_feed leaves the message to the worker at once, with all attempts');
rollback to claimed;
select throws_ok($$ select private.hand_over_feed(tests.id('one'), tests.message_id(), 2) $$, 'PT409', null,
  'hand_over_feed returns 409 to a reader that lost the message');

-- The route dies: the worker takes over
select is((select attempt from private.claim_jobs('import_feeds', 4, 60, clock_timestamp() + interval '1 minute')), 2,
  'claim_jobs returns the message of a route that died');
select is(private.begin_import_feed(tests.id('one'), tests.message_id(), 2), 'https://feeds.example/a.xml',
  'begin_import_feed returns the feed''s URL to the worker');
select is((select total_items from public.podcast_imports where id = tests.id('one')), 0,
  'begin_import_feed deletes the items of the earlier attempt');
select is(tests.outcome_of(format('select private.%s', call)), 'PT409 INVALID_IMPORT_STATE',
  split_part(trim(call), '(', 1) || ' rejects a reader that lost its message')
from unnest(array[$$ stage_import_items(tests.id('one'), tests.feed_items('late'), tests.message_id(), 1) $$,
  $$ discard_staging(tests.id('one'), tests.message_id(), 1) $$,
  $$ fail_import_feed(tests.id('one'), 'x', 'X', tests.message_id(), 1) $$,
  $$ finish_staging(tests.id('one'), '{}', null, null, _msg_id => tests.message_id(), _attempt => 1) $$]) call;
select private.stage_import_items(tests.id('one'), tests.feed_items('a', 'b', 'c'), tests.message_id(), 2);
select is((select jsonb_build_array(s -> 'status', s -> 'totalItems')
  from private.finish_staging(tests.id('one'), '{}', null, null, _msg_id => tests.message_id(), _attempt => 2) s),
  '["preview", 3]', 'finish_staging moves an import that the worker staged to preview');
select is_empty('select from pgmq.q_import_feeds', 'finish_staging acknowledges the message in the same transaction');

-- The feed cannot be read
select tests.start_reading();
select private.claim_import_feed(tests.id('one'));
select ok(private.discard_staging(tests.id('one'), tests.message_id(), 1),
  'discard_staging deletes the import whose feed the route could not read');
select is((select count(*) from pgmq.q_import_feeds) + (select count(*) from public.podcast_imports
  where id = tests.id('one')), 0::bigint, 'discard_staging deletes the import and its message');
select tests.start_reading();
select private.claim_jobs('import_feeds', 1, 60);
select private.begin_import_feed(tests.id('one'), tests.message_id(), 1),
  private.stage_import_items(tests.id('one'), tests.feed_items('a'), tests.message_id(), 1);
delete from private.events;
select ok(private.fail_import_feed(tests.id('one'), 'The server responded with status 404', 'HTTP_ERROR',
  tests.message_id(),
  1), 'fail_import_feed fails the import');
select is(tests.feed_state(), 'failed HTTP_ERROR The server responded with status 404: 0',
  'fail_import_feed stores the error and deletes the items');
select is((select (finished_at is not null, started_at, staged_at)::text from public.podcast_imports
  where id = tests.id('one')), '(t,,)', 'fail_import_feed sets finished_at, but not started_at');
select results_eq($$ select type, payload ->> 'error_code' from private.events $$,
  $$ values ('import.failed', 'HTTP_ERROR') $$, 'fail_import_feed writes the event import.failed with the code');
select ok(not private.fail_import_feed(tests.id('one'), 'again', 'X', tests.message_id(), 1),
  'fail_import_feed changes nothing when the import is not pending');
select is(private.begin_import_feed(tests.id('one'), tests.message_id(), 1), null,
  'begin_import_feed does not read the feed of a failed import again');
select is(tests.outcome_of('select public.retry_failed_import_items(tests.id(''one''))'), 'PT409 INVALID_IMPORT_STATE',
  'retry_failed_import_items rejects an import whose feed was not read') from tests.act_as('ola');
select is((public.get_import(tests.id('one'))::jsonb)
  - '{id,podcast_id,created_by,created_at,updated_at,finished_at,detection}'::text[]
  @> '{"status": "failed", "error_code": "HTTP_ERROR", "error_message": "The server responded with status 404",
    "items": []}', true, 'get_import returns the error of a feed that was not read') from tests.act_as('ola');
select tests.act_as('postgres');
select lives_ok('select tests.start_reading()', 'start_import accepts an import after one that failed');
select private.claim_jobs('import_feeds', 1, 60),
  private.fail_job('import_feeds', tests.message_id(), 'The server responded with status 503', _is_permanent => true);
select is(tests.feed_state(), 'failed RETRIES_EXHAUSTED The server responded with status 503: 0',
  'a dead letter of import_feeds fails its import for the reason of its last attempt');
select lives_ok(format($$ select pgmq.send('import_feeds_dlq', %L) $$, m),
  'import_feeds_dlq accepts a dead letter without an import')
from unnest(array['{}', '{"message": {"import_id": "x"}}',
  jsonb_build_object('message', jsonb_build_object('import_id', gen_random_uuid()))::text]) m;

-- Canceled, or deleted
select tests.start_reading();
select private.claim_jobs('import_feeds', 1, 60);
select tests.act_as('ola'), public.cancel_import(tests.id('one')), tests.act_as('postgres');
select is(private.begin_import_feed(tests.id('one'), tests.message_id(), 1), null,
  'begin_import_feed does not read the feed of a canceled import');
select is(private.begin_import_feed(gen_random_uuid(), tests.message_id(), 1), null,
  'begin_import_feed returns null for a deleted import');

-- Constraints
select throws_ok($$ update public.podcast_imports set error_message = 'x', error_code = 'X'
  where id = tests.id('one') $$, '23514', null, 'podcast_imports rejects an error on an import that has not failed');
select tests.act_as('postgres');
select pgmq.drop_queue('import_feeds');
delete from public.podcast_imports;
select is(tests.outcome_of($$ select public.start_import(tests.id('show'), 'https://feeds.example/a.xml') $$), 'PT500',
  'start_import returns 500 without the queue import_feeds') from tests.act_as('ola');

select * from tests.finish();
rollback;
