-- Pictures of a file's chapters: which are stored, what they cost, and the chapters that get them.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.podcast('other', 'otto'),
  tests.episode('foreign', 'other');
update public.episodes set audio_url = tests.media_url('a.mp3'), audio_file_size_bytes = 1000,
  audio_content_type = 'audio/mpeg' where id = tests.id('pilot');
create function pg_temp.start(bytes bigint default 1000, image jsonb default tests.square_image(300),
  audio_path text default 'a.mp3', episode text default 'pilot') returns text language sql as $$
  select private.begin_chapter_picture(tests.id(episode), audio_path, bytes, image) $$;
create function pg_temp.finish(path text, bytes bigint default 1000, episode text default 'pilot') returns text
language sql as $$
  select tests.error_of(format('select private.finish_chapter_picture(%L, %L, %s, %L)', tests.id(episode), path, bytes,
    tests.square_image(300))) $$;
create function pg_temp.end_transaction() returns void language plpgsql as $$
begin
  set constraints all immediate;
  set constraints all deferred;
end $$;

-- Begin
select ok(starts_with(pg_temp.start(), private.image_folder(tests.id('show'), 'chapter', tests.id('pilot')))
  and pg_temp.start() like '%.jpg', 'begin_chapter_picture returns a path of an image of the episode''s chapters');
select ok(pg_temp.start(image => tests.square_image(300, 'image/png')) like '%.png', 'begin_chapter_picture takes PNG');
select is(pg_temp.start(bytes, image), null, format('begin_chapter_picture leaves out %s', what))
from (values
  (2097153::bigint, tests.square_image(300), 'a picture of more than 2 MB'),
  (1000, tests.square_image(299), 'a picture of 299 pixels'),
  (1000, tests.square_image(300, 'image/gif'), 'GIF'), (1000, null, 'data of another kind'),
  (0, tests.square_image(300), 'an empty picture')) v (bytes, image, what);
select is(pg_temp.start(audio_path => 'b.mp3'), null, 'begin_chapter_picture leaves out a picture of replaced audio');
select is(pg_temp.start(episode => 'foreign'), null, 'begin_chapter_picture leaves out a picture of another episode');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ola');
select is(pg_temp.start(), null, 'begin_chapter_picture leaves out a picture over the allowance');
select ok(pg_temp.start(999) is not null, 'begin_chapter_picture takes a picture that fills the allowance');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ola');

-- Finish
create temp table o as select tests.store_image_object('chapter', 1000, 'pilot') as a,
  tests.store_image_object('chapter', 1000, 'pilot') as b, tests.store_image_object('cover', 1000) as cover;
select is(pg_temp.finish(path, bytes, episode), outcome,
  format('finish_chapter_picture returns %s for %s', outcome, what))
from o, lateral (values (cover, 1000, 'pilot', 'PT500', 'another kind of image'),
  (a, 1000, 'foreign', 'PT500', 'another episode'), (a, 999, 'pilot', 'PT500 SIZE_MISMATCH', 'another size'),
  (a, 1000, 'pilot', 'none', 'a stored picture'), (a, 1000, 'pilot', 'none', 'a picture that is finished'),
  (b, 1000, 'pilot', 'none', 'another picture')) v (path, bytes, episode, outcome, what);
select is(tests.used_bytes('ola'), 2000::bigint, 'finish_chapter_picture charges each picture once');
select is(tests.error_of(format('select private.finish_chapter_picture(gen_random_uuid(), %L, 1000, %L)', a,
  tests.square_image(300))), 'PT404', 'finish_chapter_picture returns 404 when the episode was deleted') from o;
select is(private.finish_chapter_picture(tests.id('pilot'), a, 1000, tests.square_image(300)),
  private.image_url(a, (select m.created_at from private.media_objects m where m.path = a)),
  'finish_chapter_picture returns the URL of the image') from o;

-- Chapters
select private.finish_audio_probe(tests.id('pilot'), 'a.mp3', 100, jsonb_build_array(
  jsonb_build_object('start', 0, 'title', 'Intro', 'imageUrl', tests.media_url(a)),
  jsonb_build_object('start', 5, 'title', 'Talk', 'imageUrl', tests.media_url(a)),
  jsonb_build_object('start', 9, 'imageUrl', tests.media_url(a)),
  jsonb_build_object('start', 100, 'title', 'Late', 'imageUrl', tests.media_url(b)))) from o;
select private.release_chapter_pictures(array[a, b]) from o;
select pg_temp.end_transaction();
select results_eq($$ select c.start_seconds, c.title, c.image_url, c.is_in_toc from public.episode_chapters c
    order by c.start_seconds $$,
  $$ select v.start, v.title, tests.media_url(a), v.is_in_toc from o, lateral (values (0::numeric, 'Intro', true),
    (5, 'Talk', true), (9, null, false)) v (start, title, is_in_toc) $$,
  'finish_audio_probe writes pictures of chapters, and a chapter with only a picture outside the table of contents');
select results_eq('select tests.live_objects()', 'select a from o',
  'release_chapter_pictures releases a picture that no chapter has, and no other');
select is(tests.used_bytes('ola'), 1000::bigint, 'a picture that chapters share is charged once');
select results_eq('select tests.queued_paths()', 'select b from o',
  'release_chapter_pictures deletes the picture at once');
select is(pg_temp.start(), null, 'begin_chapter_picture leaves out pictures once the episode has chapters');
delete from public.episodes where id = tests.id('pilot');
select pg_temp.end_transaction();
select is_empty('select tests.live_objects()', 'a deleted episode releases the pictures of its chapters');
select is(tests.used_bytes('ola'), 0::bigint, 'pictures of a deleted episode are not charged');

select * from tests.finish();
rollback;
