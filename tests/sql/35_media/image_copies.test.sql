-- Copies of images: when they are enqueued and shown, and that they end with their original.
begin;
select tests.start();
select vault.create_secret('a secret', 'worker_secret');

select tests.team('show', 'ola', 'ana', 'vic'), tests.episode('pilot', 'show'),
  tests.published_episode('aired', 'show');
create function pg_temp.image(image_type text, episode text default null, type text default 'image/jpeg',
  width int default 1400, height int default 1400) returns text language plpgsql as $$
declare
  path text := tests.store_image_object(image_type, 1000, episode, content_type => type);
begin
  perform private.finish_image_upload(tests.id('ana'), tests.id('show'), image_type, path, 1000, type,
    jsonb_build_object('width', width, 'height', height),
    case when episode is not null then tests.id(episode) end);
  return path;
end $$;
create function pg_temp.copies(original text) returns setof text language sql as $$
  select private.image_copy_path(original, f.size, f.content_type) from private.image_copy_forms() f
$$;
create function pg_temp.finish(original text, size int, type text) returns boolean language sql as $$
  select private.finish_image_copy(original, private.image_copy_path(original, size, type), type, size, size)
$$;
create function pg_temp.make_copies(original text) returns void language sql as $$
  select tests.store_object(path, 50) from pg_temp.copies(original) path where private.stored_size(path) is null;
  select pg_temp.finish(original, f.size, f.content_type) from private.image_copy_forms() f
$$;
create function pg_temp.stored_copies(original text) returns setof text language sql as $$
  select c.path from private.media_copies c where c.original_path = original
$$;

-- enqueued with the image
select tests.empty_queue('image_derivatives');
create temp table o as select pg_temp.image('cover') as cover, null::text as chapter, null::text as drawn,
  null::text as shown, null::text as portrait, null::text as header, null::text as large;
select set_eq($$ select tests.queued('image_derivatives') $$,
  $$ select jsonb_build_object('podcast_id', tests.id('show'), 'path', cover, 'size', size, 'content_type', type)
     from o, (values (160, 'image/webp'), (640, 'image/webp'), (640, 'image/jpeg')) f (size, type) $$,
  'an uploaded cover enqueues its three copies, one message each');
select is((select string_agg(path, ' ' order by path) from o, pg_temp.copies(cover) path),
  (select format('podcasts/%1$s/derived/%2$s/160.webp podcasts/%1$s/derived/%2$s/640.jpg '
    || 'podcasts/%1$s/derived/%2$s/640.webp', tests.id('show'), substring(cover from '([0-9a-f-]{36})\.jpg$')) from o),
  'image_copy_path names copies after the podcast, the object and the size');
select tests.empty_queue('image_derivatives');
update o set chapter = pg_temp.image('chapter', 'pilot'), drawn = pg_temp.image('episode_cover', 'pilot', 'image/png'),
  shown = pg_temp.image('episode_cover', 'aired'), portrait = pg_temp.image('profile', null, 'image/webp'),
  header = pg_temp.image('header');
select set_eq($$ select tests.queued('image_derivatives') ->> 'path' $$,
  'select unnest(array[chapter, drawn, shown, portrait]) from o',
  'images of chapters, covers of episodes and portraits enqueue copies, and headers enqueue none');
select tests.empty_queue('image_derivatives');
update o set large = pg_temp.image('cover', width => 3001, height => 3000);
select is((select count(*) from tests.queued('large_images')), 3::bigint,
  'copies of an image above 9 megapixels are enqueued for a standalone worker');
select is_empty($$ select tests.queued('image_derivatives') $$,
  'copies of an image above 9 megapixels are not enqueued for the edge function');
select results_eq($$ select name from private.queues where is_standalone $$, array['large_images'],
  'only large_images is a queue of standalone workers');
create function pg_temp.woken() returns setof text language sql as $$
  select convert_from(body, 'UTF8')::jsonb ->> 'queue' from net.http_request_queue
$$;
select is((select count(*) from pg_temp.woken() queue where queue = 'image_derivatives'), 1::bigint,
  'copies of an image wake the edge function once');
select is((select count(*) from pg_temp.woken() queue where queue = 'large_images'), 0::bigint,
  'a message of a queue of standalone workers does not wake the edge function');
delete from net.http_request_queue;
update pgmq.q_large_images set vt = now() - interval '1 second';
select private.enqueue('image_derivatives', '{}', at => now() - interval '1 second');
select private.wake_worker_if_pending();
select is((select count(*) from pg_temp.woken() queue where queue = 'image_derivatives'), 1::bigint,
  'wake_worker_if_pending wakes the edge function for copies of images');
select is((select count(*) from pg_temp.woken() queue where queue = 'large_images'), 0::bigint,
  'wake_worker_if_pending leaves out queues of standalone workers');
select tests.empty_queue('image_derivatives');
select tests.empty_queue('large_images');
select tests.import_artwork('ana');
select is_empty($$ select tests.queued('image_derivatives') $$, 'artwork without a podcast enqueues no copies');

-- made
select is((select private.begin_image_copy(drawn, 640, 'image/webp') from o),
  (select private.image_copy_path(drawn, 640, 'image/webp') from o), 'begin_image_copy returns the path of a copy');
select is(private.image_copies(tests.id('pilot'), 'episode_cover'), '[]',
  'image_copies is empty before copies are made');
create temp table used as select tests.used_bytes('ola') as bytes;
select pg_temp.finish(drawn, 640, 'image/jpeg') from o;
select is((select m.copies_ended_at from private.media_objects m join o on m.path = drawn), null,
  'an image without all of its copies is not finished');
select pg_temp.finish(drawn, 640, 'image/webp'), pg_temp.finish(drawn, 160, 'image/webp') from o;
select is(private.image_copies(tests.id('pilot'), 'episode_cover'), (
  select jsonb_agg(jsonb_build_object('url', 'https://casts.test/storage/v1/object/public/media/'
    || private.image_copy_path(drawn, size, type), 'type', type, 'width', size, 'height', size) order by n)
  from o, (values (1, 160, 'image/webp'), (2, 640, 'image/webp'), (3, 640, 'image/jpeg')) f (n, size, type)),
  'image_copies returns the copies by width, WebP before JPEG');
select isnt((select m.copies_ended_at from private.media_objects m join o on m.path = drawn), null,
  'an image with all of its copies is finished');
select is((select private.begin_image_copy(drawn, 640, 'image/webp') from o), null,
  'begin_image_copy returns null for a copy that is stored');
select is((select pg_temp.finish(drawn, 640, 'image/webp') from o), true, 'finish_image_copy can be repeated');
select is(tests.used_bytes('ola'), (select bytes from used), 'copies do not count in the allowance');
select pg_temp.make_copies(p) from o, unnest(array[chapter, shown, portrait, large]) p;
select is((select jsonb_array_length(private.image_url_copies(tests.media_url(portrait))) from o), 3,
  'image_url_copies returns the copies of a portrait at a URL of ours');
select is(private.image_url_copies(url), '[]', format('image_url_copies is empty for %s', coalesce(url, 'null')))
from (values (null), ('https://elsewhere.test/a.jpg'), (tests.media_url('podcasts/x.jpg'))) c (url);

-- shown: the chapters of a published episode, and the purge of the CDN
select private.set_setting('cdn_purge_url', 'https://cdn.test/purge');
insert into public.episode_chapters (episode_id, start_seconds, title, image_url)
select tests.id('aired'), 0, 'One', tests.media_url(pg_temp.image('chapter', 'aired'));
insert into public.episode_chapters (episode_id, start_seconds, title) values (tests.id('aired'), 9, 'Two');
select is((public.get_public_chapters(tests.id('aired')) #> '{chapters,0}') ? 'imageCopies', false,
  'get_public_chapters has no imageCopies before copies are made');
select tests.empty_queue('cdn_purge');
select pg_temp.make_copies(private.own_object_path(c.image_url)) from public.episode_chapters c
where c.image_url is not null and c.episode_id = tests.id('aired');
select is((select count(*) from tests.queued('cdn_purge')), 1::bigint,
  'the copies of an image join one purge of the CDN');
select is(public.get_public_chapters(tests.id('aired')) #>> '{chapters,0,imageCopies,0,width}', '160',
  'get_public_chapters has the copies of a chapter''s image');
select is((public.get_public_chapters(tests.id('aired')) #> '{chapters,1}') ? 'imageCopies', false,
  'get_public_chapters has no imageCopies for a chapter without an image');

-- each way an original ends
select tests.empty_queue('storage_gc');
update public.episodes set cover_image_url = null where id = tests.id('aired');
select is(private.image_copies(tests.id('aired'), 'episode_cover'), '[]',
  'image_copies is empty once the column references no image');
select is((select private.begin_image_copy(shown, 160, 'image/webp') from o), null,
  'begin_image_copy returns null for an image that is no longer in use');
select set_eq($$ select unnest(private.claim_orphaned_objects('media', array(select tests.queued_paths()))) $$,
  $$ select shown from o union all select copies from o, pg_temp.copies(shown) copies $$,
  'claim_orphaned_objects returns a removed cover of an episode with its copies');
select is_empty($$ select pg_temp.stored_copies(shown) from o $$, 'the ledger loses the copies of a deleted image');
select set_eq($$ select unnest(private.claim_orphaned_objects('media', array[shown])) from o $$,
  $$ select shown from o union all select copies from o, pg_temp.copies(shown) copies $$,
  'claim_orphaned_objects returns the copies again when it is repeated');
select is((select pg_temp.finish(shown, 160, 'image/webp') from o), false,
  'finish_image_copy returns false for an image that was deleted meanwhile');

select tests.empty_queue('storage_gc');
select is(tests.value_as('ana', format('select public.delete_podcast_image(%L, %L)', tests.id('show'), 'profile'))
  ::jsonb ->> 'deletedCount', '1', 'delete_podcast_image does not count copies');
select set_eq($$ select unnest(private.claim_orphaned_objects('media', array(select tests.queued_paths()))) $$,
  $$ select portrait from o union all select copies from o, pg_temp.copies(portrait) copies $$,
  'claim_orphaned_objects returns a deleted portrait with its copies');

-- a replaced cover keeps its copies until the sweep; one that is referenced again has them
update o set header = large;
update o set large = pg_temp.image('cover');
select set_eq('select pg_temp.stored_copies(header) from o', 'select pg_temp.copies(header) from o',
  'a replaced cover keeps its copies until the sweep');
select tests.empty_queue('storage_gc');
select private.sweep_storage(now() + interval '169 hours');
select set_eq($$ select path
  from unnest(private.claim_orphaned_objects('media', array(select tests.queued_paths()))) path
  where path like '%' || (select substring(header from '[0-9a-f-]{36}\.') from o) || '%'
    or path = any (array(select pg_temp.copies(header) from o)) $$,
  'select header from o union all select pg_temp.copies(header) from o',
  'the sweep deletes a replaced cover with its copies');

-- orphans: of a live original a recorded copy stays; one that no worker recorded, or of a deleted original, goes
select tests.store_object(path) from o, pg_temp.copies(large) path;
select pg_temp.finish(large, 160, 'image/webp') from o;
select tests.store_object(format('podcasts/%s/derived/%s/160.webp', tests.id('show'), gen_random_uuid()));
update storage.objects set created_at = now() - interval '30 days' where name like '%/derived/%';
select tests.empty_queue('storage_gc');
select private.sweep_storage();
select is((select count(*) from o, tests.queued_paths() path where path = any (array(select pg_temp.copies(drawn)))),
  0::bigint, 'sweep_storage keeps the copies of a live image');
select is((select count(*) from o, tests.queued_paths() path where path = any (array(select pg_temp.copies(large)))),
  2::bigint, 'sweep_storage enqueues old copies that no worker recorded');
select isnt_empty($$ select from tests.queued_paths() path where path like '%/derived/%' and path not in (
  select unnest(array(select pg_temp.copies(large)) || array(select pg_temp.copies(shown))) from o) $$,
  'sweep_storage enqueues an old copy of a deleted original');
create temp table definition as
  select pg_get_functiondef('private.is_object_referenced(text)'::regprocedure) as statement;
create or replace function private.is_object_referenced(path text) returns boolean language plpgsql as $$
begin
  perform 1 / (select count(*) - 1 from private.media_copies c where c.path = $1);
  return true;
end $$;
select lives_ok('select private.sweep_storage()', 'sweep_storage calls no function for each recorded copy');
do $$ begin execute (select statement from definition); end $$;

-- images from before, lost messages
select tests.empty_queue('image_derivatives'), tests.empty_queue('large_images');
delete from private.media_copies;
update private.media_objects set copies_ended_at = null;
create temp table missing as select m.path from private.media_objects m
where m.released_at is null and private.takes_image_copies(m.usage);
select is(private.enqueue_missing_image_copies(), (select 3 * count(*) from missing)::int,
  'enqueue_missing_image_copies enqueues the copies of each live image that has none');
select set_eq($$ select tests.queued('image_derivatives') ->> 'path' $$, 'select path from missing',
  'enqueue_missing_image_copies enqueues live images and no others');
select is(private.enqueue_missing_image_copies(), 0,
  'enqueue_missing_image_copies enqueues nothing for images whose messages wait');
select tests.empty_queue('image_derivatives');
select is(private.enqueue_missing_image_copies(max_images => 1), 3,
  'enqueue_missing_image_copies enqueues at most max_images');
select is(private.enqueue_missing_image_copies(max_images => 1), 0,
  'enqueue_missing_image_copies enqueues nothing while max_images wait');
select private.fail_job('image_derivatives', q.msg_id, 'The worker crashed on every attempt', true)
from pgmq.q_image_derivatives q;
select is(private.enqueue_missing_image_copies(), (select 3 * count(*) - 3 from missing)::int,
  'enqueue_missing_image_copies leaves out images with a dead letter');
select tests.empty_queue('image_derivatives');
delete from pgmq.q_image_derivatives_dlq;
select private.reject_image_copies(path) from missing order by path limit 1;
select is((select private.begin_image_copy(path, 640, 'image/jpeg') from missing order by path limit 1), null,
  'begin_image_copy returns null for an image that cannot be decoded, which ends its other messages');
select is(private.enqueue_missing_image_copies(), (select 3 * count(*) - 3 from missing)::int,
  'enqueue_missing_image_copies leaves out images that cannot be decoded');

-- without a standalone worker no worker takes the messages about large images
select tests.empty_queue('image_derivatives'), tests.empty_queue('large_images');
update private.media_objects m set width = 3001, height = 3000 from o where m.path = o.large;
create temp table waiting as select private.enqueue('large_images', jsonb_build_object('path', path, 'size', size),
  at => now() + make_interval(secs => delay)) as id, name
from o cross join lateral (values (large, 160, 0, 'live'), (large, 640, 0, 'live'), (header, 160, 0, 'replaced'),
  ('podcasts/absent.jpg', 640, 0, 'deleted'), (header, 640, 60, 'claimed')) q (path, size, delay, name);
select private.enqueue_missing_image_copies();
select results_eq($$ select name from pgmq.q_large_images q left join waiting w on w.id = q.msg_id order by q.msg_id $$,
  '{live,live,claimed}'::text[],
  'enqueue_missing_image_copies deletes messages about large images that were replaced or deleted, unless claimed');
select private.reject_image_copies(large) from o;
select private.enqueue_missing_image_copies();
select results_eq('select name from pgmq.q_large_images q join waiting w on w.id = q.msg_id', array['claimed'],
  'enqueue_missing_image_copies deletes messages about large images that cannot be decoded');
update private.media_objects m set copies_ended_at = null from o where m.path = o.large;
select private.enqueue_missing_image_copies() from generate_series(1, 2);
select results_eq($$ select q.message ->> 'size' || ' ' || (q.message ->> 'content_type')
  from pgmq.q_large_images q join o on q.message ->> 'path' = large order by 1 $$,
  '{160 image/webp,640 image/jpeg,640 image/webp}'::text[],
  'a large image whose messages were deleted has one message per copy again');
select tests.empty_queue('large_images');
select isnt_empty($$ select from cron.job
  where jobname = 'enqueue_missing_image_copies' and schedule = '*/10 * * * *' and active $$,
  'enqueue_missing_image_copies runs every ten minutes');

-- the podcast
select pg_temp.make_copies(path) from missing;
delete from public.episodes where podcast_id = tests.id('show');
select tests.empty_queue('storage_gc');
delete from public.podcasts where id = tests.id('show');
select is_empty('select from private.media_copies', 'the ledger loses the copies of a deleted podcast');
select is_empty($$ select name from storage.objects where name like '%/derived/%' and name not in (
  select unnest(private.claim_orphaned_objects('media', array(select tests.queued_paths())))) $$,
  'a deleted podcast enqueues the deletion of its copies');

select * from tests.finish();
rollback;
