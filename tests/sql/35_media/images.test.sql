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

-- presign and begin: to whom they say no, and in which order
create temp table calls (verb text, args text, wanted text);
insert into calls values
  ('presign_image_upload', $$tests.id('show'), 'cover', 'image/png', 'a.png'$$, 'ok 1'),
  ('presign_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 'a.png', tests.id('pilot')$$, 'ok 1'),
  ('begin_image_upload', $$tests.id('show'), 'banner', 'image/webp', 1000, '{"type": "image/webp", "width": 600, "height": 315}'$$, 'ok 1'),
  ('begin_image_upload', $$tests.id('show'), 'episode_cover', 'image/png', 1000, '{"type": "image/png", "width": 1400, "height": 1400}', tests.id('pilot')$$, 'ok 1'),
  ('delete_podcast_image', $$tests.id('show'), 'cover'$$, 'ok 1');
select is(tests.result_of(who, format('select public.%I(%s)', verb, args)), coalesce(refused, wanted), format('%s: %s(%s) is %s', who, verb, args, coalesce(refused, wanted)))
from calls, (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ana', null), ('ola', null)) w (who, refused);
select is(tests.result_of(who, format('select public.%I(%s)', verb, args)), wanted, format('%s: %s(%s) is %s', who, verb, args, wanted))
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
select is(tests.result_of(who, format('select private.delete_podcast_image(tests.id(%L), %L)', 'show', 'cover')), wanted, format('%s behind the grants: %s', who, wanted))
from (values ('anon', '42501'), ('vic', 'PT403'), ('stranger', 'PT403')) w (who, wanted);
select is(tests.result_of(who, format('select private.%s', call)), '42501', format('%s may not call %s', who, call))
from unnest(array['anon', 'ola', 'service']) who, unnest(array[$$sync_image_objects(tests.id('show'), 'cover', 'x')$$, $$release_media_objects('{}', false)$$, $$claim_orphaned_objects('media', '{}')$$, $$adjust_storage_usage(tests.id('ola'), -1)$$]) call;
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ana', format('select public.%I(%s)', verb, args)), 'PT409', format('on its way out: %s(%s)', verb, args)) from calls;
select is(tests.result_of('ana', format('update public.podcasts set %s = null', c)), 'PT409', 'on its way out a podcast keeps its ' || c) from unnest(array['cover_image_url', 'header_image_url', 'banner_image_url', 'profile_image_url']) c;
update public.podcasts set status = 'active' where id = tests.id('show');

-- paths
select matches(public.begin_image_upload(tests.id('show'), 'banner', 'image/webp', 1, '{"type": "image/webp", "width": 600, "height": 315}') ->> 'path',
  format('^podcasts/%s/images/banner/[0-9a-f-]{36}\.webp$', tests.id('show')), 'a show''s image has the contract''s path') from tests.act_as('ana');
select matches(public.presign_image_upload(tests.id('show'), 'episode_cover', 'image/jpeg', 'a', tests.id('pilot')) ->> 'publicUrl',
  format('^https://casts\.test/storage/v1/object/public/media/podcasts/%s/e/%s/images/[0-9a-f-]{36}\.jpg\?v=\d{13}$', tests.id('show'), tests.id('pilot')), 'an episode''s cover too, and ?v= behind it');
select tests.act_as('postgres');
select private.set_setting('media_url', 'https://cdn.test/m');
select matches(private.image_url('a.jpg'), '^https://cdn\.test/m/a\.jpg\?v=\d{13}$', 'new addresses are the CDN''s');
select private.set_setting('media_url', null);

-- finish
create function pg_temp.finish(actor text, place text, path text, bytes bigint, episode text default null, podcast text default 'show') returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_image_upload(%L, %L, %L, %L, %L, %s, %L, %L)',
    tests.id(actor), tests.id(podcast), place, (select i.id from tests.ids i where i.name = episode), path, bytes, 'image/jpeg', '{"width": 1400, "height": 1400}')) $$;
create temp table o as select pg_temp.stored('cover', 100) as a, pg_temp.stored('cover', 250) as b, pg_temp.stored('header', 30) as header,
  pg_temp.stored('episode_cover', 500, 'pilot') as e, pg_temp.stored('episode_cover', 700, 'pilot') as f;
grant select on o to public;
select is(tests.result_of(who, format('select private.finish_image_upload(%L, %L, %L, null, %L, 100, %L, %L)', tests.id('ola'), tests.id('show'), 'cover', a, 'image/jpeg', '{}')), '42501', who || ' cannot finish')
from o, unnest(array['anon', 'ola', 'vic']) who;
select is(tests.result_of('service', format('select private.finish_image_upload(%L, %L, %L, null, %L, 99, %L, %L)', tests.id('ola'), tests.id('show'), 'cover', a, 'image/jpeg', '{}')), 'PT500', 'the service can, when the size is right') from o;
select is(pg_temp.finish(actor, place, path, bytes, episode, podcast), wanted, why) from o, lateral (values
  ('ana', 'cover', a, 101, null, 'show', 'PT500', 'a size that differs from the stored object''s is 500'),
  ('ana', 'cover', replace(a, '.jpg', 'x.jpg'), 100, null, 'show', 'PT500', 'an object that is not there is 500'),
  ('ana', 'header', a, 100, null, 'show', 'PT500', 'a path outside its type is 500'),
  ('ana', 'episode_cover', a, 100, 'pilot', 'show', 'PT500', 'a show''s image is no episode''s cover'),
  ('otto', 'cover', a, 100, null, 'other', 'PT500', 'nor another podcast''s image'),
  ('vic', 'cover', a, 100, null, 'show', 'PT403', 'who lost the role meanwhile is 403'),
  ('otto', 'episode_cover', e, 500, 'pilot', 'other', 'PT404', 'an episode that is not on the podcast is 404')) c (actor, place, path, bytes, episode, podcast, wanted, why);
select is(num_nulls(p.cover_image_url, p.header_image_url), 2, 'refusals leave the columns as they were') from public.podcasts p where p.id = tests.id('show');
select is_empty('select from private.media_objects', 'and the ledger');
select is(pg_temp.finish('ana', 'cover', a, 100), 'ok 1', 'the first cover finishes') from o;
select matches((select cover_image_url from public.podcasts where id = tests.id('show')), '^https://casts\.test/storage/v1/object/public/media/' || a || '\?v=\d{13}$', 'the column names it') from o;
select is(pg_temp.used('ola'), 100::bigint, 'the owner''s account is charged');
create temp table first as select cover_image_url as url from public.podcasts where id = tests.id('show');
select is(pg_temp.finish('ana', 'cover', a, 100), 'ok 1', 'finishing again changes nothing') from o;
select is((select cover_image_url from public.podcasts where id = tests.id('show')), url, 'not the address') from first;
select is(pg_temp.used('ola'), 100::bigint, 'nor charges twice');
select results_eq($$ select usage, bytes, content_type, width, height, episode_id, account_id = tests.id('ola') from private.media_objects $$, $$ values ('cover', 100::bigint, 'image/jpeg', 1400, 1400, null::uuid, true) $$, 'the ledger has what was measured');
select is(pg_temp.finish('ola', 'cover', b, 250), 'ok 1', 'another cover replaces it') from o;
select results_eq('select pg_temp.live()', 'select b from o', 'which is charged no more');
select is(pg_temp.used('ola'), 250::bigint, 'the account follows');
select is_empty($$ select tests.queued('storage_gc') $$, 'but stays for the sweep: cached feeds name it');
select is(pg_temp.finish('ana', 'cover', a, 100), 'ok 1', 'a late repetition of the first changes nothing') from o;
select results_eq('select pg_temp.live()', 'select b from o', 'the newer one stays');
select is(pg_temp.finish('ana', 'header', header, 30), 'ok 1', 'other images stand beside it') from o;
select is(pg_temp.finish('ana', 'episode_cover', e, 500, 'pilot'), 'ok 1', 'and so do episodes'' covers') from o;
select is(pg_temp.used('ola'), 780::bigint, 'all are charged');
select results_eq(format('select private.finish_image_upload(%L, %L, %L, %L, %L, 700, %L, %L) -> %L', tests.id('ana'), tests.id('show'), 'episode_cover', tests.id('pilot'), f, 'image/png', '{"width": 1400, "height": 1400}', 'deletablePaths'),
  'select jsonb_build_array(e) from o', 'an episode''s cover that was replaced can go at once') from o;
select results_eq($$ select tests.queued('storage_gc') -> 'paths' $$, 'select jsonb_build_array(e) from o', 'and is queued to');
select is(private.claim_orphaned_objects('media', array[e, f]), array[e], 'it alone') from o;
select is(pg_temp.used('ola'), 980::bigint, 'the account follows');

-- the objects follow the columns, whoever writes them
select tests.empty_queue('storage_gc');
select is(tests.result_of(who, statement), wanted, format('%s: %s is %s', who, statement, wanted)) from first, lateral (values
  ('vic', 'update public.podcasts set cover_image_url = null', 'ok 0'), ('anon', 'update public.podcasts set cover_image_url = null', '42501'),
  ('ana', format('update public.podcasts set cover_image_url = %L where id = tests.id(%L)', url, 'show'), 'ok 1')) c (who, statement, wanted);
select is(pg_temp.used('ola'), 830::bigint, 'the older cover, named again, is charged for the newer');
select is(tests.result_of('ana', $$ update public.podcasts set cover_image_url = 'https://x.test/c.jpg', header_image_url = null where id = tests.id('show') $$), 'ok 1', 'a foreign address or none');
select set_eq('select pg_temp.live()', 'select f from o', 'lets go');
select is_empty($$ select tests.queued('storage_gc') $$, 'for the sweep');
select is(tests.result_of('ana', $$ update public.episodes set cover_image_url = null where id = tests.id('pilot') $$), 'ok 1', 'an episode''s');
select results_eq($$ select tests.queued('storage_gc') -> 'paths' $$, 'select jsonb_build_array(f) from o', 'at once');
select is(tests.result_of('ana', format('update public.episodes set cover_image_url = %L where id = tests.id(%L)', pg_temp.url(f), 'pilot')), 'ok 1', 'named again before the collector came') from o;
select is(private.claim_orphaned_objects('media', array[f]), '{}', 'it stays') from o;
select is(pg_temp.used('ola'), 700::bigint, 'and is charged');
select throws_ok($$ insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type) values ('x', tests.id('ola'), tests.id('show'), tests.id('pilot'), 'episode_cover', 1, 'image/png') $$,
  '23505', null, 'two live covers of one episode cannot be');

-- delete
update public.podcasts set header_image_url = null where id = tests.id('show');
select tests.empty_queue('storage_gc');
select results_eq($$ select public.delete_podcast_image(tests.id('show'), 'cover') $$, $$ select jsonb_build_object('deletedCount', 2, 'paths', (select jsonb_agg(x order by x) from unnest(array[a, b]) x)) from o $$, 'every object of the image, replaced ones too') from tests.act_as('ana');
select tests.act_as('postgres');
select is((select cover_image_url from public.podcasts where id = tests.id('show')), null, 'the foreign address that it had is cleared');
select results_eq($$ select jsonb_array_length(m -> 'paths') from tests.queued('storage_gc') m $$, 'select 2', 'they are queued');
select set_eq($$ select unnest(private.claim_orphaned_objects('media', array[a, b, header, f])) from o $$, 'select unnest(array[a, b, header]) from o', 'and go, the others of the podcast only when nothing names them');
select is(public.delete_podcast_image(tests.id('show'), t), '{"paths": [], "deletedCount": 0}', 'no ' || t || ' is 0') from tests.act_as('ola'), unnest(array['cover', 'header', 'banner', 'profile']) t;
select tests.act_as('postgres');

-- download
select is(tests.result_of(who, $$ select public.get_episode_cover(tests.id('pilot')) $$), wanted, format('download as %s is %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('otto', 'PT403'), ('vic', 'ok 1'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of('ana', 'select public.get_episode_cover(gen_random_uuid())'), 'PT404', 'an episode that is not there is 404');
select results_eq($$ select public.get_episode_cover(tests.id('pilot')) $$, $$ select jsonb_build_object('path', f, 'filename', 'pilot-cover.jpg') from o $$, 'its own cover') from tests.act_as('vic');
select tests.act_as('postgres');
update public.episodes set cover_image_url = null where id = tests.id('pilot');
select is(tests.result_of('vic', $$ select public.get_episode_cover(tests.id('pilot')) $$), 'PT404', 'without any cover it is 404');
update public.podcasts set cover_image_url = pg_temp.url(format('podcasts/%s/images/cover/x.png', id)) where id = tests.id('show');
select is(public.get_episode_cover(tests.id('pilot')) ->> 'filename', 'pilot-cover.png', 'the show''s stands in') from tests.act_as('vic');
select tests.act_as('postgres');
alter table public.episodes disable trigger t330_guard_cover;  -- rows from before the guard
create function pg_temp.named(path text) returns text language plpgsql as $$
begin
  update public.episodes set cover_image_url = 'https://casts.test/storage/v1/object/public/media/' || path where id = tests.id('pilot');
  return tests.result_of('vic', $c$ select public.get_episode_cover(tests.id('pilot')) $c$);
end $$;
select is(pg_temp.named(replace(replace(path, '{show}', tests.id('show')::text), '{other}', tests.id('other')::text)), wanted, path || ' is ' || wanted) from (values
  ('podcasts/{show}/a.jpg', 'ok 1'), ('podcasts/{show}/e/x/images/a.webp?v=1#x', 'ok 1'), ('podcasts/{other}/images/cover/a.jpg', 'PT404'), ('imports/a.jpg', 'PT404'),
  ('podcasts/{show}/../{other}/a.jpg', 'PT404'), ('podcasts/{show}/%2e%2e/{other}/a.jpg', 'PT404'), ('podcasts/{show}//a.jpg', 'PT404'), ('podcasts/{show}/./a.jpg', 'PT404'),
  ('podcasts/{show}%2fa.jpg', 'PT404'), ('podcasts/{show}a/a.jpg', 'PT404'), ('podcasts/{show}.jpg', 'PT404'), ('podcasts/{show}/a.mp3', 'PT404'), ('podcasts/{show}/a.jpg.html', 'PT404'),
  ('podcasts/{show}/a.JPG', 'PT404'), ('podcasts/{show}/.jpg', 'PT404'), ('podcasts/{show}/a', 'PT404'), ('podcasts/{show}/', 'PT404'), ('x/podcasts/{show}/a.jpg', 'PT404'), ('/podcasts/{show}/a.jpg', 'PT404')) p (path, wanted);

select * from tests.finish();
rollback;
