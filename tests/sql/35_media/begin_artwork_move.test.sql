-- begin_artwork_move: the callers, then the source; before and after the move.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'),
  tests.person('stranger');
select tests.podcast('other', 'otto'), tests.podcast('leaving', 'ola');
update public.podcasts set status = 'pending_deletion' where id = tests.id('leaving');

create function pg_temp.square(size int default 1400, type text default 'image/jpeg') returns jsonb language sql as $$
  select jsonb_build_object('type', type, 'width', size, 'height', size) $$;
create function pg_temp.stored(path text, bytes int default 1000) returns text language sql as $$
  insert into storage.objects (bucket_id, name, metadata)
    values ('media', path, jsonb_build_object('size', bytes)) returning name $$;
create function pg_temp.key(who text) returns text language sql volatile as $$
  select format('imports/%s/%s.jpg', tests.id(who), gen_random_uuid()) $$;
create function pg_temp.imported(who text) returns text language plpgsql as $$
declare
  made text := pg_temp.stored(pg_temp.key(who));
begin
  perform private.finish_artwork_import(tests.id(who), made, 1000, 'image/jpeg', pg_temp.square());
  return made;
end $$;
create temp table t as
  select pg_temp.imported('ana') as import, pg_temp.key('ana') as missing, pg_temp.imported('vic') as vics;

create function pg_temp.begin_move(who text, path text, podcast text default 'show', type text default 'cover')
  returns text language sql as $$
  select tests.result_of(who, format('select public.begin_artwork_move(%L, tests.id(%L), %L)', path, podcast, type)) $$;
create function pg_temp.begun(path text, podcast text default 'show', type text default 'cover') returns jsonb
  language plpgsql as $$
declare answer jsonb;
begin
  perform tests.act_as('ana');
  answer := public.begin_artwork_move(path, tests.id(podcast), type);
  perform tests.act_as('postgres');
  return answer;
end $$;
create function pg_temp.target(path text, podcast text default 'show', type text default 'cover') returns text
  language sql as $$
  select format('podcasts/%s/images/%s/%s', tests.id(podcast), type, substring(path from '[^/]+$')) $$;
select is((select pg_temp.begin_move(who, import) from t), wanted,
  format('begin_artwork_move as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'),
  ('ola', 'PT403'), ('ana', 'ok 1')) w (who, wanted);
select is((select pg_temp.begin_move('vic', vics) from t), 'PT403',
  'begin_artwork_move returns 403 to a member for an import of their own');
select is((select pg_temp.begin_move('ana', import, podcast, type) from t), wanted,
  format('begin_artwork_move to the %s of %s returns %s', type, podcast, wanted))
from (values ('other', 'cover', 'PT403'), ('show', 'episode_cover', 'PT400'), ('show', null, 'PT400'),
  ('show', 'profile', 'ok 1'), ('show', 'banner', 'PT400')) w (podcast, type, wanted);
select is((select tests.result_of('ana',
  format('select public.begin_artwork_move(%L, gen_random_uuid(), %L)', import, 'cover')) from t), 'PT404',
  'begin_artwork_move returns 404 for an unknown podcast');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is((select pg_temp.begin_move('ana', import) from t), 'PT409',
  'begin_artwork_move returns 409 for a podcast that is pending deletion');
update public.podcasts set status = 'active' where id = tests.id('show');
select is(pg_temp.begin_move('ana', path), wanted, format('begin_artwork_move of %s returns %s', what, wanted))
from t, lateral (values
  ('the import of a member', vics, 'PT403'),
  ('a path under an outsider', format('imports/%s/%s.png', tests.id('otto'), gen_random_uuid()), 'PT403'),
  ('an unknown key', missing, 'PT404'), ('null', null, 'PT404'), ('an empty path', '', 'PT404'),
  ('a folder', format('imports/%s/', tests.id('ana')), 'PT404'),
  ('a path with .. to the import of a member', format('imports/%s/../%s', tests.id('ana'), substr(vics, 9)), 'PT404'),
  ('a path with a leading slash', '/' || import, 'PT404'),
  ('a path in capitals', upper(import), 'PT404'), ('a path with a version', import || '?v=1', 'PT404'),
  ('a path with another extension', replace(import, '.jpg', '.png'), 'PT404'),
  ('a pattern', 'imports/%', 'PT404')) p (what, path, wanted);
select is(pg_temp.begun(import), jsonb_build_object('path', pg_temp.target(import), 'contentType', 'image/jpeg',
  'alreadyMoved', false), 'begin_artwork_move keeps the source''s name and type') from t;

-- after the move
select pg_temp.stored(pg_temp.target(import)) from t;
select private.finish_artwork_move(tests.id('ana'), import, tests.id('show'), 'cover',
  pg_temp.target(import)) is not null
from t;
select is(pg_temp.begun(import) - 'publicUrl', jsonb_build_object('path', pg_temp.target(import), 'alreadyMoved', true),
  'begin_artwork_move returns alreadyMoved after the move') from t;
select is((select pg_temp.begin_move('ana', import, type => 'profile') from t), 'PT404',
  'begin_artwork_move returns 404 for a moved import and another image type');
select is(pg_temp.begin_move('ana', path), 'PT404', 'begin_artwork_move returns 404 for a path that is not an import')
from t, unnest(array[pg_temp.target(import), replace(import, 'imports', 'x')]) path;
select is((select pg_temp.begin_move('ola', import) from t), 'PT403',
  'begin_artwork_move returns 403 to another admin for a moved import');
select private.claim_orphaned_objects('media', array[import]) is not null from t;
select is(pg_temp.begun(import) ->> 'alreadyMoved', 'true',
  'begin_artwork_move returns alreadyMoved after the source was collected') from t;
update public.podcasts set cover_image_url = null where id = tests.id('show');
select is((select pg_temp.begin_move('ana', import) from t), 'PT404',
  'begin_artwork_move returns 404 after the podcast dropped the moved cover');

select * from tests.finish();
rollback;
