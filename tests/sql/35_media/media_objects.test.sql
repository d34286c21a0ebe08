-- media_objects: the objects follow the image columns, for every writer.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.episode('pilot', 'show');

create temp table o as select tests.store_image_object('cover', 100) as a, tests.store_image_object('cover', 250) as b,
  tests.store_image_object('header', 30) as header, tests.store_image_object('episode_cover', 700, 'pilot') as f;
grant select on o to public;
select is(tests.finish_image_upload('ana', 'cover', a, 100), 'ok 1', 'finish_image_upload stores the first cover')
from o;
create temp table first as select cover_image_url as url from public.podcasts where id = tests.id('show');
select is(tests.finish_image_upload('ana', place, path, bytes, episode), 'ok 1',
  format('finish_image_upload stores a further image: %s', place))
from o, lateral (values ('cover', b, 250, null), ('header', header, 30, null), ('episode_cover', f, 700, 'pilot'))
  c (place, path, bytes, episode);
select tests.empty_queue('storage_gc');
select is(tests.result_of(who, statement), wanted, format('an update as %s, %s, returns %s', who, statement, wanted))
from first, lateral (values
  ('vic', 'update public.podcasts set cover_image_url = null', 'ok 0'),
  ('anon', 'update public.podcasts set cover_image_url = null', '42501'),
  ('ana', format('update public.podcasts set cover_image_url = %L where id = tests.id(%L)', url, 'show'), 'ok 1'))
  c (who, statement, wanted);
select is(tests.used_bytes('ola'), 830::bigint,
  'a replaced cover that a column references again is charged instead of the newer one');
select is(tests.result_of('ana', $$ update public.podcasts set cover_image_url = 'https://x.test/c.jpg',
  header_image_url = null where id = tests.id('show') $$), 'ok 1',
  'podcasts accepts a foreign URL and null for images');
select set_eq('select tests.live_objects()', 'select f from o',
  'a foreign URL or null in the image columns of a podcast releases the stored images');
select is_empty($$ select tests.queued('storage_gc') $$, 'a released podcast image is left to the sweep');
select is(tests.result_of('ana', $$ update public.episodes set cover_image_url = null where id = tests.id('pilot') $$),
  'ok 1', 'episodes accepts null for a cover');
select results_eq($$ select tests.queued('storage_gc') -> 'paths' $$, 'select jsonb_build_array(f) from o',
  'a released episode cover is enqueued at once');
select is(tests.result_of('ana', format('update public.episodes set cover_image_url = %L where id = tests.id(%L)',
  tests.media_url(f), 'pilot')), 'ok 1', 'episodes accepts the URL of a cover that is enqueued for removal') from o;
select is(private.claim_orphaned_objects('media', array[f]), '{}',
  'claim_orphaned_objects does not return an episode cover that is referenced again') from o;
select is(tests.used_bytes('ola'), 700::bigint, 'an episode cover that is referenced again is charged');
select throws_ok($$ insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes,
  content_type) values ('x', tests.id('ola'), tests.id('show'), tests.id('pilot'), 'episode_cover', 1, 'image/png') $$,
  '23505', null, 'media_objects rejects a second live cover of an episode');

select * from tests.finish();
rollback;
