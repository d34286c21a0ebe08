-- Artwork from the web: prepared, begun and finished as an import; moved to a podcast; swept when nobody does.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.podcast('other', 'otto'), tests.podcast('leaving', 'ola');
update public.podcasts set status = 'pending_deletion' where id = tests.id('leaving');

create function pg_temp.square(size int default 1400, type text default 'image/jpeg') returns jsonb language sql as $$
  select jsonb_build_object('type', type, 'width', size, 'height', size) $$;
create function pg_temp.used(who text) returns bigint language sql as $$
  select storage_bytes_used from public.billing_accounts where user_id = tests.id(who) $$;
grant execute on function pg_temp.square to public;

-- prepare: who, and how much
select is(tests.result_of(who, $$ select public.authorize_artwork_import('cover', tests.id('show')) $$), wanted, format('authorize_artwork_import for a podcast as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of(who, $$ select public.authorize_artwork_import() $$), wanted, format('authorize_artwork_import without a podcast as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'ok 1'), ('vic', 'ok 1'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of('ola', format('select public.authorize_artwork_import(%s)', args)), wanted, format('authorize_artwork_import(%s) returns %s', args, wanted))
from (values
  ($$'cover', gen_random_uuid()$$, 'PT404'), ($$'cover', tests.id('other')$$, 'PT403'), ($$'cover', tests.id('leaving')$$, 'PT409'),
  ($$'header'$$, 'ok 1'), ($$'banner'$$, 'ok 1'), ($$'profile'$$, 'ok 1'), ($$null$$, 'PT400'),
  ($$'episode_cover'$$, 'PT400'), ($$'Cover'$$, 'PT400'), ($$'artwork', tests.id('show')$$, 'PT400')) c (args, wanted);
select tests.act_as('stranger');
select is(public.authorize_artwork_import(), '{"maxBytes": 5242880, "formats": ["image/jpeg", "image/png"]}', 'authorize_artwork_import returns maxBytes and formats of a cover');
select is(public.authorize_artwork_import('profile'), '{"maxBytes": 2097152, "formats": ["image/jpeg", "image/png", "image/webp"]}', 'authorize_artwork_import returns maxBytes and formats of a profile image');
select tests.act_as('postgres');
delete from private.rate_limits;
select private.set_setting('max_artwork_imports_per_hour', '1');
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'ok 1', 'authorize_artwork_import succeeds up to max_artwork_imports_per_hour');
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'PT429', 'authorize_artwork_import returns 429 over max_artwork_imports_per_hour');
select is(tests.result_of('ana', 'select public.authorize_artwork_import()'), 'ok 1', 'authorize_artwork_import counts the imports of each user separately');
update private.rate_limits set window_started_at = window_started_at - interval '1 hour';
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'ok 1', 'authorize_artwork_import succeeds in the next hour');
select private.set_setting('max_artwork_imports_per_hour', null);
select tests.act_as('stranger');
select tests.act_as('postgres');

-- begin: the callers, then the image
select is(tests.result_of(who, $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square(), 'cover', tests.id('show')) $$), wanted, format('begin_artwork_import for a podcast as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of(who, $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square()) $$), wanted, format('begin_artwork_import without a podcast as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'ok 1'), ('vic', 'ok 1'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of('ola', format('select public.begin_artwork_import(%s)', args)), wanted, format('begin_artwork_import(%s) returns %s', args, wanted))
from (values
  ($$'image/jpeg', 1000, pg_temp.square(), 'cover', gen_random_uuid()$$, 'PT404'),
  ($$'image/jpeg', 1000, pg_temp.square(), 'cover', tests.id('leaving')$$, 'PT409'),
  ($$'image/jpeg', 1000, pg_temp.square(), 'episode_cover', tests.id('show')$$, 'PT400'),
  ($$'image/jpeg', 5242880, pg_temp.square()$$, 'ok 1'), ($$'image/jpeg', 5242881, pg_temp.square()$$, 'PT400'),
  ($$'image/jpeg', 0, pg_temp.square()$$, 'PT400'), ($$'image/jpeg', null, pg_temp.square()$$, 'PT400'),
  ($$'image/jpeg', 1000$$, 'PT400'), ($$'', 1000$$, 'PT400'), ($$null, 1000, pg_temp.square()$$, 'PT400'),
  ($$'image/png', 1000, pg_temp.square()$$, 'PT400'), ($$'image/gif', 1000, pg_temp.square(1400, 'image/gif')$$, 'PT400'),
  ($$'image/webp', 1000, pg_temp.square(1400, 'image/webp')$$, 'PT400'), ($$'image/webp', 1000, pg_temp.square(200, 'image/webp'), 'profile'$$, 'ok 1'),
  ($$'image/jpeg', 1000, pg_temp.square(1399)$$, 'PT400'), ($$'image/jpeg', 2097152, pg_temp.square(), 'profile'$$, 'ok 1'),
  ($$'image/jpeg', 2097153, pg_temp.square(), 'profile'$$, 'PT400'),
  ($$'image/jpeg', 1000, pg_temp.square() || '{"width": 1470}'$$, 'ok 1'), ($$'image/jpeg', 1000, pg_temp.square() || '{"width": 1471}'$$, 'PT400')) c (args, wanted);
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ana');
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square()) $$), 'PT409', 'begin_artwork_import without a podcast returns 409 over the caller''s allowance');
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 999, pg_temp.square()) $$), 'ok 1', 'begin_artwork_import without a podcast succeeds up to the caller''s allowance');
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square(), 'cover', tests.id('show')) $$), 'ok 1', 'begin_artwork_import for a podcast ignores the caller''s allowance');
update public.billing_accounts set storage_bytes_used = case when user_id = tests.id('ola') then 1073741824 else 0 end;
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square(), 'cover', tests.id('show')) $$), 'PT409', 'begin_artwork_import for a podcast returns 409 over its owner''s allowance');
update public.billing_accounts set storage_bytes_used = 0;
select tests.act_as('ana');
select matches(public.begin_artwork_import('image/jpeg', 1000, pg_temp.square()) ->> 'path', format('^imports/%s/[0-9a-f-]{36}\.jpg$', tests.id('ana')), 'begin_artwork_import without a podcast returns a path under the caller');
select matches(public.begin_artwork_import('image/png', 1000, pg_temp.square(1400, 'image/png'), 'profile', tests.id('show')) ->> 'path',
  format('^podcasts/%s/images/profile/[0-9a-f-]{36}\.png$', tests.id('show')), 'begin_artwork_import for a podcast returns a path under the podcast');
select tests.act_as('postgres');

-- finish: a row in media_objects
create function pg_temp.stored(path text, bytes int default 1000) returns text language sql as $$
  insert into storage.objects (bucket_id, name, metadata) values ('media', path, jsonb_build_object('size', bytes)) returning name $$;
create function pg_temp.key(who text) returns text language sql volatile as $$
  select format('imports/%s/%s.jpg', tests.id(who), gen_random_uuid()) $$;
create function pg_temp.finish(path text, bytes int default 1000, actor text default 'ana', who text default 'postgres') returns text language sql as $$
  select tests.result_of(who, format('select private.finish_artwork_import(%L, %L, %s, %L, %L)', tests.id(actor), path, bytes, 'image/jpeg', pg_temp.square())) $$;
create temp table t as select pg_temp.stored(pg_temp.key('ana')) as import, pg_temp.key('ana') as missing, pg_temp.stored(pg_temp.key('vic')) as vics;
select is((select pg_temp.finish(import, who => who) from t), '42501', format('finish_artwork_import is not executable by %s', who)) from unnest(array['anon', 'stranger', 'vic', 'ana', 'ola']) who;
select is((select pg_temp.finish(missing) from t), 'PT500', 'finish_artwork_import returns 500 for an object that is not stored');
select is((select pg_temp.finish(import, 999) from t), 'PT500', 'finish_artwork_import returns 500 for a size that differs from the stored object''s');
select is((select pg_temp.finish(vics) from t), 'PT500', 'finish_artwork_import returns 500 for a path under another user');
select is(pg_temp.finish(pg_temp.stored(format('podcasts/%s/images/cover/a.jpg', tests.id('show')))), 'PT500', 'finish_artwork_import returns 500 for a path under a podcast');
select is((select count(*) from private.media_objects), 0::bigint, 'finish_artwork_import records no object when it rejects');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ana');
select is((select pg_temp.finish(import) from t), 'PT409', 'finish_artwork_import returns 409 over the allowance');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ana');
select is((select pg_temp.finish(import, who => 'service') from t), 'ok 1', 'finish_artwork_import succeeds for the service role');
select results_eq('select account_id, podcast_id, episode_id, usage, bytes, content_type, width, height, released_at from private.media_objects',
  $$ select tests.id('ana'), null::uuid, null::uuid, 'temporary', 1000::bigint, 'image/jpeg', 1400, 1400, null::timestamptz $$, 'finish_artwork_import records a temporary object of the user');
select results_eq($$ select done - 'publicUrl', split_part(done ->> 'publicUrl', '?v=', 1) from t, private.finish_artwork_import(tests.id('ana'), import, 1000, 'image/jpeg', pg_temp.square()) done $$,
  $$ select jsonb_build_object('path', import), 'https://casts.test/storage/v1/object/public/media/' || import from t $$, 'finish_artwork_import returns path and URL when it is repeated');
select is(pg_temp.used('ana'), 1000::bigint, 'finish_artwork_import charges once when it is repeated');
select is((select pg_temp.finish(vics, actor => 'vic') from t), 'ok 1', 'finish_artwork_import succeeds for a member');

-- a move, begun: the callers, then the source
create function pg_temp.begin_move(who text, path text, podcast text default 'show', type text default 'cover') returns text language sql as $$
  select tests.result_of(who, format('select public.begin_artwork_move(%L, tests.id(%L), %L)', path, podcast, type)) $$;
create function pg_temp.begun(path text, podcast text default 'show', type text default 'cover') returns jsonb language plpgsql as $$
declare answer jsonb;
begin
  perform tests.act_as('ana');
  answer := public.begin_artwork_move(path, tests.id(podcast), type);
  perform tests.act_as('postgres');
  return answer;
end $$;
create function pg_temp.target(path text, podcast text default 'show', type text default 'cover') returns text language sql as $$
  select format('podcasts/%s/images/%s/%s', tests.id(podcast), type, substring(path from '[^/]+$')) $$;
select is((select pg_temp.begin_move(who, import) from t), wanted, format('begin_artwork_move as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ola', 'PT403'), ('ana', 'ok 1')) w (who, wanted);
select is((select pg_temp.begin_move('vic', vics) from t), 'PT403', 'begin_artwork_move returns 403 to a member for an import of their own');
select is((select pg_temp.begin_move('ana', import, podcast, type) from t), wanted, format('begin_artwork_move to the %s of %s returns %s', type, podcast, wanted))
from (values ('other', 'cover', 'PT403'), ('show', 'episode_cover', 'PT400'), ('show', null, 'PT400'), ('show', 'profile', 'ok 1'), ('show', 'banner', 'PT400')) w (podcast, type, wanted);
select is((select tests.result_of('ana', format('select public.begin_artwork_move(%L, gen_random_uuid(), %L)', import, 'cover')) from t), 'PT404', 'begin_artwork_move returns 404 for an unknown podcast');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is((select pg_temp.begin_move('ana', import) from t), 'PT409', 'begin_artwork_move returns 409 for a podcast that is pending deletion');
update public.podcasts set status = 'active' where id = tests.id('show');
select is(pg_temp.begin_move('ana', path), wanted, format('begin_artwork_move of %s returns %s', what, wanted))
from t, lateral (values
  ('the import of a member', vics, 'PT403'), ('a path under an outsider', format('imports/%s/%s.png', tests.id('otto'), gen_random_uuid()), 'PT403'),
  ('an unknown key', missing, 'PT404'), ('null', null, 'PT404'), ('an empty path', '', 'PT404'), ('a folder', format('imports/%s/', tests.id('ana')), 'PT404'),
  ('a path with .. to the import of a member', format('imports/%s/../%s', tests.id('ana'), substr(vics, 9)), 'PT404'), ('a path with a leading slash', '/' || import, 'PT404'),
  ('a path in capitals', upper(import), 'PT404'), ('a path with a version', import || '?v=1', 'PT404'), ('a path with another extension', replace(import, '.jpg', '.png'), 'PT404'),
  ('a pattern', 'imports/%', 'PT404')) p (what, path, wanted);
select is(pg_temp.begun(import), jsonb_build_object('path', pg_temp.target(import), 'contentType', 'image/jpeg', 'alreadyMoved', false), 'begin_artwork_move keeps the source''s name and type') from t;

-- a move, finished
create function pg_temp.finish_move(path text, actor text default 'ana', podcast text default 'show', type text default 'cover', "to" text default null, who text default 'postgres') returns text language sql as $$
  select tests.result_of(who, format('select private.finish_artwork_move(%L, %L, %L, %L, %L)', tests.id(actor), path, tests.id(podcast), type, coalesce("to", pg_temp.target(path, podcast, type)))) $$;
select is((select pg_temp.finish_move(import, who => who) from t), '42501', format('finish_artwork_move is not executable by %s', who)) from unnest(array['anon', 'stranger', 'vic', 'ana', 'ola']) who;
select is((select pg_temp.finish_move(import) from t), 'PT500', 'finish_artwork_move returns 500 when the copy does not exist');
select pg_temp.stored(pg_temp.target(import), 999), pg_temp.stored(pg_temp.target(vics)), pg_temp.stored(pg_temp.target(missing)), pg_temp.stored(pg_temp.target(import, 'other')),
  pg_temp.stored(pg_temp.target(import, type => 'banner')), pg_temp.stored(pg_temp.target(import, 'leaving')) from t;
select is((select pg_temp.finish_move(import) from t), 'PT500', 'finish_artwork_move returns 500 for a copy of another size');
update storage.objects set metadata = '{"size": 1000}' where name = (select pg_temp.target(import) from t);
select is((select pg_temp.finish_move(import, "to" => pg_temp.target(import, type => 'banner')) from t), 'PT500', 'finish_artwork_move returns 500 for a target under another image type');
select is((select pg_temp.finish_move(import, "to" => pg_temp.target(import, 'other')) from t), 'PT500', 'finish_artwork_move returns 500 for a target under another podcast');
select is((select pg_temp.finish_move(vics) from t), 'PT404', 'finish_artwork_move returns 404 for the import of another user');
select is((select pg_temp.finish_move(missing) from t), 'PT404', 'finish_artwork_move returns 404 for an import that does not exist');
select is((select pg_temp.finish_move(vics, 'vic') from t), 'PT403', 'finish_artwork_move returns 403 to a member');
select is((select pg_temp.finish_move(import, podcast => 'other') from t), 'PT403', 'finish_artwork_move returns 403 to an outsider');
select is((select pg_temp.finish_move(import, podcast => 'leaving') from t), 'PT409', 'finish_artwork_move returns 409 for a podcast that is pending deletion');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ola');
select is((select pg_temp.finish_move(import) from t), 'PT409', 'finish_artwork_move returns 409 over the allowance of the podcast''s owner');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ola');
select results_eq('select path, released_at from private.media_objects where account_id = tests.id(''ana'')', 'select import, null::timestamptz from t', 'finish_artwork_move does not change the import when it rejects');
select results_eq($$ select pg_temp.used(who) from unnest(array['ana', 'vic', 'ola']) who $$, array[1000, 1000, 0]::bigint[], 'finish_artwork_move does not change the charges when it rejects');
select is((select cover_image_url from public.podcasts where id = tests.id('show')), null, 'finish_artwork_move does not set the cover when it rejects');
select is((select count(*) from tests.queued('storage_gc')), 0::bigint, 'finish_artwork_move queues no removal when it rejects');

select is((select pg_temp.finish_move(import, who => 'service') from t), 'ok 1', 'finish_artwork_move succeeds for the service role');
select results_eq($$ select account_id, podcast_id, usage, bytes, content_type, width, height from private.media_objects, t where path = pg_temp.target(import) and released_at is null $$,
  $$ select tests.id('ola'), tests.id('show'), 'cover', 1000::bigint, 'image/jpeg', 1400, 1400 $$, 'finish_artwork_move records the copy as the podcast''s cover');
select results_eq($$ select pg_temp.used(who) from unnest(array['ana', 'vic', 'ola']) who $$, array[0, 1000, 1000]::bigint[], 'finish_artwork_move charges the podcast''s owner instead of the importer');
select is((select split_part(cover_image_url, '?v=', 1) from public.podcasts where id = tests.id('show')), (select 'https://casts.test/storage/v1/object/public/media/' || pg_temp.target(import) from t), 'finish_artwork_move sets cover_image_url');
select results_eq($$ select message -> 'paths' from tests.queued('storage_gc') message $$, 'select jsonb_build_array(import) from t', 'finish_artwork_move queues the source for removal');
select results_eq($$ select done - 'publicUrl' from t, private.finish_artwork_move(tests.id('ana'), import, tests.id('show'), 'cover', pg_temp.target(import)) done $$,
  $$ select jsonb_build_object('path', pg_temp.target(import), 'deletablePaths', jsonb_build_array(import)) from t $$, 'finish_artwork_move returns path and deletable paths when it is repeated');
select results_eq($$ select pg_temp.used(who) from unnest(array['ana', 'ola']) who $$, array[0, 1000]::bigint[], 'finish_artwork_move charges once when it is repeated');
select is(pg_temp.begun(import) - 'publicUrl', jsonb_build_object('path', pg_temp.target(import), 'alreadyMoved', true), 'begin_artwork_move returns alreadyMoved after the move') from t;
select is((select pg_temp.begin_move('ana', import, type => 'profile') from t), 'PT404', 'begin_artwork_move returns 404 for a moved import and another image type');
select is(pg_temp.begin_move('ana', path), 'PT404', 'begin_artwork_move returns 404 for a path that is not an import') from t, unnest(array[pg_temp.target(import), replace(import, 'imports', 'x')]) path;
select is((select pg_temp.begin_move('ola', import) from t), 'PT403', 'begin_artwork_move returns 403 to another admin for a moved import');
select pg_temp.stored(pg_temp.target(import, type => 'profile')) from t;
select is((select pg_temp.finish_move(import, type => 'profile') from t), 'PT404', 'finish_artwork_move returns 404 for a second move that began before the first finished');
select is((select private.claim_orphaned_objects('media', array[import, pg_temp.target(import)]) from t), (select array[import] from t), 'claim_orphaned_objects returns the source of a move and not its copy');
select is(pg_temp.begun(import) ->> 'alreadyMoved', 'true', 'begin_artwork_move returns alreadyMoved after the source was collected') from t;
select is((select pg_temp.finish_move(import) from t), 'PT404', 'finish_artwork_move returns 404 after the source was collected');
update public.podcasts set cover_image_url = null where id = tests.id('show');
select is((select pg_temp.begin_move('ana', import) from t), 'PT404', 'begin_artwork_move returns 404 after the podcast dropped the moved cover');

-- the sweep: temporary imports, after temporary_object_ttl_hours
select tests.empty_queue('storage_gc');
create function pg_temp.imported(who text, age interval) returns text language plpgsql as $$
declare made text := pg_temp.stored(pg_temp.key(who));
begin
  perform private.finish_artwork_import(tests.id(who), made, 1000, 'image/jpeg', pg_temp.square());
  update private.media_objects set created_at = now() - age where path = made;
  return made;
end $$;
create temp table aged as select pg_temp.imported('ana', '24 hours 1 minute') as old, pg_temp.imported('ana', '23 hours 59 minutes') as young, pg_temp.imported('ana', '3 days') as moved;
select pg_temp.stored(pg_temp.target(moved, type => 'profile')), pg_temp.finish_move(moved, type => 'profile') from aged;
update private.media_objects set created_at = now() - interval '3 days' where path = (select pg_temp.target(moved, type => 'profile') from aged);
select is(pg_temp.used('ana'), 2000::bigint, 'temporary imports are charged until they are moved or swept');
select tests.empty_queue('storage_gc');
select is(private.sweep_storage(now()), 1, 'sweep_storage queues one import older than a day');
select results_eq($$ select message -> 'paths' from tests.queued('storage_gc') message $$, 'select jsonb_build_array(old) from aged', 'sweep_storage does not queue a younger or a moved import');
select is(pg_temp.used('ana'), 1000::bigint, 'sweep_storage returns the bytes of a swept import to its user');
select is((select pg_temp.begin_move('ana', old) from aged), 'PT404', 'begin_artwork_move returns 404 for a swept import');
select pg_temp.stored(pg_temp.target(old, type => 'profile')) from aged;
select is((select pg_temp.finish_move(old, type => 'profile') from aged), 'PT404', 'finish_artwork_move returns 404 for a swept import');
select is((select pg_temp.begin_move('ana', young) from aged), 'ok 1', 'begin_artwork_move succeeds for an import younger than a day');
select is((select private.claim_orphaned_objects('media', array[old, young, pg_temp.target(moved, type => 'profile')]) from aged), (select array[old] from aged), 'claim_orphaned_objects does not return a younger or a moved import');
select is(private.sweep_storage(now() + interval '2 minutes'), 1, 'sweep_storage queues the younger import when it is a day old');

-- imports of a deleted user
select tests.person('gone');
create temp table gone as select pg_temp.imported('gone', '1 hour') as one, pg_temp.imported('gone', '2 hours') as two;
select tests.empty_queue('storage_gc');
select lives_ok($$ delete from auth.users where id = tests.id('gone') $$, 'a user with imports can be deleted');
select is((select count(*) from public.profiles where id = tests.id('gone')), 0::bigint, 'a deleted user''s profile is deleted');
select set_eq($$ select path from tests.queued('storage_gc') m, jsonb_array_elements_text(m -> 'paths') path $$, 'select unnest(array[one, two]) from gone', 'a deleted user''s imports are queued for removal');
select is((select private.claim_orphaned_objects('media', array[one, two]) from gone), (select array[one, two] from gone), 'claim_orphaned_objects returns the imports of a deleted user');

select * from tests.finish();
rollback;
