-- Staged objects: kept while their upload is open, counted while they are there, deleted soon after it ended.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.episode('pilot', 'show'),
  tests.episode('second', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');
create temp table answers (name text primary key, body jsonb);
grant select, insert, delete on answers to public;
create function pg_temp.told(name text, member text) returns text language sql as $$
  select body ->> member from answers a where a.name = told.name $$;
create function pg_temp.begun(name text, bytes bigint default 1000, episode text default 'pilot',
  podcast text default 'show', who text default 'ana') returns void language plpgsql as $$
begin
  perform tests.act_as(who);
  insert into answers
    values (name, public.begin_direct_upload(tests.id(podcast), tests.id(episode), 'audio/mpeg', 'a.mp3', bytes));
  perform tests.act_as('postgres');
end $$;
create function pg_temp.staged(name text, bytes bigint default 1000) returns void language sql as $$
  insert into storage.objects (bucket_id, name, metadata)
    values ('staging', pg_temp.told(name, 'uploadPath'), jsonb_build_object('size', bytes)) $$;
create function pg_temp.copied(name text, bytes bigint default 1000) returns void language sql as $$
  insert into storage.objects (bucket_id, name, metadata)
    values ('media', pg_temp.told(name, 'finalPath'), jsonb_build_object('size', bytes)) $$;
create function pg_temp.completing(name text) returns text language plpgsql as $$
declare
  answer jsonb;
begin
  perform set_config('response.status', '', true);
  perform tests.act_as('ana');
  answer := public.begin_direct_upload_completion(pg_temp.told(name, 'uploadId')::uuid);
  perform tests.act_as('postgres');
  return coalesce(nullif(current_setting('response.status', true), ''), '200')
    || coalesce(' ' || (answer ->> 'code'), '');
exception when others then
  perform tests.act_as('postgres');
  return sqlstate;
end $$;
grant execute on function pg_temp.told to public;
create function pg_temp.finish(name text) returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_audio_upload(%L, %L, %L, %L, 1000, %L, 61, null)',
    tests.id('ana'), tests.id('show'), tests.id('pilot'), pg_temp.told(name, 'finalPath'), 'audio/mpeg')) $$;
create function pg_temp.swept(at timestamptz default now()) returns setof text language plpgsql as $$
begin
  perform tests.empty_queue('storage_gc');
  perform private.sweep_staging(at);
  return query select path from tests.queued('storage_gc') m, jsonb_array_elements_text(m -> 'paths') path
    where m ->> 'bucket' = 'staging';
end $$;
create function pg_temp.aged(name text, age interval) returns void language sql as $$
  update private.direct_uploads set created_at = now() - age where id = pg_temp.told(name, 'uploadId')::uuid $$;
create function pg_temp.fresh() returns void language plpgsql as $$
begin
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects where bucket_id in ('staging', 'media');
  delete from private.direct_uploads;
  delete from answers;
  perform tests.empty_queue('storage_gc');
end $$;

-- open for as long as the setting says
select pg_temp.begun('slow');
select pg_temp.aged('slow', '3 hours'), pg_temp.staged('slow');
select is_empty('select pg_temp.swept()',
  'sweep_staging keeps the object of an upload that was announced three hours ago');
select is(pg_temp.completing('slow'), '200',
  'begin_direct_upload_completion succeeds for an upload that took three hours');
update private.direct_uploads set lease_expires_at = null;
select is_empty($$ select pg_temp.swept(now() + interval '20 hours 59 minutes') $$,
  'sweep_staging keeps an upload for temporary_object_ttl_hours');
select results_eq($$ select pg_temp.swept(now() + interval '21 hours') $$,
  $$ select pg_temp.told('slow', 'uploadPath') $$,
  'sweep_staging deletes the object of an upload that is temporary_object_ttl_hours old');
select set_eq($$ select message ->> 'bucket' as bucket, message -> 'paths' as paths
  from tests.queued('storage_gc') message $$,
  $$ values ('staging', jsonb_build_array(pg_temp.told('slow', 'uploadPath'))),
  ('media', jsonb_build_array(pg_temp.told('slow', 'finalPath'))) $$,
  'sweep_staging deletes also the copy that a dead completion may have left');
select pg_temp.fresh(), pg_temp.begun('short');
select private.set_setting('temporary_object_ttl_hours', '1');
select pg_temp.aged('short', '61 minutes'), pg_temp.staged('short');
select is(pg_temp.completing('short'), 'PT404',
  'begin_direct_upload_completion returns 404 for an upload older than temporary_object_ttl_hours');
select results_eq('select pg_temp.swept()', $$ select pg_temp.told('short', 'uploadPath') $$,
  'sweep_staging reads the setting temporary_object_ttl_hours');
select private.set_setting('temporary_object_ttl_hours', null);

-- a completion in progress
select pg_temp.fresh(), pg_temp.begun('copying'), pg_temp.staged('copying');
select is(pg_temp.completing('copying'), '200', 'begin_direct_upload_completion succeeds for a staged object');
select isnt_empty($$ select from private.direct_uploads
  where lease_expires_at between now() + interval '2 minutes' and clock_timestamp() + interval '3 minutes' $$,
  'begin_direct_upload_completion takes a lease of three minutes');
select pg_temp.aged('copying', '25 hours');
select is_empty('select pg_temp.swept()',
  'sweep_staging leaves an upload alone while it is being completed, however old it is');
select pg_temp.copied('copying');
create temp table lease_before as select lease_expires_at from private.direct_uploads;
select is(pg_temp.completing('copying'), '200',
  'begin_direct_upload_completion can be repeated at once after its process died');
select results_eq('select lease_expires_at from private.direct_uploads', 'select lease_expires_at from lease_before',
  'begin_direct_upload_completion does not extend the lease of an upload that is temporary_object_ttl_hours old');
select is(pg_temp.finish('copying'), 'ok 1', 'finish_audio_upload succeeds when the sweep ran during the copy');
select is_empty($$ select pg_temp.swept(now() + interval '1 year')
  except select pg_temp.told('copying', 'uploadPath') $$,
  'sweep_staging takes only the staged object of a completed upload');
select is(private.claim_orphaned_objects('media', array[pg_temp.told('copying', 'finalPath')]), '{}',
  'claim_orphaned_objects does not return the audio of a completed upload');
update public.episodes set audio_url = null, audio_file_size_bytes = null, audio_content_type = null
where id = tests.id('pilot');

-- a completion that is never finished
select pg_temp.fresh(), pg_temp.begun('dead'), pg_temp.staged('dead'), pg_temp.copied('dead');
select pg_temp.completing('dead');
select pg_temp.aged('dead', '25 hours');
select results_eq($$ select pg_temp.swept(now() + interval '4 minutes') $$,
  $$ select pg_temp.told('dead', 'uploadPath') $$,
  'sweep_staging ends an upload whose completion died once the lease has expired');
select is(pg_temp.finish('dead'), 'PT409',
  'finish_audio_upload returns 409 for an upload that was swept after its lease');
select is(private.claim_orphaned_objects('media', array[pg_temp.told('dead', 'finalPath')]),
  array[pg_temp.told('dead', 'finalPath')], 'claim_orphaned_objects returns the copy of a completion that died');
select is(pg_temp.completing('dead'), 'PT404', 'begin_direct_upload_completion returns 404 for a swept upload');
select is((select count(*) from private.direct_uploads
  where private.sweep_staging(now() + interval '2 hours') is not null), 1::bigint,
  'sweep_staging keeps the row of an ended upload for an hour');
select is((select count(*) from private.direct_uploads), 0::bigint,
  'sweep_staging deletes ended uploads an hour later');

-- a lease that is given back
select pg_temp.fresh(), pg_temp.begun('failed'), pg_temp.staged('failed');
select pg_temp.completing('failed');
select private.release_direct_upload_lease(id, lease_expires_at + interval '1 second') from private.direct_uploads;
select isnt((select lease_expires_at from private.direct_uploads), null,
  'release_direct_upload_lease leaves the lease of another completion');
select private.release_direct_upload_lease(id, lease_expires_at) from private.direct_uploads;
select is((select lease_expires_at from private.direct_uploads), null,
  'release_direct_upload_lease ends the lease of a completion that failed');
create function pg_temp.lease(name text) returns text language plpgsql as $$
declare
  lease text;
begin
  perform tests.act_as('ana');
  lease := public.begin_direct_upload_completion(pg_temp.told(name, 'uploadId')::uuid) ->> 'lease';
  perform tests.act_as('postgres');
  return lease;
end $$;
create temp table taken as select pg_temp.lease('failed') as lease;
select results_eq('select lease_expires_at from private.direct_uploads', 'select lease::timestamptz from taken',
  'begin_direct_upload_completion returns the lease that it took');
select is(pg_temp.lease('failed'), null,
  'begin_direct_upload_completion returns no lease to release while another completion holds one');
select is(tests.result_of(who, 'select private.release_direct_upload_lease(gen_random_uuid(), now())'), wanted,
  format('release_direct_upload_lease as %s returns %s', who, wanted))
  from (values ('anon', '42501'), ('ana', '42501'), ('service', 'ok 1')) w (who, wanted);

-- objects without an open upload
select pg_temp.fresh(), pg_temp.begun('replaced'), pg_temp.staged('replaced');
select pg_temp.begun('newer'), pg_temp.staged('newer');
select results_eq($$ select path from tests.queued('storage_gc') m, jsonb_array_elements_text(m -> 'paths') path
  where m ->> 'bucket' = 'staging' $$, $$ select pg_temp.told('replaced', 'uploadPath') $$,
  'begin_direct_upload queues the staged object of the upload that it replaces');
select is(pg_temp.completing('replaced'), '409 CONCURRENT_REPLACEMENT',
  'begin_direct_upload_completion returns 409 for a replaced upload');
select is(private.sweep_staging(), 0, 'sweep_staging does not queue an object twice');
select results_eq('select pg_temp.swept()', $$ select pg_temp.told('replaced', 'uploadPath') $$,
  'sweep_staging queues an object again that is no longer queued');
select is(private.claim_orphaned_objects('staging',
  array[pg_temp.told('replaced', 'uploadPath'), pg_temp.told('newer', 'uploadPath'), 'unknown']),
  array[pg_temp.told('replaced', 'uploadPath'), 'unknown'],
  'claim_orphaned_objects does not return staged objects of open uploads');
insert into storage.objects (bucket_id, name, metadata) values ('staging', 'uploads/stray.mp3', '{"size": 1}');
select set_eq('select pg_temp.swept()', $$ values (pg_temp.told('replaced', 'uploadPath')), ('uploads/stray.mp3') $$,
  'sweep_staging deletes objects that belong to no upload');
delete from public.episodes where id = tests.id('pilot');
select set_eq('select pg_temp.swept()',
  $$ values (pg_temp.told('replaced', 'uploadPath')), (pg_temp.told('newer', 'uploadPath')), ('uploads/stray.mp3') $$,
  'sweep_staging deletes the staged objects of a deleted episode');
select isnt_empty($$ select from cron.job where jobname = 'sweep_staging' and schedule = '*/5 * * * *' and active $$,
  'sweep_staging runs every five minutes');

-- larger than announced
select pg_temp.fresh(), pg_temp.begun('large', 999, 'second'), pg_temp.staged('large', 1000);
select is(pg_temp.completing('large'), '400 UPLOAD_LARGER_THAN_DECLARED',
  'begin_direct_upload_completion returns 400 for an object larger than declared');
select set_eq($$ select message -> 'paths' ->> 0 as path from tests.queued('storage_gc') message $$,
  $$ values (pg_temp.told('large', 'uploadPath')), (pg_temp.told('large', 'finalPath')) $$,
  'begin_direct_upload_completion queues an object larger than declared');
select isnt((select ended_at from private.direct_uploads), null,
  'begin_direct_upload_completion ends the upload of an object larger than declared');
select is(pg_temp.completing('large'), '400 UPLOAD_LARGER_THAN_DECLARED',
  'begin_direct_upload_completion returns 400 again for an object larger than declared');
select pg_temp.fresh(), pg_temp.begun('silent', 999, 'second'), pg_temp.staged('silent', 1000),
  tests.episode('spare', 'show'), pg_temp.begun('fitting', 1000, 'spare'), pg_temp.staged('fitting', 1000);
update private.direct_uploads set lease_expires_at = now() + interval '1 minute' where declared_bytes = 999;
select is_empty('select pg_temp.swept()',
  'sweep_staging leaves an object larger than declared to the completion that holds its lease');
update private.direct_uploads set lease_expires_at = null;
select results_eq('select pg_temp.swept()', $$ select pg_temp.told('silent', 'uploadPath') $$,
  'sweep_staging deletes an object larger than declared that its client never completes');
select is(pg_temp.completing('silent'), '400 UPLOAD_LARGER_THAN_DECLARED',
  'begin_direct_upload_completion returns 400 when sweep_staging ended the upload as larger than declared');
select pg_temp.fresh(), pg_temp.begun('exact', 1000, 'second'), pg_temp.staged('exact', 1000);
select is(pg_temp.completing('exact'), '200',
  'begin_direct_upload_completion succeeds for an object as large as declared');

-- the account
create function pg_temp.usage(who text default 'ola') returns jsonb language plpgsql as $$
declare
  seen jsonb;
begin
  perform tests.act_as(who);
  seen := public.get_storage_usage();
  perform tests.act_as('postgres');
  return seen;
end $$;
create function pg_temp.fits(bytes bigint, purpose text default 'cover') returns text language sql as $$
  select tests.result_of('ana', format('select private.require_allowance(tests.id(%L), null, %L, %s)', 'show', purpose,
    bytes)) $$;
select pg_temp.fresh(), pg_temp.begun('theirs', 5000, 'foreign', 'other', 'otto'), pg_temp.staged('theirs', 5000),
  pg_temp.begun('counted', 1000, 'second');
select is(pg_temp.usage() - 'podcasts',
  '{"usedBytes": 0, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 0}',
  'get_storage_usage does not count an upload before its object is staged');
select pg_temp.staged('counted', 700);
select is(pg_temp.usage() - 'podcasts',
  '{"usedBytes": 700, "limitBytes": 1073741824, "stagedBytes": 700, "temporaryBytes": 0}',
  'get_storage_usage counts staged bytes');
select is(pg_temp.usage() #> '{podcasts,0,usedBytes}', '700',
  'get_storage_usage counts staged bytes with their podcast');
select is(pg_temp.usage('otto') -> 'stagedBytes', '5000',
  'get_storage_usage counts the staged bytes of one account alone');
select is(pg_temp.fits(1073741824 - 700), 'ok 1', 'require_allowance accepts bytes that fit beside staged bytes');
select is(pg_temp.fits(1073741824 - 699), 'PT409',
  'require_allowance returns 409 for bytes that do not fit beside staged bytes');
select pg_temp.completing('counted');
select pg_temp.copied('counted', 700);
select private.finish_audio_upload(tests.id('ana'), tests.id('show'), tests.id('second'),
  pg_temp.told('counted', 'finalPath'), 700, 'audio/mpeg', 61, null);
select is(pg_temp.usage() - 'podcasts',
  '{"usedBytes": 700, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 0}',
  'get_storage_usage counts a completed upload once while its staged object remains');
update private.direct_uploads set ended_at = now() - interval '1 second'
where id = pg_temp.told('counted', 'uploadId')::uuid;
select is(pg_temp.usage() - 'podcasts',
  '{"usedBytes": 1400, "limitBytes": 1073741824, "stagedBytes": 700, "temporaryBytes": 0}',
  'get_storage_usage counts an object that a signed URL stores after the completion');

-- a replaced upload counts once, an object larger than declared counts in full
select pg_temp.fresh(), pg_temp.begun('one', 500000000, 'second'), pg_temp.staged('one', 500000000);
select lives_ok($$ select pg_temp.begun('two', 500000000, 'second') $$,
  'begin_direct_upload does not count the declared bytes of a replaced upload');
select tests.act_as('postgres');
select pg_temp.fresh(), tests.episode('third', 'show'), pg_temp.begun('small', 1, 'second'),
  pg_temp.staged('small', 1073741824 - 1000);
select throws_ok($$ select pg_temp.begun('beside', 1001, 'third') $$, 'PT409', null,
  'begin_direct_upload counts the staged bytes of an open upload when they exceed the declared bytes');

select * from tests.finish();
rollback;
