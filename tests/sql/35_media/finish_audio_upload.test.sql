-- finish_audio_upload: what it checks, records, charges and enqueues.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.episode('pilot', 'show');

create function pg_temp.finish(actor text, path text, bytes bigint, expected text default null,
  episode text default 'pilot') returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_audio_upload(%L, %L, %L, %L, %s, %L, 61, %L)',
    tests.id(actor), tests.id('show'), tests.id(episode), path, bytes, 'audio/mpeg', expected)) $$;
create temp table objects as select tests.store_audio_object('pilot', 1000) as a,
  tests.store_audio_object('pilot', 2000) as b;
select is(pg_temp.finish('ana', a, 999), 'PT500',
  'finish_audio_upload returns 500 for a size that differs from the stored object''s') from objects;
select is(pg_temp.finish('ana', 'podcasts/x/e/y/audio/z.mp3', 1), 'PT500',
  'finish_audio_upload returns 500 for a path outside the episode');
select is(pg_temp.finish('ana', replace(a, '.mp3', 'x.mp3'), 1000), 'PT500',
  'finish_audio_upload returns 500 for an object that does not exist') from objects;
select is(pg_temp.finish('vic', a, 1000), 'PT403',
  'finish_audio_upload returns 403 for a caller who lost the role meanwhile') from objects;
select is(pg_temp.finish('ana', a, 1000, 'https://other'), 'PT409',
  'finish_audio_upload returns 409 when the audio changed meanwhile') from objects;
select is((select audio_url from public.episodes where id = tests.id('pilot')), null,
  'finish_audio_upload does not change the episode when it rejects');
select is((select count(*) from private.media_objects), 0::bigint,
  'finish_audio_upload records no object when it rejects');
select is(pg_temp.finish('ana', a, 1000), 'ok 1', 'finish_audio_upload finishes the first upload') from objects;
select is((select (audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds)::text
  from public.episodes where id = tests.id('pilot')),
  format('(https://casts.test/storage/v1/object/public/media/%s,1000,audio/mpeg,61)', a),
    'finish_audio_upload writes the measured values to the episode') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 1000::bigint,
  'finish_audio_upload charges the owner''s account');
select is(pg_temp.finish('ana', a, 1000), 'ok 1', 'finish_audio_upload succeeds when it is repeated') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 1000::bigint,
  'finish_audio_upload charges once when it is repeated');
select is((select count(*) from tests.queued('storage_gc')), 0::bigint,
  'finish_audio_upload enqueues no removal when it is repeated');
select is(pg_temp.finish('ola', b, 2000), 'PT409',
  'finish_audio_upload returns 409 for an upload that began before another finished') from objects;
select is(pg_temp.finish('ola', b, 2000, (select audio_url from public.episodes where id = tests.id('pilot'))), 'ok 1',
  'finish_audio_upload replaces the audio that the upload expected') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 2000::bigint,
  'finish_audio_upload charges the replacement instead of the previous object');
select results_eq($$ select message from tests.queued('storage_gc') message $$,
  $$ select jsonb_build_object('bucket', 'media', 'paths', jsonb_build_array(a)) from objects $$,
  'finish_audio_upload enqueues the previous object of an unpublished episode at once');

select is(tests.result_of('postgres',
  format('select private.finish_audio_upload(%L, %L, gen_random_uuid(), %L, 1000, %L, 1, null)', tests.id('ana'),
  tests.id('show'), a, 'audio/mpeg')), 'PT404', 'finish_audio_upload returns 404 for a deleted episode') from objects;
select is(tests.result_of('postgres',
  format('select private.finish_audio_upload(%L, gen_random_uuid(), %L, %L, 1000, %L, 1, null)', tests.id('ana'),
  tests.id('pilot'), a, 'audio/mpeg')), 'PT404', 'finish_audio_upload returns 404 for a deleted podcast') from objects;

-- a published episode's previous object waits for the sweep
update public.episodes set status = 'published' where id = tests.id('pilot');
select tests.empty_queue('storage_gc'), tests.empty_queue('feed_invalidation'), tests.upload_audio('pilot', 3000);
select is((select count(*) from tests.queued('storage_gc')), 0::bigint,
  'finish_audio_upload does not enqueue the previous object of a published episode');
select is((select (released_at = now())::text from private.media_objects m, objects where m.path = b), 'true',
  'finish_audio_upload releases the previous object of a published episode for the sweep');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 3000::bigint,
  'finish_audio_upload does not charge the released object');
select results_eq($$ select message ->> 'type' from tests.queued('feed_invalidation') message $$,
  array['episode.updated'], 'finish_audio_upload enqueues a feed invalidation for a published episode');

-- the allowance
select tests.episode('second', 'show');
update private.media_objects set bytes = 1073741824 - 500 where released_at is null;
select throws_ok($$ select tests.upload_audio('second', 501) $$, 'PT409', null,
  'finish_audio_upload returns 409 over the allowance');
select lives_ok($$ select tests.upload_audio('second', 500) $$,
  'finish_audio_upload succeeds up to the allowance to the byte');
select throws_ok($$ select tests.upload_audio('second', 501) $$, 'PT409', null,
  'finish_audio_upload returns 409 for a replacement that exceeds the allowance');
select lives_ok($$ select tests.upload_audio('second', 400) $$, 'finish_audio_upload counts what a replacement frees');

select * from tests.finish();
rollback;
