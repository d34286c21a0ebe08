-- Only the service writes the audio columns, as it measured them: 42501 for any browser token, on insert and update.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.episode('pilot', 'show');
select is(tests.result_of(who, format('update public.episodes set %s', change)), '42501',
  format('the audio columns are not writable by %s: %s', who, change))
from unnest(array['ola', 'ana', 'vic', 'stranger', 'anon']) who,
  unnest(array[$$audio_url = 'https://x.test/a.mp3'$$, 'audio_file_size_bytes = 1',
    $$audio_content_type = 'audio/mpeg'$$, 'audio_duration_seconds = 1', 'audio_url = null']) change;
select is(tests.result_of(who,
  $$ insert into public.episodes (podcast_id, title, audio_url, audio_file_size_bytes, audio_content_type)
  values (tests.id('show'), 'X', 'https://x.test/a.mp3', 1, 'audio/mpeg') $$),
  '42501', 'the audio columns are not insertable by ' || who)
  from unnest(array['ola', 'ana', 'vic', 'stranger', 'anon']) who;

-- The guard rejects the write even if a grant is too wide
grant update on public.episodes to authenticated;
select is(tests.result_of('ola', 'update public.episodes set audio_duration_seconds = 1'), '42501',
  'the guard of episodes rejects a write of the audio columns even with a grant');
select is(tests.result_of('ola', $$ update public.episodes set title = 'Y' $$), 'ok 1',
  'the guard of episodes accepts a write of another column');

select throws_ok($$ update public.episodes set audio_url = 'https://x.test/a.mp3' $$, '23514', null,
  'episodes rejects an audio_url without size and type');
select throws_ok($$ update public.episodes set audio_url = 'https://x.test/a', audio_file_size_bytes = 1,
  audio_content_type = 'audio/ogg' $$, '23514', null,
  'episodes rejects an audio_content_type other than the five accepted types');

select * from tests.finish();
rollback;
