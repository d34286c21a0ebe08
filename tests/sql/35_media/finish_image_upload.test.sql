-- Images: presign, begin, finish, delete, download; and the objects that follow the columns.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');
create function pg_temp.url(path text) returns text language sql as $$ select 'https://casts.test/storage/v1/object/public/media/' || path || '?v=1' $$;
create function pg_temp.used(name text) returns bigint language sql as $$ select storage_bytes_used from public.billing_accounts where user_id = tests.id(name) $$;
create function pg_temp.live() returns setof text language sql as $$ select path from private.media_objects where released_at is null $$;
create function pg_temp.stored(place text, bytes bigint, episode text default null, podcast text default 'show', type text default 'image/jpeg') returns text language plpgsql as $$
declare
  path text := private.image_path(tests.id(podcast), place, (select i.id from tests.ids i where i.name = episode), gen_random_uuid(), type);
begin
  insert into storage.objects (bucket_id, name, metadata) values ('media', path, jsonb_build_object('size', bytes));
  return path;
end $$;

-- presign, begin and delete: the callers, and the order of the checks
create temp table calls (verb text, args text, wanted text);
insert into calls values
  ('presign_image_upload', $$tests.id('show'), 'cover', 'image/png', 'a.png'$$, 'ok 1'),
  ('presign_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 'a.png', tests.id('pilot')$$, 'ok 1'),
  ('begin_image_upload', $$tests.id('show'), 'banner', 'image/webp', 1000, '{"type": "image/webp", "width": 600, "height": 315}'$$, 'ok 1'),
  ('begin_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 1000, '{"type": "image/png", "width": 1400, "height": 1400}', tests.id('pilot')$$, 'ok 1'),
  ('delete_podcast_image', $$tests.id('show'), 'cover'$$, 'ok 1');
select is(tests.result_of(who, format('select public.%I(%s)', verb, args)), coalesce(refused, wanted), format('%s(%s) as %s returns %s', verb, args, who, coalesce(refused, wanted)))
from calls, (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ana', null), ('ola', null)) w (who, refused);
select is(tests.result_of(who, format('select public.%I(%s)', verb, args)), wanted, format('%s(%s) as %s returns %s', verb, args, who, wanted))
from (values
  ('ana', 'presign_image_upload', $$gen_random_uuid(), 'cover', 'image/png', 'a'$$, 'PT404'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 'a', tests.id('foreign')$$, 'PT404'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 'a', gen_random_uuid()$$, 'PT404'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 'a'$$, 'PT404'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'profile', 'image/png', 'a'$$, 'PT400'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'artwork', 'image/png', 'a'$$, 'PT400'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'cover', 'image/webp', 'a'$$, 'PT400'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'cover', null, 'a'$$, 'PT400'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'cover', 'image/png', ''$$, 'PT400'),
  ('ana', 'presign_image_upload', $$tests.id('show'), 'cover', 'image/png', null$$, 'PT400'),
  ('vic', 'presign_image_upload', $$tests.id('show'), 'cover', 'image/webp', 'a'$$, 'PT400'),
  ('vic', 'begin_image_upload', $$tests.id('show'), 'cover', 'image/png', 9999999, null$$, 'PT403'),
  ('ana', 'begin_image_upload', $$tests.id('show'), 'cover', 'image/png', 9999999, null$$, 'PT400'),
  ('ana', 'begin_image_upload', $$tests.id('show'), 'profile', 'image/png', 1, '{"type": "image/png", "width": 200, "height": 200}'$$, 'PT400'),
  ('ana', 'begin_image_upload', $$tests.id('show'), 'banner', 'image/png', 1, '{"type": "image/png", "width": 614, "height": 315}'$$, 'PT400'),
  ('ana', 'begin_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 9999999, null, tests.id('foreign')$$, 'PT404'),
  ('ana', 'begin_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 9999999, null$$, 'PT404'),
  ('ana', 'begin_image_upload', $$tests.id('show'), 'banner', 'image/png', 1000, '{"type": "image/png", "width": 600, "height": 315}', tests.id('foreign')$$, 'ok 1'),
  ('ana', 'delete_podcast_image', $$gen_random_uuid(), 'cover'$$, 'PT404'),
  ('ana', 'delete_podcast_image', $$tests.id('show'), 'episode_cover'$$, 'PT400'),
  ('ana', 'delete_podcast_image', $$tests.id('show'), null$$, 'PT400'),
  ('vic', 'delete_podcast_image', $$tests.id('show'), 'cover'$$, 'PT403')) c (who, verb, args, wanted);
select is(tests.result_of(who, format('select private.delete_podcast_image(tests.id(%L), %L)', 'show', 'cover')), wanted, format('private.delete_podcast_image as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('vic', 'PT403'), ('stranger', 'PT403')) w (who, wanted);
select is(tests.result_of(who, format('select private.%s', call)), '42501', format('private media functions are not executable by %s: %s', who, call))
from unnest(array['anon', 'ola', 'service']) who, unnest(array[$$sync_image_objects(tests.id('show'), 'cover', 'x')$$, $$release_media_objects('{}', false)$$, $$claim_orphaned_objects('media', '{}')$$, $$adjust_storage_usage(tests.id('ola'), -1)$$]) call;
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ana', format('select public.%I(%s)', verb, args)), 'PT409', format('%s(%s) returns 409 for a podcast that is pending deletion', verb, args)) from calls;
select is(tests.result_of('ana', format('update public.podcasts set %s = null', c)), 'PT409', 'a podcast that is pending deletion keeps its ' || c) from unnest(array['cover_image_url', 'header_image_url', 'banner_image_url', 'profile_image_url']) c;
update public.podcasts set status = 'active' where id = tests.id('show');

-- paths
select matches(public.begin_image_upload(tests.id('show'), 'banner', 'image/webp', 1, '{"type": "image/webp", "width": 600, "height": 315}') ->> 'path',
  format('^podcasts/%s/images/banner/[0-9a-f-]{36}\.webp$', tests.id('show')), 'begin_image_upload returns the contract''s path for a podcast''s image') from tests.act_as('ana');
select matches(public.presign_image_upload(tests.id('show'), 'episode_cover', 'image/jpeg', 'a', tests.id('pilot')) ->> 'publicUrl',
  format('^https://casts\.test/storage/v1/object/public/media/podcasts/%s/e/%s/images/[0-9a-f-]{36}\.jpg\?v=\d{13}$', tests.id('show'), tests.id('pilot')), 'presign_image_upload returns the contract''s path with ?v= for an episode''s cover');
select tests.act_as('postgres');
select private.set_setting('media_url', 'https://cdn.test/m');
select matches(private.image_url('a.jpg'), '^https://cdn\.test/m/a\.jpg\?v=\d{13}$', 'image_url returns URLs of the CDN in media_url');
select private.set_setting('media_url', null);

-- finish
create function pg_temp.finish(actor text, place text, path text, bytes bigint, episode text default null, podcast text default 'show') returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_image_upload(%L, %L, %L, %L, %L, %s, %L, %L)',
    tests.id(actor), tests.id(podcast), place, (select i.id from tests.ids i where i.name = episode), path, bytes, 'image/jpeg', '{"width": 1400, "height": 1400}')) $$;
create temp table o as select pg_temp.stored('cover', 100) as a, pg_temp.stored('cover', 250) as b, pg_temp.stored('header', 30) as header,
  pg_temp.stored('episode_cover', 500, 'pilot') as e, pg_temp.stored('episode_cover', 700, 'pilot') as f;
grant select on o to public;
select is(tests.result_of(who, format('select private.finish_image_upload(%L, %L, %L, null, %L, 100, %L, %L)', tests.id('ola'), tests.id('show'), 'cover', a, 'image/jpeg', '{}')), '42501', 'finish_image_upload is not executable by ' || who)
from o, unnest(array['anon', 'ola', 'vic']) who;
select is(tests.result_of('service', format('select private.finish_image_upload(%L, %L, %L, null, %L, 99, %L, %L)', tests.id('ola'), tests.id('show'), 'cover', a, 'image/jpeg', '{}')), 'PT500', 'finish_image_upload is executable by the service role: it returns 500 for a wrong size') from o;
select is(pg_temp.finish(actor, place, path, bytes, episode, podcast), wanted, 'finish_image_upload returns ' || why) from o, lateral (values
  ('ana', 'cover', a, 101, null, 'show', 'PT500', '500 for a size that differs from the stored object''s'),
  ('ana', 'cover', replace(a, '.jpg', 'x.jpg'), 100, null, 'show', 'PT500', '500 for an object that does not exist'),
  ('ana', 'header', a, 100, null, 'show', 'PT500', '500 for a path outside its type'),
  ('ana', 'episode_cover', a, 100, 'pilot', 'show', 'PT500', '500 for a podcast''s image as an episode''s cover'),
  ('otto', 'cover', a, 100, null, 'other', 'PT500', '500 for another podcast''s image'),
  ('vic', 'cover', a, 100, null, 'show', 'PT403', '403 to a caller who lost the role meanwhile'),
  ('otto', 'episode_cover', e, 500, 'pilot', 'other', 'PT404', '404 for an episode of another podcast')) c (actor, place, path, bytes, episode, podcast, wanted, why);
select is(num_nulls(p.cover_image_url, p.header_image_url), 2, 'finish_image_upload does not change the columns when it rejects') from public.podcasts p where p.id = tests.id('show');
select is_empty('select from private.media_objects', 'finish_image_upload records no object when it rejects');
select is(pg_temp.finish('ana', 'cover', a, 100), 'ok 1', 'finish_image_upload finishes the first cover') from o;
select matches((select cover_image_url from public.podcasts where id = tests.id('show')), '^https://casts\.test/storage/v1/object/public/media/' || a || '\?v=\d{13}$', 'finish_image_upload sets cover_image_url') from o;
select is(pg_temp.used('ola'), 100::bigint, 'finish_image_upload charges the owner''s account');
create temp table first as select cover_image_url as url from public.podcasts where id = tests.id('show');
select is(pg_temp.finish('ana', 'cover', a, 100), 'ok 1', 'finish_image_upload succeeds when it is repeated') from o;
select is((select cover_image_url from public.podcasts where id = tests.id('show')), url, 'finish_image_upload keeps the URL when it is repeated') from first;
select is(pg_temp.used('ola'), 100::bigint, 'finish_image_upload charges once when it is repeated');
select results_eq($$ select usage, bytes, content_type, width, height, episode_id, account_id = tests.id('ola') from private.media_objects $$, $$ values ('cover', 100::bigint, 'image/jpeg', 1400, 1400, null::uuid, true) $$, 'finish_image_upload records the measured values');
select is(pg_temp.finish('ola', 'cover', b, 250), 'ok 1', 'finish_image_upload succeeds for another cover') from o;
select results_eq('select pg_temp.live()', 'select b from o', 'finish_image_upload releases the cover that it replaces');
select is(pg_temp.used('ola'), 250::bigint, 'finish_image_upload charges the new cover instead of the replaced one');
select is_empty($$ select tests.queued('storage_gc') $$, 'finish_image_upload leaves a replaced cover to the sweep, because cached feeds name it');
select is(pg_temp.finish('ana', 'cover', a, 100), 'ok 1', 'finish_image_upload succeeds when it is repeated for a replaced cover') from o;
select results_eq('select pg_temp.live()', 'select b from o', 'finish_image_upload keeps the newer cover when the older upload is repeated');
select is(pg_temp.finish('ana', 'header', header, 30), 'ok 1', 'finish_image_upload finishes a header beside the cover') from o;
select is(pg_temp.finish('ana', 'episode_cover', e, 500, 'pilot'), 'ok 1', 'finish_image_upload finishes an episode''s cover') from o;
select is(pg_temp.used('ola'), 780::bigint, 'finish_image_upload charges every image');
select results_eq(format('select private.finish_image_upload(%L, %L, %L, %L, %L, 700, %L, %L) -> %L', tests.id('ana'), tests.id('show'), 'episode_cover', tests.id('pilot'), f, 'image/png', '{"width": 1400, "height": 1400}', 'deletablePaths'),
  'select jsonb_build_array(e) from o', 'finish_image_upload returns an episode''s replaced cover as deletable') from o;
select results_eq($$ select tests.queued('storage_gc') -> 'paths' $$, 'select jsonb_build_array(e) from o', 'finish_image_upload queues an episode''s replaced cover at once');
select is(private.claim_orphaned_objects('media', array[e, f]), array[e], 'claim_orphaned_objects returns an episode''s replaced cover and not the new one') from o;
select is(pg_temp.used('ola'), 980::bigint, 'finish_image_upload charges an episode''s new cover instead of the replaced one');

-- the objects follow the columns, whoever writes them
select tests.empty_queue('storage_gc');
select is(tests.result_of(who, statement), wanted, format('an update as %s, %s, returns %s', who, statement, wanted)) from first, lateral (values
  ('vic', 'update public.podcasts set cover_image_url = null', 'ok 0'), ('anon', 'update public.podcasts set cover_image_url = null', '42501'),
  ('ana', format('update public.podcasts set cover_image_url = %L where id = tests.id(%L)', url, 'show'), 'ok 1')) c (who, statement, wanted);
select is(pg_temp.used('ola'), 830::bigint, 'a replaced cover that a column names again is charged instead of the newer one');
select is(tests.result_of('ana', $$ update public.podcasts set cover_image_url = 'https://x.test/c.jpg', header_image_url = null where id = tests.id('show') $$), 'ok 1', 'podcasts accepts a foreign URL and null for images');
select set_eq('select pg_temp.live()', 'select f from o', 'a foreign URL or null releases the stored images');
select is_empty($$ select tests.queued('storage_gc') $$, 'a released podcast image is left to the sweep');
select is(tests.result_of('ana', $$ update public.episodes set cover_image_url = null where id = tests.id('pilot') $$), 'ok 1', 'episodes accepts null for a cover');
select results_eq($$ select tests.queued('storage_gc') -> 'paths' $$, 'select jsonb_build_array(f) from o', 'a released episode cover is queued at once');
select is(tests.result_of('ana', format('update public.episodes set cover_image_url = %L where id = tests.id(%L)', pg_temp.url(f), 'pilot')), 'ok 1', 'episodes accepts the URL of a cover that is queued for removal') from o;
select is(private.claim_orphaned_objects('media', array[f]), '{}', 'claim_orphaned_objects does not return an episode cover that is named again') from o;
select is(pg_temp.used('ola'), 700::bigint, 'an episode cover that is named again is charged');
select throws_ok($$ insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type) values ('x', tests.id('ola'), tests.id('show'), tests.id('pilot'), 'episode_cover', 1, 'image/png') $$,
  '23505', null, 'media_objects rejects a second live cover of an episode');

-- delete
update public.podcasts set header_image_url = null where id = tests.id('show');
select tests.empty_queue('storage_gc');
select results_eq($$ select public.delete_podcast_image(tests.id('show'), 'cover') $$, $$ select jsonb_build_object('deletedCount', 2, 'paths', (select jsonb_agg(x order by x) from unnest(array[a, b]) x)) from o $$, 'delete_podcast_image returns every object of the image, including replaced ones') from tests.act_as('ana');
select tests.act_as('postgres');
select is((select cover_image_url from public.podcasts where id = tests.id('show')), null, 'delete_podcast_image clears a foreign URL');
select results_eq($$ select jsonb_array_length(m -> 'paths') from tests.queued('storage_gc') m $$, 'select 2', 'delete_podcast_image queues the objects for removal');
select set_eq($$ select unnest(private.claim_orphaned_objects('media', array[a, b, header, f])) from o $$, 'select unnest(array[a, b, header]) from o', 'claim_orphaned_objects returns deleted images and others that nothing names');
select is(public.delete_podcast_image(tests.id('show'), t), '{"paths": [], "deletedCount": 0}', 'delete_podcast_image returns deletedCount 0 without a ' || t) from tests.act_as('ola'), unnest(array['cover', 'header', 'banner', 'profile']) t;
select tests.act_as('postgres');

-- get_episode_cover
select is(tests.result_of(who, $$ select public.get_episode_cover(tests.id('pilot')) $$), wanted, format('get_episode_cover as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('otto', 'PT403'), ('vic', 'ok 1'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of('ana', 'select public.get_episode_cover(gen_random_uuid())'), 'PT404', 'get_episode_cover returns 404 for an unknown episode');
select results_eq($$ select public.get_episode_cover(tests.id('pilot')) $$, $$ select jsonb_build_object('path', f, 'filename', 'pilot-cover.jpg') from o $$, 'get_episode_cover returns the episode''s own cover') from tests.act_as('vic');
select tests.act_as('postgres');
update public.episodes set cover_image_url = null where id = tests.id('pilot');
select is(tests.result_of('vic', $$ select public.get_episode_cover(tests.id('pilot')) $$), 'PT404', 'get_episode_cover returns 404 without any cover');
update public.podcasts set cover_image_url = pg_temp.url(format('podcasts/%s/images/cover/x.png', id)) where id = tests.id('show');
select is(public.get_episode_cover(tests.id('pilot')) ->> 'filename', 'pilot-cover.png', 'get_episode_cover returns the podcast''s cover for an episode without a cover') from tests.act_as('vic');
select tests.act_as('postgres');
alter table public.episodes disable trigger t330_guard_cover;  -- rows from before the guard
create function pg_temp.named(path text) returns text language plpgsql as $$
begin
  update public.episodes set cover_image_url = 'https://casts.test/storage/v1/object/public/media/' || path where id = tests.id('pilot');
  return tests.result_of('vic', $c$ select public.get_episode_cover(tests.id('pilot')) $c$);
end $$;
select is(pg_temp.named(replace(replace(path, '{show}', tests.id('show')::text), '{other}', tests.id('other')::text)), wanted, format('get_episode_cover of %s returns %s', path, wanted)) from (values
  ('podcasts/{show}/a.jpg', 'ok 1'), ('podcasts/{show}/e/x/images/a.webp?v=1#x', 'ok 1'), ('podcasts/{other}/images/cover/a.jpg', 'PT404'), ('imports/a.jpg', 'PT404'),
  ('podcasts/{show}/../{other}/a.jpg', 'PT404'), ('podcasts/{show}/%2e%2e/{other}/a.jpg', 'PT404'), ('podcasts/{show}//a.jpg', 'PT404'), ('podcasts/{show}/./a.jpg', 'PT404'),
  ('podcasts/{show}%2fa.jpg', 'PT404'), ('podcasts/{show}a/a.jpg', 'PT404'), ('podcasts/{show}.jpg', 'PT404'), ('podcasts/{show}/a.mp3', 'PT404'), ('podcasts/{show}/a.jpg.html', 'PT404'),
  ('podcasts/{show}/a.JPG', 'PT404'), ('podcasts/{show}/.jpg', 'PT404'), ('podcasts/{show}/a', 'PT404'), ('podcasts/{show}/', 'PT404'), ('x/podcasts/{show}/a.jpg', 'PT404'), ('/podcasts/{show}/a.jpg', 'PT404')) p (path, wanted);

select * from tests.finish();
rollback;
