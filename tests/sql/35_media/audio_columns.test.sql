-- The audio columns are measured, never claimed: 42501 for any browser token, on insert and update.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show');
select is(tests.result_of(who, format('update public.episodes set %s', change)), '42501', format('%s cannot write %s', who, change))
from unnest(array['ola', 'ana', 'vic', 'stranger', 'anon']) who,
  unnest(array[$$audio_url = 'https://x.test/a.mp3'$$, 'audio_file_size_bytes = 1', $$audio_content_type = 'audio/mpeg'$$, 'audio_duration_seconds = 1', 'audio_url = null']) change;
select is(tests.result_of(who, $$ insert into public.episodes (podcast_id, title, audio_url, audio_file_size_bytes, audio_content_type) values (tests.id('show'), 'X', 'https://x.test/a.mp3', 1, 'audio/mpeg') $$),
  '42501', who || ' cannot insert them') from unnest(array['ola', 'ana', 'vic', 'stranger', 'anon']) who;

-- Were a grant ever too wide, the guard would still say no
grant update on public.episodes to authenticated;
select is(tests.result_of('ola', 'update public.episodes set audio_duration_seconds = 1'), '42501', 'the guard stands behind the grants');
select is(tests.result_of('ola', $$ update public.episodes set title = 'Y' $$), 'ok 1', 'and lets the rest through');

select throws_ok($$ update public.episodes set audio_url = 'https://x.test/a.mp3' $$, '23514', null, 'a URL without size and type is no audio');
select throws_ok($$ update public.episodes set audio_url = 'https://x.test/a', audio_file_size_bytes = 1, audio_content_type = 'audio/ogg' $$, '23514', null, 'the type is one of five');

select * from tests.finish();
rollback;
