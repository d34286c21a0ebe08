-- begin_artwork_import: the callers, then the image and the allowance.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.podcast('other', 'otto'), tests.podcast('leaving', 'ola'), tests.set_status('leaving', 'pending_deletion');

select tests.access('begin_artwork_import for a podcast',
  $$ select public.begin_artwork_import('image/jpeg', 1000, tests.square_image(), 'cover', tests.id('show')) $$,
  '42501: anon service; PT403: stranger vic otto; ok 1: ana ola');
select tests.access('begin_artwork_import without a podcast',
  $$ select public.begin_artwork_import('image/jpeg', 1000, tests.square_image()) $$,
  '42501: anon service; ok 1: stranger vic ana ola');
select is(tests.result_of('ola', format('select public.begin_artwork_import(%s)', args)), wanted,
  format('begin_artwork_import(%s) returns %s', args, wanted))
from (values
  ($$'image/jpeg', 1000, tests.square_image(), 'cover', gen_random_uuid()$$, 'PT404'),
  ($$'image/jpeg', 1000, tests.square_image(), 'cover', tests.id('leaving')$$, 'PT409'),
  ($$'image/jpeg', 1000, tests.square_image(), 'episode_cover', tests.id('show')$$, 'PT400'),
  ($$'image/jpeg', 5242880, tests.square_image()$$, 'ok 1'), ($$'image/jpeg', 5242881, tests.square_image()$$, 'PT400'),
  ($$'image/jpeg', 0, tests.square_image()$$, 'PT400'), ($$'image/jpeg', null, tests.square_image()$$, 'PT400'),
  ($$'image/jpeg', 1000$$, 'PT400'), ($$'', 1000$$, 'PT400'), ($$null, 1000, tests.square_image()$$, 'PT400'),
  ($$'image/png', 1000, tests.square_image()$$, 'PT400'),
  ($$'image/gif', 1000, tests.square_image(1400, 'image/gif')$$, 'PT400'),
  ($$'image/webp', 1000, tests.square_image(1400, 'image/webp')$$, 'PT400'),
  ($$'image/webp', 1000, tests.square_image(200, 'image/webp'), 'profile'$$, 'ok 1'),
  ($$'image/jpeg', 1000, tests.square_image(1399)$$, 'PT400'),
  ($$'image/jpeg', 2097152, tests.square_image(), 'profile'$$, 'ok 1'),
  ($$'image/jpeg', 2097153, tests.square_image(), 'profile'$$, 'PT400'),
  ($$'image/jpeg', 1000, tests.square_image() || '{"width": 1470}'$$, 'ok 1'),
  ($$'image/jpeg', 1000, tests.square_image() || '{"width": 1471}'$$, 'PT400')) c (args, wanted);
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ana');
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 1000, tests.square_image()) $$),
  'PT409', 'begin_artwork_import without a podcast returns 409 over the caller''s allowance');
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 999, tests.square_image()) $$),
  'ok 1', 'begin_artwork_import without a podcast succeeds up to the caller''s allowance');
select is(tests.result_of('ana',
  $$ select public.begin_artwork_import('image/jpeg', 1000, tests.square_image(), 'cover', tests.id('show')) $$),
  'ok 1', 'begin_artwork_import for a podcast ignores the caller''s allowance');
update public.billing_accounts set storage_bytes_used = case when user_id = tests.id('ola') then 1073741824 else 0 end;
select is(tests.result_of('ana',
  $$ select public.begin_artwork_import('image/jpeg', 1000, tests.square_image(), 'cover', tests.id('show')) $$),
  'PT409', 'begin_artwork_import for a podcast returns 409 over its owner''s allowance');
update public.billing_accounts set storage_bytes_used = 0;
select tests.act_as('ana');
select matches(public.begin_artwork_import('image/jpeg', 1000, tests.square_image()) ->> 'path',
  format('^imports/%s/[0-9a-f-]{36}\.jpg$', tests.id('ana')),
  'begin_artwork_import without a podcast returns a path under the caller');
select matches(public.begin_artwork_import('image/png', 1000, tests.square_image(1400, 'image/png'), 'profile',
  tests.id('show')) ->> 'path', format('^podcasts/%s/images/profile/[0-9a-f-]{36}\.png$', tests.id('show')),
    'begin_artwork_import for a podcast returns a path under the podcast');

select * from tests.finish();
rollback;
