-- Images of chapters: uploads, the chapters that may reference them, and the objects that no chapter has any longer.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show'),
  tests.podcast('other', 'otto'), tests.episode('foreign', 'other');
create temp table o as select tests.store_image_object('chapter', 100, 'pilot') as a,
  tests.store_image_object('chapter', 250, 'pilot') as b, tests.store_image_object('chapter', 70, 'second') as c,
  tests.store_image_object('cover', 10) as cover;
grant select on o to public;
create function pg_temp.insert_chapter(who text, second int, path text, episode text default 'pilot') returns text
language sql as $$
  select tests.result_of(who, format('insert into public.episode_chapters (episode_id, start_seconds, title, image_url)
    values (%L, %s, %L, %L)', tests.id(episode), second, 'Chapter', tests.media_url(path)))
$$;
create function pg_temp.end_transaction() returns void language plpgsql as $$
begin
  set constraints all immediate;
  set constraints all deferred;
end $$;

-- Uploads
select is(tests.result_of(who, format('select public.begin_image_upload(%L, %L, %L, 1000, %L, %L)', tests.id('show'),
  'chapter', 'image/webp', image, tests.id(episode))), outcome,
  format('begin_image_upload of a chapter''s image of %s returns %s to %s', image, outcome, who))
from (values ('stranger', '{}', 'pilot', 'PT403'), ('vic', '{}', 'pilot', 'PT403'), ('ana', '{}', 'foreign', 'PT404'),
  ('ana', '{"type": "image/webp", "width": 300, "height": 300}', 'pilot', 'ok 1'),
  ('ola', '{"type": "image/webp", "width": 1920, "height": 300}', 'pilot', 'ok 1'),
  ('ana', '{"type": "image/webp", "width": 300, "height": 299}', 'pilot', 'PT400'),
  ('ana', '{"type": "image/png", "width": 300, "height": 300}', 'pilot', 'PT400')) v (who, image, episode, outcome);
select is(tests.finish_image_upload('ana', 'chapter', path, bytes, episode), outcome,
  format('finish_image_upload of a chapter''s image for %s returns %s', episode, outcome))
from o, lateral (values (cover, 10, 'pilot', 'PT500'), (c, 70, 'pilot', 'PT500'), (a, 100, 'pilot', 'ok 1'),
  (b, 250, 'pilot', 'ok 1'), (c, 70, 'second', 'ok 1')) v (path, bytes, episode, outcome);
select is(tests.used_bytes('ola'), 420::bigint, 'images of chapters are charged before a chapter references them');
select is(private.finish_image_upload(tests.id('ana'), tests.id('show'), 'chapter', a, 100,
    'image/jpeg', tests.square_image(), tests.id('pilot')) - 'path',
  jsonb_build_object('deletablePaths', '[]'::jsonb, 'publicUrl',
    private.image_url(a, (select m.created_at from private.media_objects m where m.path = a))),
  'finish_image_upload of a chapter''s image returns the same URL again when it is repeated') from o;

-- References
select is(pg_temp.insert_chapter('ana', 0, a), 'ok 1', 'a chapter takes an image that is stored for its episode')
from o;
select is(pg_temp.insert_chapter('ana', 10, a), 'ok 1', 'two chapters of an episode share an image') from o;
select is(pg_temp.insert_chapter(who, 20, path, episode), outcome,
  format('a chapter of %s returns %s to %s for %s', episode, outcome, who, image))
from o, lateral (values ('ana', c, 'pilot', 'PT400', 'an image of second'),
  ('ana', cover, 'pilot', 'PT400', 'the podcast''s cover'), ('ana', a, 'second', 'PT400', 'an image of pilot'),
  ('service', cover, 'second', 'ok 1', 'the podcast''s cover')) v (who, path, episode, outcome, image);
select is(tests.error_of(format('insert into public.episode_chapters (episode_id, start_seconds, title, image_url)
    values (%L, 90, %L, %L)', tests.id('pilot'), 'Chapter', tests.media_url(c))), 'PT400 IMAGE_NOT_OWNED',
  'a chapter with the image of another episode returns IMAGE_NOT_OWNED') from o, tests.act_as('ana');
select tests.act_as('postgres');
select pg_temp.end_transaction();
select is((select private.claim_orphaned_objects('media', array[a]) from o), '{}',
  'claim_orphaned_objects does not return an image that a chapter references');

-- Releases
delete from public.episode_chapters where start_seconds = 0;
select pg_temp.end_transaction();
select set_eq('select tests.live_objects()', 'select unnest(array[a, b, c]) from o',
  'an image stays live while another chapter references it');
select is(tests.result_of('ana', format('select public.set_episode_chapters(%L, %L)', tests.id('pilot'),
  jsonb_build_array(jsonb_build_object('start_seconds', 5, 'title', 'x', 'image_url', tests.media_url(a))))), 'ok 1',
  'set_episode_chapters keeps the image of a replaced chapter') from o;
select pg_temp.end_transaction();
select is_empty($$ select tests.queued('storage_gc') $$, 'set_episode_chapters enqueues no image that it keeps');
update public.episode_chapters set image_url = (select tests.media_url(b) from o) where start_seconds = 5;
select pg_temp.end_transaction();
select set_eq('select tests.live_objects()', 'select unnest(array[b, c]) from o',
  'a chapter with another image releases the image that it had');
select is(tests.used_bytes('ola'), 320::bigint, 'a released image of a chapter is not charged');
select results_eq($$ select tests.queued('storage_gc') -> 'paths' $$, 'select jsonb_build_array(a) from o',
  'the image of an episode that was never public is enqueued for deletion at once');
update public.episode_chapters set image_url = (select tests.media_url(a) from o) where start_seconds = 5;
select pg_temp.end_transaction();
select set_eq('select tests.live_objects()', 'select unnest(array[a, c]) from o',
  'a released image that a chapter references again is live again');
select is(tests.claim_originals(a, b), array[b],
  'claim_orphaned_objects returns the image that no chapter references') from o;
select tests.empty_queue('storage_gc');
update public.episodes set first_published_at = now() where id = tests.id('pilot');
delete from public.episode_chapters where episode_id = tests.id('pilot');
select pg_temp.end_transaction();
select results_eq('select tests.live_objects()', 'select c from o',
  'deleted chapters of a published episode release their image');
select is_empty($$ select tests.queued('storage_gc') $$,
  'the image of a published episode waits for the sweep, because clients have its URL');

-- The sweep
update private.media_objects set created_at = now() - interval '25 hours' where released_at is null;
select is(pg_temp.insert_chapter('ana', 1, c, 'second'), 'ok 1', 'a chapter takes an image that was stored a day ago')
from o;
select private.sweep_storage();
select results_eq('select tests.live_objects()', 'select c from o', 'sweep_storage keeps an image that a chapter has');
delete from public.episode_chapters;
update private.media_objects set released_at = null, created_at = now() - interval '23 hours' where usage = 'chapter';
select private.sweep_storage();
select isnt_empty('select tests.live_objects()', 'sweep_storage keeps an image that no chapter has for a day');
update private.media_objects set created_at = now() - interval '25 hours' where usage = 'chapter';
select private.sweep_storage();
select is_empty('select tests.live_objects()', 'sweep_storage releases images that no chapter has after a day');

select * from tests.finish();
rollback;
