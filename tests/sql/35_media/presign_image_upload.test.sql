-- presign_image_upload: the callers, the order of the checks, and the URL.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

create temp table calls (args text, wanted text);
insert into calls values
  ($$tests.id('show'), 'cover', 'image/png', 'a.png'$$, 'ok 1'),
  ($$tests.id('show'), 'episode_cover', 'image/png', 'a.png', tests.id('pilot')$$, 'ok 1');
select is(tests.result_of(who, format('select public.presign_image_upload(%s)', args)), coalesce(refused, wanted),
  format('presign_image_upload(%s) as %s returns %s', args, who, coalesce(refused, wanted)))
from calls, (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'),
  ('ana', null), ('ola', null)) w (who, refused);
select is(tests.result_of(who, format('select public.presign_image_upload(%s)', args)), wanted,
  format('presign_image_upload(%s) as %s returns %s', args, who, wanted))
from (values
  ('ana', $$gen_random_uuid(), 'cover', 'image/png', 'a'$$, 'PT404'),
  ('ana', $$tests.id('show'), 'episode_cover', 'image/png', 'a', tests.id('foreign')$$, 'PT404'),
  ('ana', $$tests.id('show'), 'episode_cover', 'image/png', 'a', gen_random_uuid()$$, 'PT404'),
  ('ana', $$tests.id('show'), 'episode_cover', 'image/png', 'a'$$, 'PT404'),
  ('ana', $$tests.id('show'), 'profile', 'image/png', 'a'$$, 'PT400'),
  ('ana', $$tests.id('show'), 'artwork', 'image/png', 'a'$$, 'PT400'),
  ('ana', $$tests.id('show'), 'cover', 'image/webp', 'a'$$, 'PT400'),
  ('ana', $$tests.id('show'), 'cover', null, 'a'$$, 'PT400'),
  ('ana', $$tests.id('show'), 'cover', 'image/png', ''$$, 'PT400'),
  ('ana', $$tests.id('show'), 'cover', 'image/png', null$$, 'PT400'),
  ('vic', $$tests.id('show'), 'cover', 'image/webp', 'a'$$, 'PT400')) c (who, args, wanted);
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('ana', format('select public.presign_image_upload(%s)', args)), 'PT409',
  format('presign_image_upload(%s) returns 409 for a podcast that is pending deletion', args)) from calls;
select tests.set_status('show', 'active');

-- the URL
select tests.act_as('ana');
select matches(public.presign_image_upload(tests.id('show'), 'episode_cover', 'image/jpeg', 'a', tests.id('pilot'))
  ->> 'publicUrl',
  format('^https://casts\.test/storage/v1/object/public/media/podcasts/%s/e/%s/images/[0-9a-f-]{36}\.jpg\?v=\d{13}$',
    tests.id('show'), tests.id('pilot')),
    'presign_image_upload returns a URL in the episode''s images/ with ?v= for its cover');
select tests.act_as('postgres');
select private.set_setting('media_url', 'https://cdn.test/m');
select matches(private.image_url('a.jpg'), '^https://cdn\.test/m/a\.jpg\?v=\d{13}$',
  'image_url returns URLs of the CDN in media_url');
select private.set_setting('media_url', null);

select * from tests.finish();
rollback;
