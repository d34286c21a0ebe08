-- stored_objects and stored_size: the current version of each object, also where storage keeps others.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.podcast('other', 'otto'), tests.episode('pilot', 'show');
-- Replaces an object in a bucket that keeps versions: the current row becomes an older version.
create function pg_temp.replace_object(path text, bytes bigint, bucket text default 'media') returns void
language sql as $$
  update storage.objects set archived_at = clock_timestamp(), is_versioned = true, version = gen_random_uuid()::text
    where bucket_id = replace_object.bucket and name = replace_object.path and archived_at is null;
  insert into storage.objects (bucket_id, name, metadata, is_versioned, version) values (replace_object.bucket,
    replace_object.path, jsonb_build_object('size', replace_object.bytes), true, gen_random_uuid()::text)
$$;
-- Deletes one there: a delete marker becomes the current row.
create function pg_temp.delete_object(path text, bucket text default 'media') returns void language sql as $$
  select pg_temp.replace_object(path, 0, bucket);
  update storage.objects set metadata = null, is_delete_marker = true
    where bucket_id = delete_object.bucket and name = delete_object.path and archived_at is null
$$;

select tests.store_object('a/kept'), tests.store_object('a/replaced', 1), tests.store_object('a/deleted', 2),
  tests.store_object('a/restored', 3), tests.store_object('a'), tests.store_object('a0'), tests.store_object('ab/c'),
  tests.store_object('a/staged', 7, 'staging');
select is(private.stored_size('a/kept'), 1000::bigint, 'stored_size returns the bytes of an object without versions');
select pg_temp.replace_object('a/replaced', bytes) from (values (20), (10)) v (bytes);
select pg_temp.delete_object('a/deleted'), pg_temp.delete_object('a/restored'),
  pg_temp.replace_object('a/restored', 30);
select is(private.stored_size(path), bytes,
  format('stored_size returns %s for %s', coalesce(bytes::text, 'null'), path))
from (values ('a/replaced', 10::bigint), ('a/deleted', null), ('a/restored', 30), ('a/staged', null), ('a/none', null))
  v (path, bytes);
select is(private.stored_size('a/staged', 'staging'), 7::bigint, 'stored_size reads the bucket that it is told');

select results_eq($$ select name, bytes from private.stored_objects('media', 'a') $$,
  $$ values ('a/kept', 1000::bigint), ('a/replaced', 10), ('a/restored', 30) $$,
  'stored_objects returns the current version of each object of a folder, without deleted objects');
select results_eq($$ select name from private.stored_objects('media') $$,
  array['a', 'a/kept', 'a/replaced', 'a/restored', 'a0', 'ab/c'],
  'stored_objects returns the current objects of a bucket in the order of their names');

-- a folder is read from the index, also with the plan that serves all folders
insert into storage.objects (bucket_id, name) select 'media', format('many/%s/%s', n % 100, n)
  from generate_series(1, 5000) n;
analyze storage.objects;
create function pg_temp.rows_read() returns bigint language sql as $$
  select seq_tup_read + idx_tup_fetch from pg_stat_xact_all_tables where relid = 'storage.objects'::regclass
$$;
create temp table reads as select pg_temp.rows_read() as before;
do $$
begin
  for folder in 0 .. 19 loop
    perform from private.stored_objects('media', 'many/' || folder);
  end loop;
end $$;
select cmp_ok(pg_temp.rows_read() - before, '<=', 1000::bigint, 'stored_objects reads the rows of the folder only')
from reads;
select set_config('storage.allow_delete_query', 'true', true);
delete from storage.objects;

-- what the product reads of them
select tests.begin_direct_upload('first'), tests.stage_direct_upload('first', 400);
select pg_temp.replace_object(tests.direct_upload('first', 'uploadPath'), 500, 'staging');
select is(private.staged_bytes(tests.id('show')), 500::numeric::bigint,
  'staged_bytes counts the current version of a staged object');
select pg_temp.delete_object(tests.direct_upload('first', 'uploadPath'), 'staging');
select is(private.staged_bytes(tests.id('show')), 0::bigint, 'staged_bytes counts no deleted object');
select is(tests.complete_direct_upload('first'), 'PT409',
  'begin_direct_upload_completion returns 409 for a staged object that was deleted');

select tests.empty_queue('storage_gc');
select tests.store_object(path, 1, bucket), pg_temp.replace_object(path, 2, bucket)
from (values ('uploads/stray', 'staging'), ('uploads/deleted', 'staging'), ('stray', 'media'), ('deleted', 'media'))
  v (path, bucket);
select pg_temp.delete_object('uploads/deleted', 'staging'), pg_temp.delete_object('deleted');
select is(private.sweep_staging(), 1, 'sweep_staging enqueues an object with versions once, and no deleted one');
select is(private.sweep_storage(now() + interval '8 days'), 1,
  'sweep_storage enqueues an orphan with versions once, and no deleted one');
select results_eq('select tests.queued_paths(bucket) from unnest(array[''staging'', ''media'']) bucket',
  array['uploads/stray', 'stray'], 'the sweeps enqueue the paths of orphans with versions');

select tests.upload_audio('pilot');
create temp table audio as select path from private.media_objects;
select pg_temp.replace_object(path, 1000) from audio;
select tests.upload_audio('pilot', 2000);
select private.sweep_storage(now() + interval '8 days');
select is((select count(*) from private.media_objects m, audio where m.path = audio.path), 1::bigint,
  'sweep_storage keeps the ledger row of a replaced object whose current version is stored');
select pg_temp.delete_object(path) from audio;
select private.sweep_storage(now() + interval '8 days');
select is((select count(*) from private.media_objects m, audio where m.path = audio.path), 0::bigint,
  'sweep_storage deletes the ledger row of a replaced object whose current version is a delete marker');

select tests.empty_queue('storage_gc');
select pg_temp.replace_object(path, 2000) from private.media_objects;
delete from public.podcasts where id = tests.id('show');
select is((select array_agg(path) from tests.queued_paths() path where path ~ tests.id('show')::text),
  (select array_agg(name) from private.stored_objects('media', 'podcasts/' || tests.id('show'))),
  'the deletion of a podcast enqueues each object with versions once');

select * from tests.finish();
rollback;
