-- sweep_staging: staged objects are kept while their upload is open, and deleted soon after it ended.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.episode('pilot', 'show'),
  tests.episode('second', 'show'), tests.episode('third', 'show');
-- Runs sweep_staging and returns the staged paths that it enqueued.
create function pg_temp.sweep(at timestamptz default now()) returns setof text language plpgsql as $$
begin
  perform tests.empty_queue('storage_gc');
  perform private.sweep_staging(at);
  return query select tests.queued_paths('staging');
end $$;
create function pg_temp.age(name text, age interval) returns void language sql as $$
  update private.direct_uploads set created_at = now() - age
    where id = tests.direct_upload(name, 'uploadId')::uuid $$;
create function pg_temp.delete_uploads() returns void language plpgsql as $$
begin
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects where bucket_id in ('staging', 'media');
  delete from private.direct_uploads;
end $$;

-- open for as long as the setting says
select tests.begin_direct_upload('slow'), pg_temp.age('slow', '3 hours'), tests.stage_direct_upload('slow');
select is_empty('select pg_temp.sweep()', 'sweep_staging keeps the object of an upload that began three hours ago');
select is(tests.complete_direct_upload('slow'), '200',
  'begin_direct_upload_completion succeeds for an upload that took three hours');
update private.direct_uploads set lease_expires_at = null;
select is_empty($$ select pg_temp.sweep(now() + interval '20 hours 59 minutes') $$,
  'sweep_staging keeps an upload for temporary_object_ttl_hours');
select results_eq($$ select pg_temp.sweep(now() + interval '21 hours') $$,
  $$ select tests.direct_upload('slow', 'uploadPath') $$,
  'sweep_staging deletes the object of an upload that is temporary_object_ttl_hours old');
select results_eq('select tests.queued_paths()', $$ select tests.direct_upload('slow', 'finalPath') $$,
  'sweep_staging also deletes the copy that a dead completion may have left');
select pg_temp.delete_uploads(), tests.begin_direct_upload('short');
select private.set_setting('temporary_object_ttl_hours', '1');
select pg_temp.age('short', '61 minutes'), tests.stage_direct_upload('short');
select is(tests.complete_direct_upload('short'), 'PT404',
  'begin_direct_upload_completion returns 404 for an upload older than temporary_object_ttl_hours');
select results_eq('select pg_temp.sweep()', $$ select tests.direct_upload('short', 'uploadPath') $$,
  'sweep_staging reads the setting temporary_object_ttl_hours');
select private.set_setting('temporary_object_ttl_hours', null);

-- a completion in progress
select pg_temp.delete_uploads(), tests.begin_direct_upload('copying'), tests.stage_direct_upload('copying'),
  tests.complete_direct_upload('copying') = '200', pg_temp.age('copying', '25 hours');
select is_empty('select pg_temp.sweep()',
  'sweep_staging keeps the object of an old upload while a completion holds its lease');
select tests.copy_direct_upload('copying');
select is(tests.finish_direct_upload('copying'), 'ok 1',
  'finish_audio_upload succeeds when sweep_staging ran during the copy');
select results_eq($$ select pg_temp.sweep(now() + interval '1 year') $$,
  $$ select tests.direct_upload('copying', 'uploadPath') $$,
  'sweep_staging deletes only the staged object of a completed upload');
select is(private.claim_orphaned_objects('media', array[tests.direct_upload('copying', 'finalPath')]), '{}',
  'claim_orphaned_objects does not return the audio of a completed upload');
update public.episodes set audio_url = null, audio_file_size_bytes = null, audio_content_type = null
where id = tests.id('pilot');

-- a completion that is never finished
select pg_temp.delete_uploads(), tests.begin_direct_upload('dead'), tests.stage_direct_upload('dead'),
  tests.copy_direct_upload('dead'), tests.complete_direct_upload('dead') = '200', pg_temp.age('dead', '25 hours');
select results_eq($$ select pg_temp.sweep(now() + interval '4 minutes') $$,
  $$ select tests.direct_upload('dead', 'uploadPath') $$,
  'sweep_staging ends an upload whose completion died once the lease has expired');
select is(tests.finish_direct_upload('dead'), 'PT409',
  'finish_audio_upload returns 409 for an upload that was swept after its lease');
select is(private.claim_orphaned_objects('media', array[tests.direct_upload('dead', 'finalPath')]),
  array[tests.direct_upload('dead', 'finalPath')], 'claim_orphaned_objects returns the copy of a completion that died');
select is(tests.complete_direct_upload('dead'), 'PT404',
  'begin_direct_upload_completion returns 404 for a swept upload');
select is((select count(*) from private.direct_uploads
  where private.sweep_staging(now() + interval '2 hours') is not null), 1::bigint,
  'sweep_staging keeps the row of an ended upload for an hour');
select is((select count(*) from private.direct_uploads), 0::bigint,
  'sweep_staging deletes ended uploads an hour later');

-- objects without an open upload
select pg_temp.delete_uploads(), tests.empty_queue('storage_gc');
select tests.begin_direct_upload('replaced'), tests.stage_direct_upload('replaced');
select tests.begin_direct_upload('newer'), tests.stage_direct_upload('newer');
select results_eq($$ select tests.queued_paths('staging') $$, $$ select tests.direct_upload('replaced',
  'uploadPath') $$, 'begin_direct_upload enqueues the staged object of the upload that it replaces');
select is(tests.complete_direct_upload('replaced'), '409 CONCURRENT_REPLACEMENT',
  'begin_direct_upload_completion returns 409 for an upload that a newer one replaced');
select is(private.sweep_staging(), 0, 'sweep_staging does not enqueue an object twice');
select results_eq('select pg_temp.sweep()', $$ select tests.direct_upload('replaced', 'uploadPath') $$,
  'sweep_staging enqueues an object again that is no longer enqueued');
select is(private.claim_orphaned_objects('staging', array[tests.direct_upload('replaced', 'uploadPath'),
  tests.direct_upload('newer', 'uploadPath'), 'unknown']), array[tests.direct_upload('replaced', 'uploadPath'),
  'unknown'], 'claim_orphaned_objects does not return staged objects of open uploads');
select tests.store_object('uploads/stray.mp3', 1, 'staging');
select set_eq('select pg_temp.sweep()',
  $$ values (tests.direct_upload('replaced', 'uploadPath')), ('uploads/stray.mp3') $$,
  'sweep_staging deletes objects that belong to no upload');
delete from public.episodes where id = tests.id('pilot');
select set_eq('select pg_temp.sweep()', $$ values (tests.direct_upload('replaced', 'uploadPath')),
  (tests.direct_upload('newer', 'uploadPath')), ('uploads/stray.mp3') $$,
  'sweep_staging deletes the staged objects of a deleted episode');
select isnt_empty($$ select from cron.job where jobname = 'sweep_staging' and schedule = '*/5 * * * *' and active $$,
  'sweep_staging runs every five minutes');

-- larger than declared
select pg_temp.delete_uploads(), tests.begin_direct_upload('large', 'second', 999),
  tests.stage_direct_upload('large', 1000), tests.begin_direct_upload('fitting', 'third', 1000),
  tests.stage_direct_upload('fitting', 1000);
update private.direct_uploads set lease_expires_at = now() + interval '1 minute' where declared_bytes = 999;
select is_empty('select pg_temp.sweep()',
  'sweep_staging leaves an object larger than declared to the completion that holds its lease');
update private.direct_uploads set lease_expires_at = null;
select results_eq('select pg_temp.sweep()', $$ select tests.direct_upload('large', 'uploadPath') $$,
  'sweep_staging deletes an object larger than declared that its client never completes');
select is(tests.complete_direct_upload('large'), '400 UPLOAD_LARGER_THAN_DECLARED',
  'begin_direct_upload_completion returns 400 when sweep_staging ended the upload as larger than declared');

select * from tests.finish();
rollback;
