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
select is(tests.result_of(who, $$ select public.authorize_artwork_import('cover', tests.id('show')) $$), wanted, format('prepare for a podcast as %s is %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of(who, $$ select public.authorize_artwork_import() $$), wanted, format('prepare without one as %s is %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'ok 1'), ('vic', 'ok 1'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of('ola', format('select public.authorize_artwork_import(%s)', args)), wanted, format('prepare %s is %s', args, wanted))
from (values
  ($$'cover', gen_random_uuid()$$, 'PT404'), ($$'cover', tests.id('other')$$, 'PT403'), ($$'cover', tests.id('leaving')$$, 'PT409'),
  ($$'header'$$, 'ok 1'), ($$'banner'$$, 'ok 1'), ($$'profile'$$, 'ok 1'), ($$null$$, 'PT400'),
  ($$'episode_cover'$$, 'PT400'), ($$'Cover'$$, 'PT400'), ($$'artwork', tests.id('show')$$, 'PT400')) c (args, wanted);
select tests.act_as('stranger');
select is(public.authorize_artwork_import(), '{"maxBytes": 5242880, "formats": ["image/jpeg", "image/png"]}', 'what may be fetched for a cover');
select is(public.authorize_artwork_import('profile'), '{"maxBytes": 2097152, "formats": ["image/jpeg", "image/png", "image/webp"]}', 'and for a profile');
select tests.act_as('postgres');
delete from private.rate_limits;
select private.set_setting('max_artwork_imports_per_hour', '1');
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'ok 1', 'the first import of an hour');
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'PT429', 'so many in an hour');
select is(tests.result_of('ana', 'select public.authorize_artwork_import()'), 'ok 1', 'of each person''s own');
update private.rate_limits set window_started_at = window_started_at - interval '1 hour';
select is(tests.result_of('stranger', 'select public.authorize_artwork_import()'), 'ok 1', 'then the next hour begins');
select private.set_setting('max_artwork_imports_per_hour', null);
select tests.act_as('stranger');
select tests.act_as('postgres');

-- begin: the same people, and what came
select is(tests.result_of(who, $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square(), 'cover', tests.id('show')) $$), wanted, format('begin for a podcast as %s is %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of(who, $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square()) $$), wanted, format('begin without one as %s is %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'ok 1'), ('vic', 'ok 1'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of('ola', format('select public.begin_artwork_import(%s)', args)), wanted, format('begin %s is %s', args, wanted))
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
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square()) $$), 'PT409', 'over the caller''s allowance: 409');
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 999, pg_temp.square()) $$), 'ok 1', 'up to it: fine');
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square(), 'cover', tests.id('show')) $$), 'ok 1', 'with a podcast the caller''s does not count');
update public.billing_accounts set storage_bytes_used = case when user_id = tests.id('ola') then 1073741824 else 0 end;
select is(tests.result_of('ana', $$ select public.begin_artwork_import('image/jpeg', 1000, pg_temp.square(), 'cover', tests.id('show')) $$), 'PT409', 'but its owner''s');
update public.billing_accounts set storage_bytes_used = 0;
select tests.act_as('ana');
select matches(public.begin_artwork_import('image/jpeg', 1000, pg_temp.square()) ->> 'path', format('^imports/%s/[0-9a-f-]{36}\.jpg$', tests.id('ana')), 'an import''s key lies under its user');
select matches(public.begin_artwork_import('image/png', 1000, pg_temp.square(1400, 'image/png'), 'profile', tests.id('show')) ->> 'path',
  format('^podcasts/%s/images/profile/[0-9a-f-]{36}\.png$', tests.id('show')), 'with a podcast, under that');
select tests.act_as('postgres');

-- finish: an entry in the ledger
create function pg_temp.stored(path text, bytes int default 1000) returns text language sql as $$
  insert into storage.objects (bucket_id, name, metadata) values ('media', path, jsonb_build_object('size', bytes)) returning name $$;
create function pg_temp.key(who text) returns text language sql volatile as $$
  select format('imports/%s/%s.jpg', tests.id(who), gen_random_uuid()) $$;
create function pg_temp.finish(path text, bytes int default 1000, actor text default 'ana', who text default 'postgres') returns text language sql as $$
  select tests.result_of(who, format('select private.finish_artwork_import(%L, %L, %s, %L, %L)', tests.id(actor), path, bytes, 'image/jpeg', pg_temp.square())) $$;
create temp table t as select pg_temp.stored(pg_temp.key('ana')) as import, pg_temp.key('ana') as missing, pg_temp.stored(pg_temp.key('vic')) as vics;
select is((select pg_temp.finish(import, who => who) from t), '42501', format('%s cannot finish an import', who)) from unnest(array['anon', 'stranger', 'vic', 'ana', 'ola']) who;
select is((select pg_temp.finish(missing) from t), 'PT500', 'what is not stored does not finish');
select is((select pg_temp.finish(import, 999) from t), 'PT500', 'nor what has another size');
select is((select pg_temp.finish(vics) from t), 'PT500', 'nor what lies under someone else');
select is(pg_temp.finish(pg_temp.stored(format('podcasts/%s/images/cover/a.jpg', tests.id('show')))), 'PT500', 'nor what lies under a podcast');
select is((select count(*) from private.media_objects), 0::bigint, 'and nothing is known of any of it');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ana');
select is((select pg_temp.finish(import) from t), 'PT409', 'over the allowance it is a 409 here too');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ana');
select is((select pg_temp.finish(import, who => 'service') from t), 'ok 1', 'the service finishes');
select results_eq('select account_id, podcast_id, episode_id, usage, bytes, content_type, width, height, released_at from private.media_objects',
  $$ select tests.id('ana'), null::uuid, null::uuid, 'temporary', 1000::bigint, 'image/jpeg', 1400, 1400, null::timestamptz $$, 'the import is its user''s, and temporary');
select results_eq($$ select done - 'publicUrl', split_part(done ->> 'publicUrl', '?v=', 1) from t, private.finish_artwork_import(tests.id('ana'), import, 1000, 'image/jpeg', pg_temp.square()) done $$,
  $$ select jsonb_build_object('path', import), 'https://casts.test/storage/v1/object/public/media/' || import from t $$, 'again: where it is');
select is(pg_temp.used('ana'), 1000::bigint, 'and it is charged once');
select is((select pg_temp.finish(vics, actor => 'vic') from t), 'ok 1', 'a member may have imports of their own');

-- a move, begun: who, and what
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
select is((select pg_temp.begin_move(who, import) from t), wanted, format('move as %s is %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ola', 'PT403'), ('ana', 'ok 1')) w (who, wanted);
select is((select pg_temp.begin_move('vic', vics) from t), 'PT403', 'a member cannot move their own import either');
select is((select pg_temp.begin_move('ana', import, podcast, type) from t), wanted, format('move to the %s of %s is %s', type, podcast, wanted))
from (values ('other', 'cover', 'PT403'), ('show', 'episode_cover', 'PT400'), ('show', null, 'PT400'), ('show', 'profile', 'ok 1'), ('show', 'banner', 'PT400')) w (podcast, type, wanted);
select is((select tests.result_of('ana', format('select public.begin_artwork_move(%L, gen_random_uuid(), %L)', import, 'cover')) from t), 'PT404', 'to no podcast: 404');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is((select pg_temp.begin_move('ana', import) from t), 'PT409', 'to one on its way out: 409');
update public.podcasts set status = 'active' where id = tests.id('show');
select is(pg_temp.begin_move('ana', path), wanted, format('move of %s is %s', what, wanted))
from t, lateral (values
  ('a member''s import', vics, 'PT403'), ('what an outsider may have', format('imports/%s/%s.png', tests.id('otto'), gen_random_uuid()), 'PT403'),
  ('an unknown key', missing, 'PT404'), ('null', null, 'PT404'), ('nothing', '', 'PT404'), ('a folder', format('imports/%s/', tests.id('ana')), 'PT404'),
  ('a way around to a member''s', format('imports/%s/../%s', tests.id('ana'), substr(vics, 9)), 'PT404'), ('a rooted key', '/' || import, 'PT404'),
  ('capitals', upper(import), 'PT404'), ('a version', import || '?v=1', 'PT404'), ('another extension', replace(import, '.jpg', '.png'), 'PT404'),
  ('a pattern', 'imports/%', 'PT404')) p (what, path, wanted);
select is(pg_temp.begun(import), jsonb_build_object('path', pg_temp.target(import), 'contentType', 'image/jpeg', 'alreadyMoved', false), 'the source keeps its name and its type') from t;

-- and finished
create function pg_temp.finish_move(path text, actor text default 'ana', podcast text default 'show', type text default 'cover', "to" text default null, who text default 'postgres') returns text language sql as $$
  select tests.result_of(who, format('select private.finish_artwork_move(%L, %L, %L, %L, %L)', tests.id(actor), path, tests.id(podcast), type, coalesce("to", pg_temp.target(path, podcast, type)))) $$;
select is((select pg_temp.finish_move(import, who => who) from t), '42501', format('%s cannot finish a move', who)) from unnest(array['anon', 'stranger', 'vic', 'ana', 'ola']) who;
select is((select pg_temp.finish_move(import) from t), 'PT500', 'without its copy it does not finish');
select pg_temp.stored(pg_temp.target(import), 999), pg_temp.stored(pg_temp.target(vics)), pg_temp.stored(pg_temp.target(missing)), pg_temp.stored(pg_temp.target(import, 'other')),
  pg_temp.stored(pg_temp.target(import, type => 'banner')), pg_temp.stored(pg_temp.target(import, 'leaving')) from t;
select is((select pg_temp.finish_move(import) from t), 'PT500', 'nor with a copy of another size');
update storage.objects set metadata = '{"size": 1000}' where name = (select pg_temp.target(import) from t);
select is((select pg_temp.finish_move(import, "to" => pg_temp.target(import, type => 'banner')) from t), 'PT500', 'nor to where images of another type are');
select is((select pg_temp.finish_move(import, "to" => pg_temp.target(import, 'other')) from t), 'PT500', 'nor to where another podcast''s are');
select is((select pg_temp.finish_move(vics) from t), 'PT404', 'nor with someone else''s import');
select is((select pg_temp.finish_move(missing) from t), 'PT404', 'nor with one that is not there');
select is((select pg_temp.finish_move(vics, 'vic') from t), 'PT403', 'nor for a member');
select is((select pg_temp.finish_move(import, podcast => 'other') from t), 'PT403', 'nor for an outsider');
select is((select pg_temp.finish_move(import, podcast => 'leaving') from t), 'PT409', 'nor to a podcast on its way out');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ola');
select is((select pg_temp.finish_move(import) from t), 'PT409', 'nor over the allowance of the podcast''s owner');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ola');
select results_eq('select path, released_at from private.media_objects where account_id = tests.id(''ana'')', 'select import, null::timestamptz from t', 'after each of these the import is what it was');
select results_eq($$ select pg_temp.used(who) from unnest(array['ana', 'vic', 'ola']) who $$, array[1000, 1000, 0]::bigint[], 'and charged to whom it was');
select is((select cover_image_url from public.podcasts where id = tests.id('show')), null, 'and the podcast has no cover');
select is((select count(*) from tests.queued('storage_gc')), 0::bigint, 'and nothing is collected');

select is((select pg_temp.finish_move(import, who => 'service') from t), 'ok 1', 'the service finishes');
select results_eq($$ select account_id, podcast_id, usage, bytes, content_type, width, height from private.media_objects, t where path = pg_temp.target(import) and released_at is null $$,
  $$ select tests.id('ola'), tests.id('show'), 'cover', 1000::bigint, 'image/jpeg', 1400, 1400 $$, 'it is the podcast''s, with its size');
select results_eq($$ select pg_temp.used(who) from unnest(array['ana', 'vic', 'ola']) who $$, array[0, 1000, 1000]::bigint[], 'and its owner''s to pay');
select is((select split_part(cover_image_url, '?v=', 1) from public.podcasts where id = tests.id('show')), (select 'https://casts.test/storage/v1/object/public/media/' || pg_temp.target(import) from t), 'the column names it');
select results_eq($$ select message -> 'paths' from tests.queued('storage_gc') message $$, 'select jsonb_build_array(import) from t', 'the source goes to the collector');
select results_eq($$ select done - 'publicUrl' from t, private.finish_artwork_move(tests.id('ana'), import, tests.id('show'), 'cover', pg_temp.target(import)) done $$,
  $$ select jsonb_build_object('path', pg_temp.target(import), 'deletablePaths', jsonb_build_array(import)) from t $$, 'again: the same, and what is to go at once');
select results_eq($$ select pg_temp.used(who) from unnest(array['ana', 'ola']) who $$, array[0, 1000]::bigint[], 'and nothing is charged twice');
select is(pg_temp.begun(import) - 'publicUrl', jsonb_build_object('path', pg_temp.target(import), 'alreadyMoved', true), 'begun again: it is moved') from t;
select is((select pg_temp.begin_move('ana', import, type => 'profile') from t), 'PT404', 'to another place: it is gone');
select is(pg_temp.begin_move('ana', path), 'PT404', 'the podcast''s own image is no import, nor is what only ends in its name') from t, unnest(array[pg_temp.target(import), replace(import, 'imports', 'x')]) path;
select is((select pg_temp.begin_move('ola', import) from t), 'PT403', 'nor is it anyone else''s now');
select pg_temp.stored(pg_temp.target(import, type => 'profile')) from t;
select is((select pg_temp.finish_move(import, type => 'profile') from t), 'PT404', 'a second move that had begun before finishes with 404');
select is((select private.claim_orphaned_objects('media', array[import, pg_temp.target(import)]) from t), (select array[import] from t), 'the collector takes the source alone');
select is(pg_temp.begun(import) ->> 'alreadyMoved', 'true', 'after that too it is moved') from t;
select is((select pg_temp.finish_move(import) from t), 'PT404', 'and cannot be finished any more');
update public.podcasts set cover_image_url = null where id = tests.id('show');
select is((select pg_temp.begin_move('ana', import) from t), 'PT404', 'once the podcast has let it go, it is gone');

-- the sweep: a day for what is temporary, and only for that
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
select is(pg_temp.used('ana'), 2000::bigint, 'two imports wait');
select tests.empty_queue('storage_gc');
select is(private.sweep_storage(now()), 1, 'one of them too long');
select results_eq($$ select message -> 'paths' from tests.queued('storage_gc') message $$, 'select jsonb_build_array(old) from aged', 'it is swept; the younger and the moved one are not');
select is(pg_temp.used('ana'), 1000::bigint, 'and charged no more');
select is((select pg_temp.begin_move('ana', old) from aged), 'PT404', 'it cannot be moved');
select pg_temp.stored(pg_temp.target(old, type => 'profile')) from aged;
select is((select pg_temp.finish_move(old, type => 'profile') from aged), 'PT404', 'nor finished, had it begun to');
select is((select pg_temp.begin_move('ana', young) from aged), 'ok 1', 'the younger one can be');
select is((select private.claim_orphaned_objects('media', array[old, young, pg_temp.target(moved, type => 'profile')]) from aged), (select array[old] from aged), 'and the collector leaves it, and the moved one');
select is(private.sweep_storage(now() + interval '2 minutes'), 1, 'two minutes later it is its turn');

-- who goes takes their imports along
select tests.person('gone');
create temp table gone as select pg_temp.imported('gone', '1 hour') as one, pg_temp.imported('gone', '2 hours') as two;
select tests.empty_queue('storage_gc');
select lives_ok($$ delete from auth.users where id = tests.id('gone') $$, 'a user with imports may go');
select is((select count(*) from public.profiles where id = tests.id('gone')), 0::bigint, 'with the profile');
select set_eq($$ select path from tests.queued('storage_gc') m, jsonb_array_elements_text(m -> 'paths') path $$, 'select unnest(array[one, two]) from gone', 'and the imports go to the collector');
select is((select private.claim_orphaned_objects('media', array[one, two]) from gone), (select array[one, two] from gone), 'which takes them');

select * from tests.finish();
rollback;
