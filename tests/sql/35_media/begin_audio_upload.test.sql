-- begin_audio_upload: the order of the checks, the size limit and the allowance.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

select is(tests.result_of(who, format('select public.begin_audio_upload(%s)', args)), wanted,
  format('begin_audio_upload as %s: (%s) returns %s', who, args, wanted))
from (values
  ('vic', $$tests.id('show'), tests.id('pilot'), 'audio/ogg', 9999999$$, 'PT400'),
  ('vic', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 9999999$$, 'PT403'),
  ('ana', $$tests.id('show'), tests.id('foreign'), 'audio/mpeg', 9999999$$, 'PT404'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 5242881$$, 'PT413'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 0$$, 'PT400'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/mpeg', 5242880$$, 'ok 1')) c (who, args, wanted);
select private.set_setting('max_audio_upload_bytes', '100');
select is(tests.result_of('ana',
  $$ select public.begin_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg', 101) $$), 'PT413',
  'begin_audio_upload reads the setting max_audio_upload_bytes');
select private.set_setting('max_audio_upload_bytes', null);

-- the allowance
select tests.upload_audio('pilot', 3000);
update private.media_objects set bytes = 1073741824 - 500 where released_at is null;
select is(tests.result_of('ana',
  $$ select public.begin_audio_upload(tests.id('show'), tests.id('second'), 'audio/mpeg', 501) $$), 'PT409',
  'begin_audio_upload returns 409 over the allowance')
from tests.episode('second', 'show');
select is(tests.result_of('ana',
  $$ select public.begin_audio_upload(tests.id('show'), tests.id('second'), 'audio/mpeg', 500) $$), 'ok 1',
  'begin_audio_upload succeeds up to the allowance');

select * from tests.finish();
rollback;
