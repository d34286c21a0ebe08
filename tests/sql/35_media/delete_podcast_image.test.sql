-- delete_podcast_image: the callers, the order of the checks, and what becomes of the objects.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

create temp table calls (args text, wanted text);
insert into calls values
  ($$tests.id('show'), 'cover'$$, 'ok 1');
select is(tests.result_of(who, format('select public.delete_podcast_image(%s)', args)), coalesce(refused, wanted),
  format('delete_podcast_image(%s) as %s returns %s', args, who, coalesce(refused, wanted)))
from calls, (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'),
  ('ana', null), ('ola', null)) w (who, refused);
select is(tests.result_of(who, format('select public.delete_podcast_image(%s)', args)), wanted,
  format('delete_podcast_image(%s) as %s returns %s', args, who, wanted))
from (values
  ('ana', $$gen_random_uuid(), 'cover'$$, 'PT404'),
  ('ana', $$tests.id('show'), 'episode_cover'$$, 'PT400'),
  ('ana', $$tests.id('show'), null$$, 'PT400'),
  ('vic', $$tests.id('show'), 'cover'$$, 'PT403')) c (who, args, wanted);
select tests.access('private.delete_podcast_image',
  format('select private.delete_podcast_image(tests.id(%L), %L)', 'show', 'cover'), '42501: anon; PT403: vic stranger');

-- the objects
create temp table o as select tests.store_image_object('cover', 100) as a, tests.store_image_object('cover', 250) as b,
  tests.store_image_object('header', 30) as header, tests.store_image_object('episode_cover', 700, 'pilot') as f;
grant select on o to public;
select is(tests.finish_image_upload('ana', place, path, bytes, episode), 'ok 1',
  format('finish_image_upload stores the %s to delete', place))
from o, lateral (values ('cover', a, 100, null), ('cover', b, 250, null), ('header', header, 30, null),
  ('episode_cover', f, 700, 'pilot')) c (place, path, bytes, episode);
update public.podcasts set cover_image_url = 'https://x.test/c.jpg', header_image_url = null
where id = tests.id('show');
select tests.empty_queue('storage_gc');
select results_eq($$ select public.delete_podcast_image(tests.id('show'), 'cover') $$,
  $$ select jsonb_build_object('deletedCount', 2, 'paths', (select jsonb_agg(x order by x) from unnest(array[a, b]) x))
  from o $$, 'delete_podcast_image returns every object of the image, including replaced ones')
  from tests.act_as('ana');
select tests.act_as('postgres');
select is((select cover_image_url from public.podcasts where id = tests.id('show')), null,
  'delete_podcast_image clears a foreign URL');
select results_eq($$ select jsonb_array_length(m -> 'paths') from tests.queued('storage_gc') m $$, 'select 2',
  'delete_podcast_image enqueues the objects for removal');
select set_eq($$ select unnest(tests.claim_originals(a, b, header, f)) from o $$,
  'select unnest(array[a, b, header]) from o',
  'claim_orphaned_objects returns deleted images and others that no column references');
select is(public.delete_podcast_image(tests.id('show'), t), '{"paths": [], "deletedCount": 0}',
  'delete_podcast_image returns deletedCount 0 without a ' || t) from tests.act_as('ola'),
  unnest(array['cover', 'header', 'banner', 'profile']) t;

select * from tests.finish();
rollback;
