-- presign_audio_upload: the callers, then the checks.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

select tests.access('presign_audio_upload',
  $$ select public.presign_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg', 'a.mp3', 10) $$,
  '42501: anon; PT403: stranger vic; ok 1: ana ola; PT403: otto');
select is(tests.result_of('ana', format('select public.presign_audio_upload(%s)', args)), wanted,
  format('presign_audio_upload(%s) returns %s', args, wanted))
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
  '^https://casts.test/storage/v1/object/public/media/podcasts/[0-9a-f-]{36}/e/[0-9a-f-]{36}/audio/[0-9a-f-]{36}\.m4a$',
  'presign_audio_upload returns an advisory URL of the podcast''s, the episode''s and the object''s ids');

select * from tests.finish();
rollback;
