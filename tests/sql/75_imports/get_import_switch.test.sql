-- get_import_switch: the last check of the old feed's address, and the request of a new one.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('sam'), tests.import('one', 'show', 'completed'),
  tests.import('open', 'show', 'preview');
create function tests.switch() returns jsonb language sql as $$ select public.get_import_switch(tests.id('one')) $$;
create function pg_temp.messages() returns jsonb language sql as $$
  select coalesce(jsonb_agg(q.message), '[]') from pgmq.q_import_feeds q $$;
create function pg_temp.begin_check() returns jsonb language sql as $$
  select private.begin_import_switch_check(tests.id('one')) $$;

select tests.access('get_import_switch', $$ select public.get_import_switch(tests.id('one')) $$,
  '42501: anon service; PT403: sam vic; ok 1: ana ola');
select is(pg_temp.messages(), jsonb_build_array(jsonb_build_object('type', 'check_switch', 'import_id', tests.id('one'),
  'podcast_id', tests.id('show'))), 'get_import_switch enqueues one check a minute') from tests.act_as('postgres');
select tests.act_as('ana');
select is(tests.switch(), jsonb_build_object('importId', tests.id('one'), 'isChecking', true, 'checkedAt', null,
  'result', null), 'get_import_switch has no result before the first check has ended');
select is(tests.outcome_of($$ select public.get_import_switch(gen_random_uuid()) $$), 'PT404',
  'get_import_switch returns 404 for an unknown import');
select is(tests.outcome_of($$ select public.get_import_switch(tests.id('open')) $$), 'PT409 INVALID_IMPORT_STATE',
  'get_import_switch returns 409 before the import has completed');
select tests.act_as('postgres');

select is(pg_temp.begin_check(), jsonb_build_object('oldFeedUrl', 'https://feeds.example/a.xml',
    'newFeedUrl', (select private.feed_url(slug) from public.podcasts where id = tests.id('show'))),
  'begin_import_switch_check returns the addresses to compare');
select is(pg_temp.begin_check(), null, 'begin_import_switch_check returns null while another process checks');
select ok(private.finish_import_switch_check(tests.id('one'), '{"isSwitched": true}'),
  'finish_import_switch_check stores a result');
select ok(not private.finish_import_switch_check(gen_random_uuid(), '{}'),
  'finish_import_switch_check returns false for an unknown import');
select is(tests.switch() - 'checkedAt', jsonb_build_object('importId', tests.id('one'), 'isChecking', false,
  'result', '{"isSwitched": true}'::jsonb), 'get_import_switch returns the stored result for a minute')
from tests.act_as('ana');
select tests.act_as('postgres');
update private.import_switch_checks set requested_at = now() - interval '61 seconds',
  begun_at = now() - interval '61 seconds', checked_at = now() - interval '60 seconds';
select is((tests.switch() -> 'isChecking', tests.switch() -> 'result')::text, '(true,"{""isSwitched"": true}")',
  'get_import_switch returns the last result while a newer check runs') from tests.act_as('ana');
select tests.act_as('postgres');
select is(jsonb_array_length(pg_temp.messages()), 2, 'get_import_switch enqueues the next check after a minute');
select isnt(pg_temp.begin_check(), null, 'begin_import_switch_check begins the check of a new request');

update private.import_switch_checks set requested_at = now() - interval '61 seconds';
select set_config('castbase.called_by_edge_function', 'yes', true);
select is(tests.switch() -> 'isChecking', 'true', 'get_import_switch asks a route to check') from tests.act_as('ana');
select tests.act_as('postgres');
select is(jsonb_array_length(pg_temp.messages()), 2,
  'get_import_switch enqueues nothing for a route, which checks itself');
select set_config('castbase.called_by_edge_function', '', true);

-- A limit per podcast
do $$ begin
  for n in 1..70 loop
    update private.import_switch_checks set requested_at = now() - interval '61 seconds';
    begin
      perform private.consume_rate_limit('import_switch_checks:' || tests.id('show'), 60, interval '1 hour', now());
    exception when sqlstate 'PT429' then exit; end;
  end loop;
end $$;
select matches(tests.outcome_of('select tests.switch()'), '^PT429',
  'get_import_switch returns 429 after 60 checks an hour') from tests.act_as('ana');
select tests.act_as('postgres');

-- What the old feed has
select tests.import_item('here', 'one', 'completed'), tests.import_item('held', 'one', 'skipped_user_limit');
insert into public.episodes (podcast_id, guid, title) values (tests.id('show'), 'here', 'Here');
select is(private.compare_feed_items(tests.id('one'), '[
    {"guid": "here", "title": "Here", "published_at": "2026-01-01"},
    {"guid": "held", "title": "Held", "published_at": "2026-01-02"},
    {"guid": "old", "title": "Old", "published_at": "2026-01-03"},
    {"guid": "new", "title": "New", "published_at": "2026-01-04"},
    {"guid": "undated", "title": "Undated", "published_at": null}]'),
  '{"itemCount": 5, "importedCount": 1, "heldCount": 1, "addedCount": 3,
    "newestAdded": {"title": "New", "publishedAt": "2026-01-04"}}',
  'compare_feed_items counts episodes, held items and those added since the import');
select is(private.compare_feed_items(tests.id('one'), '[{"guid": "here"}]') -> 'newestAdded', 'null',
  'compare_feed_items names no added item when there is none');

select * from tests.finish();
rollback;
