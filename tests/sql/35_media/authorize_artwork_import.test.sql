-- authorize_artwork_import: the callers, then the hourly limit.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.podcast('other', 'otto'), tests.podcast('leaving', 'ola'), tests.set_status('leaving', 'pending_deletion');

select tests.access('authorize_artwork_import for a podcast',
  $$ select public.authorize_artwork_import('cover', tests.id('show')) $$,
  '42501: anon service; PT403: stranger vic otto; ok 1: ana ola');
select tests.access('authorize_artwork_import without a podcast', $$ select public.authorize_artwork_import() $$,
  '42501: anon service; ok 1: stranger vic ana ola');
select is(tests.result_of('ola', format('select public.authorize_artwork_import(%s)', args)), wanted,
  format('authorize_artwork_import(%s) returns %s', args, wanted))
from (values
  ($$'cover', gen_random_uuid()$$, 'PT404'), ($$'cover', tests.id('other')$$, 'PT403'),
  ($$'cover', tests.id('leaving')$$, 'PT409'),
  ($$'header'$$, 'ok 1'), ($$'banner'$$, 'ok 1'), ($$'profile'$$, 'ok 1'), ($$null$$, 'PT400'),
  ($$'episode_cover'$$, 'PT400'), ($$'Cover'$$, 'PT400'), ($$'artwork', tests.id('show')$$, 'PT400')) c (args, wanted);
select tests.act_as('stranger');
select is(public.authorize_artwork_import(), '{"maxBytes": 5242880, "formats": ["image/jpeg", "image/png"]}',
  'authorize_artwork_import returns maxBytes and formats of a cover');
select is(public.authorize_artwork_import('profile'),
  '{"maxBytes": 2097152, "formats": ["image/jpeg", "image/png", "image/webp"]}',
  'authorize_artwork_import returns maxBytes and formats of a profile image');
select tests.act_as('postgres');
delete from private.rate_limits;
select private.set_setting('max_artwork_imports_per_hour', '1');
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'ok 1',
  'authorize_artwork_import succeeds up to max_artwork_imports_per_hour');
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'PT429',
  'authorize_artwork_import returns 429 over max_artwork_imports_per_hour');
select is(tests.result_of('ana', 'select public.authorize_artwork_import()'), 'ok 1',
  'authorize_artwork_import counts the imports of each user separately');
update private.rate_limits set window_started_at = window_started_at - interval '1 hour';
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'ok 1',
  'authorize_artwork_import succeeds in the hour after one that reached the limit');
select private.set_setting('max_artwork_imports_per_hour', null);

select * from tests.finish();
rollback;
