-- authorize_image_upload: the callers, the order of the checks, and the limit of each image type.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

create temp table calls (args text);
insert into calls values ($$tests.id('show'), 'banner', 'image/webp'$$),
  ($$tests.id('show'), 'episode_cover', 'image/png', tests.id('pilot')$$);
select is(tests.result_of(who, format('select public.authorize_image_upload(%s)', args)), expected,
  format('authorize_image_upload(%s) as %s returns %s', args, who, expected))
from calls, (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'),
  ('ana', 'ok 1'), ('ola', 'ok 1')) v (who, expected);
select is(tests.result_of(who, format('select public.authorize_image_upload(%s)', args)), expected,
  format('authorize_image_upload(%s) as %s returns %s', args, who, expected))
from (values
  ('ana', $$gen_random_uuid(), 'cover', 'image/png'$$, 'PT404'),
  ('ana', $$tests.id('show'), 'episode_cover', 'image/png'$$, 'PT404'),
  ('ana', $$tests.id('show'), 'episode_cover', 'image/png', tests.id('foreign')$$, 'PT404'),
  ('ana', $$tests.id('show'), 'banner', 'image/png', tests.id('foreign')$$, 'ok 1'),
  ('ana', $$tests.id('show'), 'profile', 'image/png'$$, 'PT400'),
  ('ana', $$tests.id('show'), 'artwork', 'image/png'$$, 'PT400'),
  ('ana', $$tests.id('show'), null, 'image/png'$$, 'PT400'),
  ('ana', $$tests.id('show'), 'cover', 'image/webp'$$, 'PT400'),
  ('ana', $$tests.id('show'), 'cover', null$$, 'PT400'),
  ('vic', $$tests.id('show'), 'cover', 'image/webp'$$, 'PT400')) c (who, args, expected);
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('ana', format('select public.authorize_image_upload(%s)', args)), 'PT409',
  format('authorize_image_upload(%s) returns 409 for a podcast that is pending deletion', args)) from calls;
select tests.set_status('show', 'active');

select is(public.authorize_image_upload(tests.id('show'), name, 'image/png', tests.id('pilot')),
  jsonb_build_object('maxBytes', max_bytes), format('authorize_image_upload returns the limit of a %s', name))
from tests.act_as('ana'), (values ('cover', 5242880), ('episode_cover', 5242880), ('header', 2097152),
  ('banner', 2097152)) v (name, max_bytes);

select * from tests.finish();
rollback;
