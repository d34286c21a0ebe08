-- authorize_audio_upload: the callers, the target, and the limit that it returns.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

select tests.access('authorize_audio_upload',
  $$ select public.authorize_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg') $$,
  '42501: anon service; PT403: stranger vic otto; ok 1: ana ola');
select is(tests.result_of(who, format('select public.authorize_audio_upload(%s)', args)), expected,
  format('authorize_audio_upload(%s) as %s returns %s', args, who, expected))
from (values
  ('ana', $$gen_random_uuid(), tests.id('pilot'), 'audio/mpeg'$$, 'PT404'),
  ('ana', $$tests.id('show'), gen_random_uuid(), 'audio/mpeg'$$, 'PT404'),
  ('ana', $$tests.id('show'), tests.id('foreign'), 'audio/mpeg'$$, 'PT404'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'audio/ogg'$$, 'PT400'),
  ('ana', $$tests.id('show'), tests.id('pilot'), 'AUDIO/MPEG'$$, 'PT400'),
  ('ana', $$tests.id('show'), tests.id('pilot'), null$$, 'PT400'),
  ('vic', $$tests.id('show'), tests.id('pilot'), 'audio/ogg'$$, 'PT400'),
  ('vic', $$tests.id('show'), tests.id('foreign'), 'audio/mpeg'$$, 'PT403')) c (who, args, expected);
select is(tests.result_of('ana',
  format('select public.authorize_audio_upload(tests.id(%L), tests.id(%L), %L)', 'show', 'pilot', type)), 'ok 1',
  'authorize_audio_upload accepts ' || type)
from unnest(private.audio_types()) type;

select is(public.authorize_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg'), '{"maxBytes": 5242880}',
  'authorize_audio_upload returns the default limit of 5 MB') from tests.act_as('ana');
select tests.act_as('postgres');
select private.set_setting('max_audio_upload_bytes', '100');
select is(public.authorize_audio_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg'), '{"maxBytes": 100}',
  'authorize_audio_upload returns the limit of max_audio_upload_bytes') from tests.act_as('ana');

select * from tests.finish();
rollback;
