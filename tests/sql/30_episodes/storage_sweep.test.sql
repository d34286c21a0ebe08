-- The sweep and the collector: what nothing refers to goes after the guard age; nothing referred to ever does.
select tests.published_episode('pilot', 'show');
create temp table t as select (select path from private.media_objects) as live, tests.stored_audio('pilot') as stray, tests.stored_audio('pilot') as young;
update storage.objects set created_at = now() - interval '30 days' where name <> (select young from t);
select is(private.sweep_storage(), 1, 'one orphan is old enough');
select results_eq($$ select message from tests.queued('storage_gc') message $$, $$ select jsonb_build_object('bucket', 'media', 'paths', jsonb_build_array(stray)) from t $$, 'the stray one');
select tests.empty_queue('storage_gc');
select tests.audio('pilot', 2000);
select is(private.sweep_storage(), 1, 'an object just replaced is kept, however old it is');
select is((select count(*) from tests.queued('storage_gc') m, t where m -> 'paths' ? live), 0::bigint, 'it is not among them');
select tests.empty_queue('storage_gc');
select is(private.sweep_storage(now() + interval '8 days'), 3, 'a week later it goes, with the strays');
select set_eq($$ select unnest(private.take_collectable(array[(select live from t), (select path from private.media_objects where released_at is null), 'unknown'])) $$,
  $$ select unnest(array[(select live from t), 'unknown']) $$, 'the collector takes those of its paths that nothing names');
select is((select count(*) from private.media_objects), 1::bigint, 'and the ledger has forgotten those');
select is(private.take_collectable(array[(select live from t), 'unknown']), array[(select live from t), 'unknown'], 'who comes again for the same paths gets them again');
select isnt_empty($$ select from cron.job where jobname = 'sweep_storage' and schedule = '17 3 * * *' and active $$, 'the sweep is a daily job');

select tests.empty_queue('storage_gc');
delete from public.episodes where id = tests.id('pilot');
select is((select count(*) from tests.queued('storage_gc')), 0::bigint, 'a deleted episode that was public leaves its object to the sweep');
select tests.episode('draft', 'show'), tests.audio('draft');
delete from public.episodes where id = tests.id('draft');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint, 'one that never was gives it up at once');
select is((select sum(storage_bytes_used) from public.billing_accounts), 0::numeric, 'deleted episodes are charged no more');
