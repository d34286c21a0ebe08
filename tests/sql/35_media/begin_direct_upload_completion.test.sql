-- begin_direct_upload_completion: the staged object, its completion, and uploads that were replaced meanwhile.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'),
  tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

create temp table answers (name text primary key, body jsonb);
grant select, insert on answers to public;
create function pg_temp.begun(name text, episode text default 'pilot', bytes bigint default 2000) returns void
  language plpgsql as $$
begin
  perform tests.act_as('ana');
  insert into answers
    values (name, public.begin_direct_upload(tests.id('show'), tests.id(episode), 'audio/x-m4a', 'a.m4a', bytes));
  perform tests.act_as('postgres');
end $$;
create function pg_temp.told(name text, member text) returns text language sql as $$
  select body ->> member from answers a where a.name = told.name $$;
grant execute on function pg_temp.told to public;
create function pg_temp.staged(name text, bytes bigint) returns void language sql as $$
  insert into storage.objects (bucket_id, name, metadata)
    values ('staging', pg_temp.told(name, 'uploadPath'), jsonb_build_object('size', bytes)) $$;
create function pg_temp.copied(name text, bytes bigint) returns void language sql as $$
  insert into storage.objects (bucket_id, name, metadata)
    values ('media', pg_temp.told(name, 'finalPath'), jsonb_build_object('size', bytes)) $$;
create function pg_temp.completing(name text, who text default 'ana') returns text language sql as $$
  select tests.result_of(who, format('select public.begin_direct_upload_completion(%L)',
    pg_temp.told(name, 'uploadId'))) $$;
create function pg_temp.finish(name text, bytes bigint, expected text default null) returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_audio_upload(%L, %L, %L, %L, %s, %L, 61, %L)',
    tests.id('ana'), tests.id('show'), tests.id('pilot'), pg_temp.told(name, 'finalPath'), bytes, 'audio/x-m4a',
      expected)) $$;

select pg_temp.begun('first');
select is(pg_temp.completing('first'), 'PT409',
  'begin_direct_upload_completion returns 409 before an object is staged');
select pg_temp.staged('first', 0);
select is(pg_temp.completing('first'), 'PT400', 'begin_direct_upload_completion returns 400 for an empty object');
update storage.objects set metadata = '{"size": 1000}' where name = pg_temp.told('first', 'uploadPath');
select is(pg_temp.completing('first', who), wanted,
  format('begin_direct_upload_completion as %s returns %s', who, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ola', 'ok 1'),
  ('ana', 'ok 1')) w (who, wanted);
select is(tests.result_of('ana', $$ select public.begin_direct_upload_completion(gen_random_uuid()) $$), 'PT404',
  'begin_direct_upload_completion returns 404 for an unknown upload');
select tests.act_as('ana');
select is(public.begin_direct_upload_completion(pg_temp.told('first', 'uploadId')::uuid) - 'lease', jsonb_build_object(
  'podcastId', tests.id('show'), 'episodeId', tests.id('pilot'), 'stagedPath', pg_temp.told('first', 'uploadPath'),
  'path', pg_temp.told('first', 'finalPath'), 'bytes', 1000, 'contentType', 'audio/x-m4a', 'expectedAudioUrl', null),
  'begin_direct_upload_completion returns the paths and the type to copy and finish');
select tests.act_as('postgres');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ola');
select is(pg_temp.completing('first'), 'PT409', 'begin_direct_upload_completion returns 409 over the allowance');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ola');

select pg_temp.begun('second');
select is((select count(*) from private.direct_uploads where ended_at is null), 2::bigint,
  'begin_direct_upload does not replace an upload that is being completed');
select is(pg_temp.finish('first', 1000), 'PT500', 'finish_audio_upload returns 500 when the copy does not exist');
select pg_temp.copied('first', 999);
select is(pg_temp.finish('first', 1000), 'PT500', 'finish_audio_upload returns 500 for a copy of another size');
select is((select ended_at from private.direct_uploads where id = pg_temp.told('first', 'uploadId')::uuid), null,
  'finish_audio_upload leaves the upload open when it rejects');
update storage.objects set metadata = '{"size": 1000}' where name = pg_temp.told('first', 'finalPath');
select is(pg_temp.finish('first', 1000), 'ok 1', 'finish_audio_upload succeeds with a copy of the right size');
select is((select audio_url from public.episodes where id = tests.id('pilot')), pg_temp.told('first', 'publicUrl'),
  'finish_audio_upload sets the episode''s audio_url');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 1000::bigint,
  'finish_audio_upload charges the owner''s account for a direct upload');
select set_eq($$ select message -> 'bucket' as bucket, message -> 'paths' as paths
  from tests.queued('storage_gc') message $$,
  $$ values ('"staging"'::jsonb, jsonb_build_array(pg_temp.told('first', 'uploadPath'))),
    ('"staging"', jsonb_build_array(pg_temp.told('second', 'uploadPath'))),
    ('"media"', jsonb_build_array(pg_temp.told('second', 'finalPath'))) $$,
  'finish_audio_upload queues the staged object and both objects of a replaced upload');
select is((select rejection_code from private.direct_uploads where id = pg_temp.told('second', 'uploadId')::uuid),
  'CONCURRENT_REPLACEMENT', 'finish_audio_upload ends the episode''s open uploads that expected other audio');
select tests.act_as('ana');
select is(public.begin_direct_upload_completion(pg_temp.told('first', 'uploadId')::uuid) -> 'stagedPath', 'null',
  'begin_direct_upload_completion of a completed upload returns no staged path');
select tests.act_as('postgres');
select is(private.finish_audio_upload(tests.id('ana'), tests.id('show'), tests.id('pilot'),
  pg_temp.told('first', 'finalPath'), 1000, 'audio/x-m4a', 5, null),
  jsonb_build_object('path', pg_temp.told('first', 'finalPath'), 'publicUrl', pg_temp.told('first', 'publicUrl'),
    'fileSize', 1000, 'contentType', 'audio/x-m4a', 'durationSeconds', 61),
  'finish_audio_upload returns the stored values when it is repeated');
select is((select count(*) from tests.queued('storage_gc')), 3::bigint,
  'finish_audio_upload queues nothing when it is repeated');

-- audio that another upload finished in the meantime ends an upload
select tests.act_as('ana');
select is(public.begin_direct_upload_completion(pg_temp.told('second', 'uploadId')::uuid) ->> 'code',
  'CONCURRENT_REPLACEMENT', 'begin_direct_upload_completion of a replaced upload returns CONCURRENT_REPLACEMENT');
select is(current_setting('response.status', true), '409',
  'begin_direct_upload_completion of a replaced upload returns 409');
select tests.act_as('postgres');
select pg_temp.copied('second', 2000);
select is(pg_temp.finish('second', 2000), 'PT409', 'finish_audio_upload returns 409 for the copy of a replaced upload');
select isnt(private.begin_object_removal(pg_temp.told('second', 'finalPath')), null,
  'begin_object_removal returns an id for an object that no upload finished with');
select is(private.begin_object_removal(pg_temp.told('first', 'finalPath')), null,
  'begin_object_removal returns null for an object that is in use');
select tests.upload_audio('pilot', 3000);
select tests.act_as('ana');
select is(public.begin_direct_upload_completion(pg_temp.told('first', 'uploadId')::uuid) ->> 'code',
  'CONCURRENT_REPLACEMENT', 'begin_direct_upload_completion returns CONCURRENT_REPLACEMENT for replaced audio');
select tests.act_as('postgres');
select set_config('response.status', '', true);

-- a CDN that was set up between completion and repetition
select pg_temp.begun('third');
select pg_temp.staged('third', 500), pg_temp.copied('third', 500);
select from pg_temp.finish('third', 500, (select audio_url from public.episodes where id = tests.id('pilot')));
select private.set_setting('media_url', 'https://cdn.test');
select is(pg_temp.completing('third'), 'ok 1',
  'begin_direct_upload_completion knows the audio by its platform URL behind a CDN');
select is(current_setting('response.status', true), '',
  'begin_direct_upload_completion returns no 409 for audio with a platform URL behind a CDN');
select private.set_setting('media_url', null);

-- uploads of a deleted episode
select tests.episode('gone', 'show'), pg_temp.begun('gone', 'gone');
delete from public.episodes where id = tests.id('gone');
select is(pg_temp.completing('gone'), 'PT404',
  'begin_direct_upload_completion returns 404 after the episode was deleted');

select * from tests.finish();
rollback;
