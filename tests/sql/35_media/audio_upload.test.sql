-- begin, finish, remove: the contract's rules for audio.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

-- presign
select is(tests.result_of(who, $$ select public.presign_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg', 'a.mp3', 10) $$), wanted, format('presign as %s is %s', who, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1'), ('otto', 'PT403')) w (who, wanted);
select is(tests.result_of('ana', format('select public.presign_audio_upload(%s)', args)), wanted, format('presign %s is %s', args, wanted))
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
  '^https://casts.test/storage/v1/object/public/media/podcasts/[0-9a-f-]{36}/e/[0-9a-f-]{36}/audio/[0-9a-f-]{36}\.m4a$', 'the advisory URL has the contract''s shape');

-- begin: the order of the refusals
select is(tests.result_of(who, format('select public.begin_audio_upload(%s)', args)), wanted, format('begin as %s: %s is %s', who, args, wanted))
from (values
  ('vic', $$tests.id('show'), tests.id('pilot'), 'audio/ogg', 9999999$$, 'PT400'),
  ('vic', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 9999999$$, 'PT403'),
  ('ana', $$tests.id('show'), tests.id('foreign'), 'audio/mpeg', 9999999$$, 'PT404'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 5242881$$, 'PT413'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 0$$, 'PT400'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 5242880$$, 'ok 1')) c (who, args, wanted);
select tests.act_as('postgres');
select private.set_setting('max_audio_upload_bytes', '100');
select is(tests.result_of('ana', $$ select public.begin_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg', 101) $$), 'PT413', 'the cap is a setting');
select private.set_setting('max_audio_upload_bytes', null);

-- finish
create function pg_temp.finish(actor text, path text, bytes bigint, expected text default null, episode text default 'pilot') returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_audio_upload(%L, %L, %L, %L, %s, %L, 61, %L)',
    tests.id(actor), tests.id('show'), tests.id(episode), path, bytes, 'audio/mpeg', expected)) $$;
create temp table objects as select tests.store_audio_object('pilot', 1000) as a, tests.store_audio_object('pilot', 2000) as b;
grant select on objects to public;
select is(tests.result_of(who, format('select private.finish_audio_upload(%L, %L, %L, %L, 1000, %L, 1, null)', tests.id('ola'), tests.id('show'), tests.id('pilot'), a, 'audio/mpeg')), '42501', who || ' cannot finish')
from objects, unnest(array['anon', 'ola', 'vic']) who;
select is(pg_temp.finish('ana', a, 999), 'PT500', 'a size that differs from the stored object''s is 500') from objects;
select is(pg_temp.finish('ana', 'podcasts/x/e/y/audio/z.mp3', 1), 'PT500', 'a path outside the episode is 500');
select is(pg_temp.finish('ana', replace(a, '.mp3', 'x.mp3'), 1000), 'PT500', 'an object that is not there is 500') from objects;
select is(pg_temp.finish('vic', a, 1000), 'PT403', 'who lost the role meanwhile is 403') from objects;
select is(pg_temp.finish('ana', a, 1000, 'https://other'), 'PT409', 'audio that changed meanwhile is 409') from objects;
select is((select audio_url from public.episodes where id = tests.id('pilot')), null, 'refusals leave the episode as it was');
select is((select count(*) from private.media_objects), 0::bigint, 'and the ledger');
select is(pg_temp.finish('ana', a, 1000), 'ok 1', 'the first upload finishes') from objects;
select is((select (audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds)::text from public.episodes where id = tests.id('pilot')),
  format('(https://casts.test/storage/v1/object/public/media/%s,1000,audio/mpeg,61)', a), 'with what was measured') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 1000::bigint, 'the owner''s account is charged');
select is(pg_temp.finish('ana', a, 1000), 'ok 1', 'finishing again changes nothing') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 1000::bigint, 'nor charges twice');
select is((select count(*) from tests.queued('storage_gc')), 0::bigint, 'nor disposes of anything');
select is(pg_temp.finish('ola', b, 2000), 'PT409', 'a second upload that began before the first finished is 409') from objects;
select is(pg_temp.finish('ola', b, 2000, (select audio_url from public.episodes where id = tests.id('pilot'))), 'ok 1', 'one that began after replaces it') from objects;
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 2000::bigint, 'the account follows');
select results_eq($$ select message from tests.queued('storage_gc') message $$, $$ select jsonb_build_object('bucket', 'media', 'paths', jsonb_build_array(a)) from objects $$, 'never publicly served: the previous object goes at once');

select is(tests.result_of('postgres', format('select private.finish_audio_upload(%L, %L, gen_random_uuid(), %L, 1000, %L, 1, null)', tests.id('ana'), tests.id('show'), a, 'audio/mpeg')), 'PT404', 'an episode that is gone is 404') from objects;
select is(tests.result_of('postgres', format('select private.finish_audio_upload(%L, gen_random_uuid(), %L, %L, 1000, %L, 1, null)', tests.id('ana'), tests.id('pilot'), a, 'audio/mpeg')), 'PT404', 'so is a podcast') from objects;

-- a published episode's previous object waits for the sweep
update public.episodes set status = 'published' where id = tests.id('pilot');
select tests.empty_queue('storage_gc'), tests.empty_queue('feed_invalidation');
select tests.upload_audio('pilot', 3000);
select is((select count(*) from tests.queued('storage_gc')), 0::bigint, 'the previous object of a published episode is kept');
select is((select (released_at = now())::text from private.media_objects m, objects where m.path = b), 'true', 'released, for the sweep');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 3000::bigint, 'and charged no more');
select results_eq($$ select message ->> 'type' from tests.queued('feed_invalidation') message $$, array['episode.updated'], 'the feed hears of it');

-- the allowance
update private.media_objects set bytes = 1073741824 - 500 where released_at is null;
select is(tests.result_of('ana', $$ select public.begin_audio_upload(tests.id('show'), tests.id('second'), 'audio/mpeg', 501) $$), 'PT409', 'over the allowance is 409 early')
from tests.episode('second', 'show');
select is(tests.result_of('ana', $$ select public.begin_audio_upload(tests.id('show'), tests.id('second'), 'audio/mpeg', 500) $$), 'ok 1', 'up to it is not');
select throws_ok($$ select tests.upload_audio('second', 501) $$, 'PT409', null, 'and it is enforced again on the write');
select lives_ok($$ select tests.upload_audio('second', 500) $$, 'to the byte');
select throws_ok($$ select tests.upload_audio('second', 501) $$, 'PT409', null, 'a replacement counts what it frees');
select lives_ok($$ select tests.upload_audio('second', 400) $$, 'a smaller one fits');

-- remove
select is(tests.result_of(who, $$ select public.remove_episode_audio(tests.id('second')) $$), wanted, format('remove as %s is %s', who, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, wanted);
select is(tests.result_of('ana', $$ select public.remove_episode_audio(gen_random_uuid()) $$), 'PT404', 'an episode that is not there is 404');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('pilot')) $$), 'PT409', 'a published episode keeps its audio');
update public.episodes set status = 'scheduled', scheduled_at = now() + interval '1 day' where id = tests.id('second');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'PT409', 'a scheduled one too');
update public.episodes set status = 'draft' where id = tests.id('second');
select tests.empty_queue('storage_gc');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'ok 1', 'a draft gives it up');
select is((select num_nulls(audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds) from public.episodes where id = tests.id('second')), 4, 'all its columns');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint, 'its object goes at once');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'ok 1', 'again changes nothing');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint, 'nothing');
update public.episodes set status = 'archived' where id = tests.id('pilot');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('pilot')) $$), 'ok 1', 'an archived one gives it up');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint, 'but its object is kept for the sweep');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 0::bigint, 'nothing is charged in the end');

select * from tests.finish();
rollback;
