-- begin, finish, remove: the contract's rules for audio.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

-- presign
select is(tests.result_of(who, $$ select public.presign_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg', 'a.mp3', 10) $$), wanted, format('presign_audio_upload as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1'), ('otto', 'PT403')) w (who, wanted);
select is(tests.result_of('ana', format('select public.presign_audio_upload(%s)', args)), wanted, format('presign_audio_upload(%s) returns %s', args, wanted))
from (values
  ($$gen_random_uuid(), tests.id('pilot'), 'audio/mpeg', 'a', 1$$, 'PT404'),
  ($$tests.id('show'), tests.id('foreign'), 'audio/mpeg', 'a', 1$$, 'PT404'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/ogg', 'a', 1$$, 'PT400'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', '', 1$$, 'PT400'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 0$$, 'PT400'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', null$$, 'PT400'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 5242880$$, 'ok 1'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 5242881$$, 'PT413'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 524288000$$, 'PT413'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 524288001$$, 'PT400')) c (args, wanted);
select tests.act_as('ana');
select matches(public.presign_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/x-m4a', 'a', 1) ->> 'publicUrl',
  '^https://casts.test/storage/v1/object/public/media/podcasts/[0-9a-f-]{36}/e/[0-9a-f-]{36}/audio/[0-9a-f-]{36}\.m4a$', 'presign_audio_upload returns an advisory URL in the contract''s form');

-- begin: the order of the checks
select is(tests.result_of(who, format('select public.begin_audio_upload(%s)', args)), wanted, format('begin_audio_upload as %s: (%s) returns %s', who, args, wanted))
from (values
  ('vic', $$tests.id('show'), tests.id('pilot'), 'audio/ogg', 9999999$$, 'PT400'),
  ('vic', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 9999999$$, 'PT403'),
  ('ana', $$tests.id('show'), tests.id('foreign'), 'audio/mpeg', 9999999$$, 'PT404'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 5242881$$, 'PT413'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 0$$, 'PT400'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 5242880$$, 'ok 1')) c (who, args, wanted);
select tests.act_as('postgres');
select private.set_setting('max_audio_upload_bytes', '100');
select is(tests.result_of('ana', $$ select public.begin_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg', 101) $$), 'PT413', 'begin_audio_upload reads the setting max_audio_upload_bytes');
select private.set_setting('max_audio_upload_bytes', null);

-- finish
create function pg_temp.finish(actor text, path text, bytes bigint, expected text default null, episode text default 'pilot') returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_audio_upload(%L, %L, %L, %L, %s, %L, 61, %L)',
    tests.id(actor), tests.id('show'), tests.id(episode), path, bytes, 'audio/mpeg', expected)) $$;
create temp table objects as select tests.store_audio_object('pilot', 1000) as a, tests.store_audio_object('pilot', 2000) as b;
grant select on objects to public;
select is(tests.result_of(who, format('select private.finish_audio_upload(%L, %L, %L, %L, 1000, %L, 1, null)', tests.id('ola'), tests.id('show'), tests.id('pilot'), a, 'audio/mpeg')), '42501', 'finish_audio_upload is not executable by ' || who)
from objects, unnest(array['anon', 'ola', 'vic']) who;
select is(pg_temp.finish('ana', a, 999), 'PT500', 'finish_audio_upload returns 500 for a size that differs from the stored object''s') from objects;
select is(pg_temp.finish('ana', 'podcasts/x/e/y/audio/z.mp3', 1), 'PT500', 'finish_audio_upload returns 500 for a path outside the episode');
select is(pg_temp.finish('ana', replace(a, '.mp3', 'x.mp3'), 1000), 'PT500', 'finish_audio_upload returns 500 for an object that does not exist') from objects;
select is(pg_temp.finish('vic', a, 1000), 'PT403', 'finish_audio_upload returns 403 for a caller who lost the role meanwhile') from objects;
select is(pg_temp.finish('ana', a, 1000, 'https://other'), 'PT409', 'finish_audio_upload returns 409 when the audio changed meanwhile') from objects;
select is((select audio_url from public.episodes where id = tests.id('pilot')), null, 'finish_audio_upload does not change the episode when it rejects');
select is((select count(*) from private.media_objects), 0::bigint, 'finish_audio_upload records no object when it rejects');
select is(pg_temp.finish('ana', a, 1000), 'ok 1', 'finish_audio_upload finishes the first upload') from objects;
select is((select (audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds)::text from public.episodes where id = tests.id('pilot')),
  format('(https://casts.test/storage/v1/object/public/media/%s,1000,audio/mpeg,61)', a), 'finish_audio_upload writes the measured values to the episode') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 1000::bigint, 'finish_audio_upload charges the owner''s account');
select is(pg_temp.finish('ana', a, 1000), 'ok 1', 'finish_audio_upload succeeds when it is repeated') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 1000::bigint, 'finish_audio_upload charges once when it is repeated');
select is((select count(*) from tests.queued('storage_gc')), 0::bigint, 'finish_audio_upload queues no removal when it is repeated');
select is(pg_temp.finish('ola', b, 2000), 'PT409', 'finish_audio_upload returns 409 for an upload that began before another finished') from objects;
select is(pg_temp.finish('ola', b, 2000, (select audio_url from public.episodes where id = tests.id('pilot'))), 'ok 1', 'finish_audio_upload replaces the audio that the upload expected') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 2000::bigint, 'finish_audio_upload charges the replacement instead of the previous object');
select results_eq($$ select message from tests.queued('storage_gc') message $$, $$ select jsonb_build_object('bucket', 'media', 'paths', jsonb_build_array(a)) from objects $$, 'finish_audio_upload queues the previous object of an unpublished episode at once');

select is(tests.result_of('postgres', format('select private.finish_audio_upload(%L, %L, gen_random_uuid(), %L, 1000, %L, 1, null)', tests.id('ana'), tests.id('show'), a, 'audio/mpeg')), 'PT404', 'finish_audio_upload returns 404 for a deleted episode') from objects;
select is(tests.result_of('postgres', format('select private.finish_audio_upload(%L, gen_random_uuid(), %L, %L, 1000, %L, 1, null)', tests.id('ana'), tests.id('pilot'), a, 'audio/mpeg')), 'PT404', 'finish_audio_upload returns 404 for a deleted podcast') from objects;

-- a published episode's previous object waits for the sweep
update public.episodes set status = 'published' where id = tests.id('pilot');
select tests.empty_queue('storage_gc'), tests.empty_queue('feed_invalidation');
select tests.upload_audio('pilot', 3000);
select is((select count(*) from tests.queued('storage_gc')), 0::bigint, 'finish_audio_upload does not queue the previous object of a published episode');
select is((select (released_at = now())::text from private.media_objects m, objects where m.path = b), 'true', 'finish_audio_upload releases the previous object of a published episode for the sweep');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 3000::bigint, 'finish_audio_upload does not charge the released object');
select results_eq($$ select message ->> 'type' from tests.queued('feed_invalidation') message $$, array['episode.updated'], 'finish_audio_upload queues a feed invalidation for a published episode');

-- the allowance
update private.media_objects set bytes = 1073741824 - 500 where released_at is null;
select is(tests.result_of('ana', $$ select public.begin_audio_upload(tests.id('show'), tests.id('second'), 'audio/mpeg', 501) $$), 'PT409', 'begin_audio_upload returns 409 over the allowance')
from tests.episode('second', 'show');
select is(tests.result_of('ana', $$ select public.begin_audio_upload(tests.id('show'), tests.id('second'), 'audio/mpeg', 500) $$), 'ok 1', 'begin_audio_upload succeeds up to the allowance');
select throws_ok($$ select tests.upload_audio('second', 501) $$, 'PT409', null, 'finish_audio_upload returns 409 over the allowance');
select lives_ok($$ select tests.upload_audio('second', 500) $$, 'finish_audio_upload succeeds up to the allowance to the byte');
select throws_ok($$ select tests.upload_audio('second', 501) $$, 'PT409', null, 'finish_audio_upload returns 409 for a replacement that exceeds the allowance');
select lives_ok($$ select tests.upload_audio('second', 400) $$, 'finish_audio_upload counts what a replacement frees');

-- remove
select is(tests.result_of(who, $$ select public.remove_episode_audio(tests.id('second')) $$), wanted, format('remove_episode_audio as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, wanted);
select is(tests.result_of('ana', $$ select public.remove_episode_audio(gen_random_uuid()) $$), 'PT404', 'remove_episode_audio returns 404 for an unknown episode');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('pilot')) $$), 'PT409', 'remove_episode_audio returns 409 for a published episode');
update public.episodes set status = 'scheduled', scheduled_at = now() + interval '1 day' where id = tests.id('second');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'PT409', 'remove_episode_audio returns 409 for a scheduled episode');
update public.episodes set status = 'draft' where id = tests.id('second');
select tests.empty_queue('storage_gc');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'ok 1', 'remove_episode_audio succeeds for a draft');
select is((select num_nulls(audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds) from public.episodes where id = tests.id('second')), 4, 'remove_episode_audio clears all audio columns');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint, 'remove_episode_audio queues the object of a draft at once');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'ok 1', 'remove_episode_audio succeeds when it is repeated');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint, 'remove_episode_audio queues nothing when it is repeated');
update public.episodes set status = 'archived' where id = tests.id('pilot');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('pilot')) $$), 'ok 1', 'remove_episode_audio succeeds for an archived episode');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint, 'remove_episode_audio leaves the object of an archived episode to the sweep');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 0::bigint, 'remove_episode_audio returns the bytes to the owner''s account');

select * from tests.finish();
rollback;
