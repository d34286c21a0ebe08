-- start_import takes the podcast's one import slot before the feed is read; delete_stale_imports frees it.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.podcast('other', 'ola');

select tests.act_as('ana');
select tests.remember('one',
  (public.start_import(tests.id('show'), 'https://feeds.example/a.xml') ->> 'importId')::uuid);
select is(tests.outcome_of($$ select public.start_import(tests.id('show'), 'https://feeds.example/b.xml') $$),
  format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('one')),
  'start_import returns 409 with importId while an import is in flight');
select lives_ok($$ select public.start_import(tests.id('other'), 'https://feeds.example/a.xml') $$,
  'start_import accepts an import for another podcast') from tests.act_as('ola');
select is(tests.outcome_of(format('select public.start_import(tests.id(''show''), %L)', url)), 'PT400 INVALID_URL',
  format('start_import rejects the URL %L', left(url, 40)))
from unnest(array['', 'not a url', 'feeds', 'mailto:ana@feeds.example', 'feed:', 'pcast://',
  'ftp://feeds.example/a', 'file:///etc/passwd',
  'http://u:p@feeds.example/a', 'https://feeds.example/a b', 'https://' || repeat('x', 2050), null]) url;
select is(tests.error_of(format('select public.start_import(tests.id(''show''), %L)', url)), 'PT400 BLOCKED_URL',
  format('start_import rejects the URL %L, which the worker would not fetch', url))
from unnest(array['http://127.0.0.1/feed', 'http://0x7f.1/feed', 'https://localhost/', 'https://nas.local/feed.xml',
  'http://169.254.169.254/', 'https://feeds.example:25/']) url;
select tests.act_as('ola');
select is(tests.outcome_of(format('select public.start_import(%L, ''https://feeds.example/a.xml'')', id)),
  'PT409 PODCAST_HOSTED_EXTERNALLY', 'start_import returns 409 for a podcast that is hosted externally')
from public.create_podcast('Elsewhere', hosting_type => 'external');
select tests.act_as('postgres');
select is((select (status, created_by, feed_url, is_locked_source, total_items)::text from public.podcast_imports
  where id = tests.id('one')), format('(pending,%s,https://feeds.example/a.xml,f,0)', tests.id('ana')),
  'start_import creates a pending import of the caller');
select tests.podcast('pasted', 'ola');
select tests.act_as('ola');
select public.start_import(tests.id('pasted'), E' feed://feeds.example/a.xml\n');
select tests.act_as('postgres');
select is((select feed_url from public.podcast_imports where podcast_id = tests.id('pasted')),
  'https://feeds.example/a.xml', 'start_import stores the http or https URL of a pasted address');
delete from public.podcast_imports where podcast_id = tests.id('pasted');

-- Stale imports
select is(private.delete_stale_imports(), 0, 'delete_stale_imports keeps a new import');
select private.stage_import_items(tests.id('one'), '[{"position": 0, "guid": "a"}]');
select is(private.delete_stale_imports(clock_timestamp() + interval '9 minutes 50 seconds'), 0,
  'delete_stale_imports keeps an import with progress in the last ten minutes');
select is(private.delete_stale_imports(clock_timestamp() + interval '10 minutes'), 2,
  'delete_stale_imports deletes imports without progress for ten minutes');
select is((select count(*) from public.podcast_imports) + (select count(*) from public.podcast_import_items),
  0::bigint, 'delete_stale_imports deletes the staged items of the imports');
select tests.import('left', 'show', 'pending');
select tests.act_as('ana');
select is(tests.error_of($$ select private.start_import(tests.id('show'), 'https://feeds.example/b.xml',
  at => clock_timestamp() + interval '10 minutes') $$), 'none', 'start_import accepts an import beside a stale one');
select tests.act_as('postgres');
select isnt((select id from public.podcast_imports where podcast_id = tests.id('show')), tests.id('left'),
  'start_import replaces a stale import');
select tests.podcast(s, 'ola'), tests.import('import/' || s, s, s::public.import_status)
from unnest(enum_range(null::public.import_status)::text[]) s where s <> 'pending';
select private.delete_stale_imports(clock_timestamp() + interval '1 year');
select set_eq('select status::text from public.podcast_imports',
  $$ select s::text from unnest(enum_range(null::public.import_status)) s where s <> 'pending' $$,
  'delete_stale_imports keeps imports that are not pending');

select tests.act_as('ola');
select is(tests.error_of(format($$ select public.start_import(tests.id(%L), 'https://feeds.example/a.xml') $$, status)),
  expected, format('start_import beside an import that is %s returns %s', status, expected))
from unnest(enum_range(null::public.import_status)) status,
  lateral (select case when status in ('verification_required',
  'preview', 'running') then 'PT409 IMPORT_IN_FLIGHT' else 'none' end as expected) e
where status <> 'pending';
select tests.act_as('postgres');
select pgmq.drop_queue('import_items');
select tests.podcast('fresh', 'ola'), tests.act_as('ola');
select throws_ok($$ select public.start_import(tests.id('fresh'), 'https://feeds.example/a.xml') $$, 'PT500',
  'Import queue is not configured', 'start_import returns 500 when a queue is missing');

select * from tests.finish();
rollback;
