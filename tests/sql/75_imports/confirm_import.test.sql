-- confirm_import sends the newest items up to a limit to the worker, or changes nothing.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('sam');
-- Five items of the feed, the oldest first, one of them undated, and a duplicate
create function pg_temp.stage_import(import text default 'one') returns void language plpgsql security definer as $$
begin
  delete from public.podcast_imports; perform pgmq.purge_queue('import_items');
  perform tests.import(import, 'show');
  perform tests.import_item(g, import) from unnest('{a,b,c,d,e}'::text[]) g;
  perform tests.import_item('dup', import, 'skipped_duplicate');
  update public.podcast_import_items set published_at = '2020-01-01Z'::timestamptz + position * interval '1 day'
    where guid <> 'e';
end $$;
create function tests.confirm(rest text default '') returns text
  language sql as $$ select tests.outcome_of(format('select public.confirm_import(tests.id(''one'')%s)', rest)) $$;

select pg_temp.stage_import();
select tests.access('confirm_import', $$ select public.confirm_import(tests.id('one')) $$,
  '42501: anon service; PT403: sam vic');
select tests.act_as('ana');
select is(tests.confirm(', "limit" => -1'), 'PT400', 'confirm_import rejects a negative limit');
select is(tests.confirm(', true'), 'PT400 INVALID_SELECTION',
  'confirm_import rejects applying numbers when none were detected');
select is(tests.state_of('one') || '; ' || tests.items_of('one'),
  'preview: 0/0/1 of 6; a pending, b pending, c pending, d pending, e pending, dup skipped_duplicate',
  'a rejected confirm_import changes nothing');

select is(tests.confirm(', false, 2')::jsonb,
  '{"status": "running", "selectedCount": 2, "heldCount": 3, "refreshCount": 0}',
  'confirm_import sets the import running and returns the counts');
select tests.act_as('postgres');
select is(tests.items_of('one'), 'a skipped_user_limit, b skipped_user_limit, c pending, d pending, '
  'e skipped_user_limit, dup skipped_duplicate', 'confirm_import selects the newest items, undated ones last');
select is(tests.state_of('one'), 'running: 0/0/4 of 6', 'confirm_import counts items held by the limit as skipped');
select ok((select started_at is not null and finished_at is null and not apply_detected_episode_numbers
  from public.podcast_imports), 'confirm_import sets started_at and keeps the choice of numbers');
select is(array(select * from tests.queued('import_items')), array(
  select jsonb_build_object('type', 'import_item', 'import_id', import_id, 'import_item_id', id,
    'podcast_id', podcast_id)
  from public.podcast_import_items where guid in ('c', 'd') order by guid desc),
  'confirm_import sends one message with the ids of import, item and podcast per pending item, newest first');
select is(tests.confirm(), 'PT400 NOT_IN_PREVIEW', 'confirm_import returns 400 for a confirmed import')
from tests.act_as('ana');
select tests.act_as('postgres');

select pg_temp.stage_import(), tests.act_as('ana');
select is(tests.confirm()::jsonb, '{"status": "running", "selectedCount": 5, "heldCount": 0, "refreshCount": 0}',
  'confirm_import without a limit selects all items');
select tests.act_as('postgres');
select pg_temp.stage_import(), tests.act_as('ana');
select is(tests.confirm(', false, 0')::jsonb,
  '{"status": "completed", "selectedCount": 0, "heldCount": 5, "refreshCount": 0}',
  'confirm_import with limit 0 finishes the import at once');
select tests.act_as('postgres');
select is(tests.state_of('one'), 'completed: 0/0/6 of 6', 'confirm_import with limit 0 completes the import');
select is((select count(*) from tests.queued('import_items')), 0::bigint,
  'confirm_import with limit 0 enqueues nothing');
select is((select array_agg(type || ' ' || (payload ->> 'status')) from private.events where type like 'import.%'),
  '{import.completed completed}', 'confirm_import with limit 0 writes the event import.completed');
select tests.import('dups', 'show'), tests.import_item('g', 'dups', 'skipped_duplicate'),
  tests.import_item('too long', 'dups', 'failed');
select is(tests.outcome_of($$ select public.confirm_import(tests.id('dups')) $$)::jsonb ->> 'status', 'failed',
  'confirm_import fails an import whose only new item has failed') from tests.act_as('ana');
select tests.act_as('postgres');

-- Numbers
select pg_temp.stage_import();
update public.podcast_import_items set parsed_payload = '{"episodeNumber": 90, "seasonNumber": 2, "keep": "me"}'
  where guid in ('c', 'd');
update public.podcast_imports set detection = '{"pattern": "#{n}", "confidence": 1,
  "numbers": {"b": 8, "c": 9, "d": 10, "other": 1}, "seasons": {"b": 1, "c": 1}, "conflicts": []}';
select is(tests.confirm(', false, 3')::jsonb ->> 'selectedCount', '3',
  'confirm_import accepts an import with detected numbers without applying them') from tests.act_as('ana');
select tests.act_as('postgres');
select is((select parsed_payload -> 'episodeNumber' from public.podcast_import_items where guid = 'd'), '90',
  'confirm_import keeps the number of an item when detected numbers are not applied');
update public.podcast_imports set status = 'canceled';
update public.podcast_imports set started_at = null, status = 'preview';
select is(tests.confirm(', true, 3')::jsonb ->> 'selectedCount', '3',
  'confirm_import accepts applying the detected numbers') from tests.act_as('ana');
select tests.act_as('postgres');
select is((select jsonb_object_agg(guid, parsed_payload) from public.podcast_import_items
  where guid in ('a', 'b', 'c', 'd', 'e')), '{"a": {}, "e": {}, "b": {"episodeNumber": 8, "seasonNumber": 1},
    "c": {"episodeNumber": 9, "seasonNumber": 2, "keep": "me"},
    "d": {"episodeNumber": 10, "seasonNumber": 2, "keep": "me"}}',
    'confirm_import writes detected numbers to selected items and keeps the seasons of the feed');
select ok((select apply_detected_episode_numbers from public.podcast_imports),
  'confirm_import stores apply_detected_episode_numbers');

-- Selection
select pg_temp.stage_import(), tests.act_as('ana');
select is(tests.confirm(format(', item_ids => %L', array[tests.id('a'), tests.id('c'), tests.id('e')]))::jsonb,
  '{"status": "running", "selectedCount": 3, "heldCount": 2, "refreshCount": 0}',
  'confirm_import imports exactly the items of item_ids');
select tests.act_as('postgres');
select is(tests.items_of('one'), 'a pending, b skipped_user_limit, c pending, d skipped_user_limit, e pending, '
  'dup skipped_duplicate', 'confirm_import holds the items that item_ids does not name');
select pg_temp.stage_import(), tests.act_as('ana');
select is(tests.confirm(format(', "limit" => 1, item_ids => %L', array[tests.id('a'), tests.id('b')]))::jsonb
  ->> 'selectedCount', '1', 'confirm_import applies the limit to the items of item_ids');
select tests.act_as('postgres');
select is(tests.items_of('one'), 'a skipped_user_limit, b pending, c skipped_user_limit, d skipped_user_limit, '
  'e skipped_user_limit, dup skipped_duplicate', 'confirm_import takes the newest of item_ids up to the limit');
select pg_temp.stage_import(), tests.act_as('ana');
select is(tests.confirm(', item_ids => ''{}''')::jsonb ->> 'status', 'completed',
  'confirm_import with no item in item_ids imports nothing');
select tests.act_as('postgres');
select pg_temp.stage_import(), tests.import('theirs', 'show', 'completed');
select tests.import_item('far', 'theirs', 'failed');
select tests.act_as('ana');
select throws_ok(format('select public.confirm_import(tests.id(''one''), item_ids => %L)', ids), 'PT400', message,
  'confirm_import rejects item_ids: ' || reason)
from (values
  (array[tests.id('a'), tests.id('dup')], 'Not a pending item of this import: ' || tests.id('dup'), 'a duplicate'),
  (array[tests.id('far')], 'Not a pending item of this import: ' || tests.id('far'), 'an item of another import'),
  (array[null::uuid], 'Not a pending item of this import: null', 'null'),
  (array_fill(tests.id('a'), array[25001]), 'At most 25,000 items can be selected', 'too many')
) t (ids, message, reason);
select tests.act_as('postgres');
select is(tests.items_of('one'), 'a pending, b pending, c pending, d pending, e pending, dup skipped_duplicate',
  'confirm_import with rejected item_ids holds no item');

-- Storage
update public.podcast_import_items set parsed_payload = '{"enclosure": {"length": 1000}}' where guid < 'e';
update public.billing_accounts set storage_bytes_used = private.storage_allowance_bytes(user_id) - 2500
  where user_id = tests.id('ola');
select is(tests.confirm(', fits_storage => true')::jsonb ->> 'selectedCount', '2',
  'confirm_import with fits_storage imports as many of the newest items as fit') from tests.act_as('ana');
select tests.act_as('postgres');
select is(tests.items_of('one'), 'a skipped_user_limit, b skipped_user_limit, c pending, d pending, '
  'e skipped_user_limit, dup skipped_duplicate', 'confirm_import with fits_storage holds the older items');

-- A queue that rejects messages
create function tests.closed() returns trigger
  language plpgsql as $$ begin raise sqlstate '53100' using message = 'disk full'; end $$;
select pg_temp.stage_import();
update public.podcast_imports set detection = '{"pattern": "#{n}", "confidence": 1, "numbers": {"d": 10},
  "conflicts": []}', feed_podcast_guid = gen_random_uuid();
create trigger closed before insert on pgmq.q_import_items for each row execute function tests.closed();
select is((tests.confirm(', true, 2')::jsonb) ->> 'hint', 'DISPATCH_FAILED',
  'confirm_import returns DISPATCH_FAILED when the queue rejects the messages') from tests.act_as('ana');
select is(current_setting('response.status'), '500', 'confirm_import returns the status 500 with DISPATCH_FAILED');
select tests.act_as('postgres');
select is(tests.state_of('one'), 'preview: 0/0/4 of 6',
  'confirm_import with DISPATCH_FAILED leaves the import in preview and held items held');
select is((select (started_at, apply_detected_episode_numbers)::text from public.podcast_imports), '(,)',
  'confirm_import with DISPATCH_FAILED leaves started_at and apply_detected_episode_numbers null');
select is((select parsed_payload from public.podcast_import_items where guid = 'd'), '{}',
  'confirm_import with DISPATCH_FAILED writes no episode number');
select isnt((select p.podcast_guid from public.podcasts p where p.id = tests.id('show')),
  (select feed_podcast_guid from public.podcast_imports),
    'confirm_import with DISPATCH_FAILED keeps the GUID of the podcast');
drop trigger closed on pgmq.q_import_items;
select set_config('response.status', '', true);
select is(tests.confirm(', false, 2')::jsonb,
  '{"status": "running", "selectedCount": 2, "heldCount": 3, "refreshCount": 0}',
  'confirm_import after DISPATCH_FAILED runs and counts the held items') from tests.act_as('ana');
select tests.act_as('postgres');

-- No queue
select pg_temp.stage_import();
delete from private.queues where name = 'import_items';
select throws_ok($$ select public.confirm_import(tests.id('one'), false, 2) $$, 'PT500',
  'Import queue is not configured', 'confirm_import returns 500 when a queue is missing') from tests.act_as('ana');
select tests.act_as('postgres');
select is(tests.state_of('one'), 'preview: 0/0/1 of 6', 'confirm_import without a queue holds no item');
select private.install();

-- Pacing
select pg_temp.stage_import();
insert into public.podcast_import_items (import_id, podcast_id, position, guid, parsed_payload, published_at)
select tests.id('one'), tests.id('show'), 10 + n, 'many/' || n, '{}',
'2019-01-01Z'::timestamptz - n * interval '1 hour' from generate_series(1, 3700) n;
select vault.create_secret('s3cret', 'worker_secret');
delete from net.http_request_queue;
select set_config('castbase.worker_woken_import_items', '', true);
create temp table sending as select clock_timestamp() as began;
select is(tests.confirm()::jsonb ->> 'selectedCount', '3705', 'confirm_import sends thousands of items in one call')
from tests.act_as('ana');
select tests.act_as('postgres');
create temp table paced as
  select (message ->> 'import_item_id')::uuid as item, q.vt, row_number() over (order by q.msg_id) - 1 as n
  from pgmq.q_import_items q;
-- each delay counts from a moment of the sending, however long it took
select is_empty($$ select p.* from paced p, sending s
  where p.vt - make_interval(secs => least(p.n / 4.0, 900)) not between s.began and clock_timestamp() $$,
  'confirm_import delays each message by a quarter of a second more, up to 900 s');
select is((select array_agg(i.guid order by p.n) filter (where p.n < 4) from paced p
  join public.podcast_import_items i on i.id = p.item), '{d,c,b,a}', 'confirm_import enqueues the newest items first');
select is_empty($$ select from private.import_item_messages m full join pgmq.q_import_items q on q.msg_id = m.msg_id
  where m.import_item_id is distinct from (q.message ->> 'import_item_id')::uuid $$,
    'confirm_import records the message of every item in import_item_messages');
select is((select count(*) from net.http_request_queue), 1::bigint, 'confirm_import wakes the worker once');

select * from tests.finish();
rollback;
