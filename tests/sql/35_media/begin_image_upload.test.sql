-- begin_image_upload: the callers, the order of the checks, and the path.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

create function pg_temp.png(width int, height int) returns jsonb language sql as $$
  select jsonb_build_object('type', 'image/png', 'width', width, 'height', height) $$;
grant execute on function pg_temp.png to public;

create temp table calls (args text, wanted text);
insert into calls values
  ($$tests.id('show'), 'banner', 'image/webp', 1000, '{"type": "image/webp", "width": 600, "height": 315}'$$, 'ok 1'),
  ($$tests.id('show'), 'episode_cover', 'image/png', 1000, pg_temp.png(1400, 1400), tests.id('pilot')$$, 'ok 1');
select is(tests.result_of(who, format('select public.begin_image_upload(%s)', args)), coalesce(refused, wanted),
  format('begin_image_upload(%s) as %s returns %s', args, who, coalesce(refused, wanted)))
from calls, (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'),
  ('ana', null), ('ola', null)) w (who, refused);
select is(tests.result_of(who, format('select public.begin_image_upload(%s)', args)), wanted,
  format('begin_image_upload(%s) as %s returns %s', args, who, wanted))
from (values
  ('vic', $$tests.id('show'), 'cover', 'image/png', 9999999, null$$, 'PT403'),
  ('ana', $$tests.id('show'), 'cover', 'image/png', 9999999, null$$, 'PT400'),
  ('ana', $$tests.id('show'), 'profile', 'image/png', 1, pg_temp.png(200, 200)$$, 'PT400'),
  ('ana', $$tests.id('show'), 'banner', 'image/png', 1, pg_temp.png(614, 315)$$, 'PT400'),
  ('ana', $$tests.id('show'), 'episode_cover', 'image/png', 9999999, null, tests.id('foreign')$$, 'PT404'),
  ('ana', $$tests.id('show'), 'episode_cover', 'image/png', 9999999, null$$, 'PT404'),
  ('ana', $$tests.id('show'), 'banner', 'image/png', 1000, pg_temp.png(600, 315), tests.id('foreign')$$, 'ok 1'))
  c (who, args, wanted);
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('ana', format('select public.begin_image_upload(%s)', args)), 'PT409',
  format('begin_image_upload(%s) returns 409 for a podcast that is pending deletion', args)) from calls;
select tests.set_status('show', 'active');

select matches(public.begin_image_upload(tests.id('show'), 'banner', 'image/webp', 1,
  '{"type": "image/webp", "width": 600, "height": 315}') ->> 'path',
  format('^podcasts/%s/images/banner/[0-9a-f-]{36}\.webp$', tests.id('show')),
    'begin_image_upload returns a path podcasts/{id}/images/{type}/ for a podcast''s image') from tests.act_as('ana');

select * from tests.finish();
rollback;
