-- begin_artwork_move: the callers, then the source; before and after the move.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.podcast('other', 'otto'), tests.podcast('leaving', 'ola'), tests.set_status('leaving', 'pending_deletion');

create temp table t as
  select tests.import_artwork('ana') as import, tests.artwork_path('ana') as missing,
    tests.import_artwork('vic') as vics;

create function pg_temp.begin_move(path text, podcast text default 'show', type text default 'cover') returns jsonb
  language plpgsql as $$
declare response jsonb;
begin
  perform tests.act_as('ana');
  response := public.begin_artwork_move(path, tests.id(podcast), type);
  perform tests.act_as('postgres');
  return response;
end $$;
select is((select tests.begin_artwork_move(who, import) from t), wanted,
  format('begin_artwork_move as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'),
  ('ola', 'PT403'), ('ana', 'ok 1')) w (who, wanted);
select is((select tests.begin_artwork_move('vic', vics) from t), 'PT403',
  'begin_artwork_move returns 403 to a member for an import of their own');
select is((select tests.begin_artwork_move('ana', import, podcast, type) from t), wanted,
  format('begin_artwork_move to the %s of %s returns %s', type, podcast, wanted))
from (values ('other', 'cover', 'PT403'), ('show', 'episode_cover', 'PT400'), ('show', null, 'PT400'),
  ('show', 'profile', 'ok 1'), ('show', 'banner', 'PT400')) w (podcast, type, wanted);
select is((select tests.result_of('ana',
  format('select public.begin_artwork_move(%L, gen_random_uuid(), %L)', import, 'cover')) from t), 'PT404',
  'begin_artwork_move returns 404 for an unknown podcast');
select tests.set_status('show', 'pending_deletion');
select is((select tests.begin_artwork_move('ana', import) from t), 'PT409',
  'begin_artwork_move returns 409 for a podcast that is pending deletion');
select tests.set_status('show', 'active');
select is(tests.begin_artwork_move('ana', path), wanted, format('begin_artwork_move of %s returns %s', what, wanted))
from t, lateral (values
  ('the import of a member', vics, 'PT403'),
  ('a path under a non-member', format('imports/%s/%s.png', tests.id('otto'), gen_random_uuid()), 'PT403'),
  ('an unknown key', missing, 'PT404'), ('null', null, 'PT404'), ('an empty path', '', 'PT404'),
  ('a folder', format('imports/%s/', tests.id('ana')), 'PT404'),
  ('a path with .. to the import of a member', format('imports/%s/../%s', tests.id('ana'), substr(vics, 9)), 'PT404'),
  ('a path with a leading slash', '/' || import, 'PT404'),
  ('a path in capitals', upper(import), 'PT404'), ('a path with a version', import || '?v=1', 'PT404'),
  ('a path with another extension', replace(import, '.jpg', '.png'), 'PT404'),
  ('a pattern', 'imports/%', 'PT404')) p (what, path, wanted);
select is(pg_temp.begin_move(import), jsonb_build_object('path', tests.moved_artwork_path(import),
  'contentType', 'image/jpeg', 'alreadyMoved', false), 'begin_artwork_move keeps the source''s name and type') from t;

-- after the move
select tests.store_object(tests.moved_artwork_path(import)) from t;
select private.finish_artwork_move(tests.id('ana'), import, tests.id('show'), 'cover',
  tests.moved_artwork_path(import)) is not null
from t;
select is(pg_temp.begin_move(import) - 'publicUrl', jsonb_build_object('path', tests.moved_artwork_path(import),
  'alreadyMoved', true), 'begin_artwork_move returns alreadyMoved after the move') from t;
select is((select tests.begin_artwork_move('ana', import, type => 'profile') from t), 'PT404',
  'begin_artwork_move returns 404 for a moved import and another image type');
select is(tests.begin_artwork_move('ana', path), 'PT404',
  'begin_artwork_move returns 404 for a path that is not an import')
from t, unnest(array[tests.moved_artwork_path(import), replace(import, 'imports', 'x')]) path;
select is((select tests.begin_artwork_move('ola', import) from t), 'PT403',
  'begin_artwork_move returns 403 to another admin for a moved import');
select private.claim_orphaned_objects('media', array[import]) is not null from t;
select is(pg_temp.begin_move(import) ->> 'alreadyMoved', 'true',
  'begin_artwork_move returns alreadyMoved after the source was deleted') from t;
update public.podcasts set cover_image_url = null where id = tests.id('show');
select is((select tests.begin_artwork_move('ana', import) from t), 'PT404',
  'begin_artwork_move returns 404 after the podcast dropped the moved cover');

select * from tests.finish();
rollback;
