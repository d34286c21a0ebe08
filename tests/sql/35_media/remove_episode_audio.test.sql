-- remove_episode_audio: the callers, the episode's status, and what becomes of the object.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.published_episode('pilot', 'show'), tests.episode('second', 'show'), tests.upload_audio('second', 400);

select tests.access('remove_episode_audio', $$ select public.remove_episode_audio(tests.id('second')) $$,
  '42501: anon; PT403: stranger vic');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('pilot')) $$), 'PT409',
  'remove_episode_audio returns 409 for a published episode');
update public.episodes set status = 'scheduled', scheduled_at = now() + interval '1 day' where id = tests.id('second');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'PT409',
  'remove_episode_audio returns 409 for a scheduled episode');
update public.episodes set status = 'draft' where id = tests.id('second');
select tests.empty_queue('storage_gc');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'ok 1',
  'remove_episode_audio succeeds for a draft');
select is((select num_nulls(audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds)
  from public.episodes where id = tests.id('second')), 4, 'remove_episode_audio clears all audio columns');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint,
  'remove_episode_audio enqueues the object of a draft at once');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('second')) $$), 'ok 1',
  'remove_episode_audio succeeds when it is repeated');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint,
  'remove_episode_audio enqueues nothing when it is repeated');
update public.episodes set status = 'archived' where id = tests.id('pilot');
select is(tests.result_of('ana', $$ select public.remove_episode_audio(tests.id('pilot')) $$), 'ok 1',
  'remove_episode_audio succeeds for an archived episode');
select is((select count(*) from tests.queued('storage_gc')), 1::bigint,
  'remove_episode_audio leaves the object of an archived episode to the sweep');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 0::bigint,
  'remove_episode_audio returns the bytes to the owner''s account');

select * from tests.finish();
rollback;
