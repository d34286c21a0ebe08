-- Removals of objects whose upload failed: while one is under way, no upload finishes with that object.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.episode('pilot', 'show');
select is_empty($$
  select p.proname, who from pg_proc p, unnest(array['anon', 'authenticated']) who
  where p.pronamespace = 'private'::regnamespace
    and p.proname in ('begin_object_removal', 'end_object_removal', 'lock_object', 'lock_object_for_finish')
   and has_function_privilege(who, p.oid, 'EXECUTE') $$, 'object removal functions are not executable by clients');

create function pg_temp.begin_removal(path text, seconds int default 30) returns uuid language sql as $$
  select private.begin_object_removal(path, seconds) $$;
create temp table objects as select name,
  private.image_path(tests.id('show'), 'cover', null, gen_random_uuid(), 'image/png') as path
  from unnest(array['first', 'second', 'third', 'never stored']) name;
insert into storage.objects (bucket_id, name, metadata) select 'media', o.path,
  '{"size": 700}' from objects o where o.name <> 'never stored';
create function pg_temp.path_of(name text) returns text language sql as $$
  select o.path from objects o where o.name = path_of.name $$;
create function pg_temp.finish(name text) returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_image_upload(%L, %L, %L, %L, 700, %L, %L)',
    tests.id('ana'), tests.id('show'), 'cover', pg_temp.path_of(name), 'image/png', '{"width": 1400, "height": 1400}'))
$$;

create temp table removals as select 'a' as name, pg_temp.begin_removal(pg_temp.path_of('first')) as id;
insert into removals values ('b', pg_temp.begin_removal(pg_temp.path_of('first')));
select is(pg_temp.finish('first'), 'PT503', 'finish_image_upload returns 503 while its object is being removed');
select is((select count(*) from private.media_objects m where m.path = pg_temp.path_of('first')), 0::bigint,
  'finish_image_upload records nothing while its object is being removed');
select is(pg_temp.finish('second'), 'ok 1', 'finish_image_upload succeeds while another object is being removed');
select private.end_object_removal(id) from removals where name = 'a';
select is(pg_temp.finish('first'), 'PT503', 'finish_image_upload returns 503 until the last of two removals has ended');
select private.end_object_removal(id) from removals where name = 'b';
select is(pg_temp.finish('first'), 'ok 1',
  'finish_image_upload succeeds after the removal, when the object is stored again');
select is(pg_temp.begin_removal(pg_temp.path_of('first')), null,
  'begin_object_removal returns null for an object that is in use');
select is((select count(*) from private.object_removals), 0::bigint,
  'begin_object_removal records nothing for an object that is in use');

select pg_temp.begin_removal(pg_temp.path_of('third'), 0);
select is(pg_temp.finish('third'), 'ok 1', 'finish_image_upload succeeds after an unfinished removal has expired');
select pg_temp.begin_removal(pg_temp.path_of('never stored'));
select is((select array_agg(r.path) from private.object_removals r), array[pg_temp.path_of('never stored')],
  'begin_object_removal deletes expired removals');

-- Every way to finish takes the same lock first
create temp table ways (way text, statement text);
insert into ways values
  ('finish_audio_upload',
    $$select private.finish_audio_upload(gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), %L, 1, 'audio/mpeg',
    1, null)$$),
  ('finish_artwork_import', $$select private.finish_artwork_import(gen_random_uuid(), %L, 1, 'image/png', '{}')$$),
  ('finish_artwork_move',
    $$select private.finish_artwork_move(gen_random_uuid(), 'imports/a', gen_random_uuid(), 'cover', %L)$$),
  ('finish_import_item, audio', $$select private.finish_import_item(gen_random_uuid(), %L, 1, 'audio/mpeg', 1)$$),
  ('finish_import_item, cover',
    $$select private.finish_import_item(gen_random_uuid(), 'other', 1, 'audio/mpeg', 1,
    jsonb_build_object('path', %L))$$);
select is(tests.result_of('postgres', format(statement, pg_temp.path_of('never stored'))), 'PT503',
  way || ' returns 503 while its object is being removed') from ways;

select * from tests.finish();
rollback;
