-- begin_direct_upload_completion: the staged object, its completion, and uploads that were replaced meanwhile.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('second', 'show');
create function pg_temp.begin_completion(name text) returns jsonb language plpgsql as $$
declare
  response jsonb;
begin
  perform tests.act_as('ana');
  response := public.begin_direct_upload_completion(tests.direct_upload(name, 'uploadId')::uuid);
  perform tests.act_as('postgres');
  return response;
end $$;

select tests.begin_direct_upload('first');
select is(tests.complete_direct_upload('first'), 'PT409',
  'begin_direct_upload_completion returns 409 before an object is staged');
select tests.stage_direct_upload('first', 0);
select is(tests.complete_direct_upload('first'), 'PT400',
  'begin_direct_upload_completion returns 400 for an empty object');
update storage.objects set metadata = '{"size": 1000}' where name = tests.direct_upload('first', 'uploadPath');
select is(tests.complete_direct_upload('first', who), expected,
  format('begin_direct_upload_completion as %s returns %s', who, expected))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('otto', 'PT403'), ('ola', '200'),
  ('ana', '200')) v (who, expected);
select is(pg_temp.begin_completion('first') - 'lease', jsonb_build_object('podcastId', tests.id('show'),
  'episodeId', tests.id('pilot'), 'stagedPath', tests.direct_upload('first', 'uploadPath'),
  'path', tests.direct_upload('first', 'finalPath'), 'bytes', 1000, 'contentType', 'audio/x-m4a',
  'expectedAudioUrl', null), 'begin_direct_upload_completion returns the paths and the type to copy and finish');
update public.billing_accounts set storage_bytes_used = 1073741824 - 999 where user_id = tests.id('ola');
select is(tests.complete_direct_upload('first'), 'PT409',
  'begin_direct_upload_completion returns 409 over the allowance');
update public.billing_accounts set storage_bytes_used = 0 where user_id = tests.id('ola');

-- the end of a completion
select tests.begin_direct_upload('second');
select is((select count(*) from private.direct_uploads where ended_at is null), 2::bigint,
  'begin_direct_upload does not replace an upload that is being completed');
select is(tests.finish_direct_upload('first'), 'PT500',
  'finish_audio_upload of a direct upload returns 500 when the copy does not exist');
select tests.copy_direct_upload('first', 999);
select is(tests.finish_direct_upload('first'), 'PT500',
  'finish_audio_upload of a direct upload returns 500 for a copy of another size');
select is((select ended_at from private.direct_uploads where id = tests.direct_upload('first', 'uploadId')::uuid), null,
  'finish_audio_upload leaves a direct upload open when it rejects');
update storage.objects set metadata = '{"size": 1000}' where name = tests.direct_upload('first', 'finalPath');
select is(tests.finish_direct_upload('first'), 'ok 1',
  'finish_audio_upload of a direct upload succeeds with a copy of the right size');
select is((select audio_url from public.episodes where id = tests.id('pilot')),
  tests.direct_upload('first', 'publicUrl'), 'finish_audio_upload of a direct upload sets the episode''s audio_url');
select is(tests.used_bytes('ola'), 1000::bigint,
  'finish_audio_upload charges the owner''s account for a direct upload');
select set_eq($$ select bucket, path from unnest(array['staging', 'media']) bucket, tests.queued_paths(bucket) path $$,
  $$ values ('staging', tests.direct_upload('first', 'uploadPath')),
    ('staging', tests.direct_upload('second', 'uploadPath')), ('media', tests.direct_upload('second', 'finalPath')) $$,
  'finish_audio_upload enqueues the staged object and both objects of a replaced direct upload');
select is((select rejection_code from private.direct_uploads
  where id = tests.direct_upload('second', 'uploadId')::uuid), 'CONCURRENT_REPLACEMENT',
  'finish_audio_upload ends the episode''s open direct uploads that expected other audio');
select is(pg_temp.begin_completion('first') -> 'stagedPath', 'null',
  'begin_direct_upload_completion of a completed upload returns no staged path');
select is(private.finish_audio_upload(tests.id('ana'), tests.id('show'), tests.id('pilot'),
  tests.direct_upload('first', 'finalPath'), 1000, 'audio/x-m4a', 5, null),
  jsonb_build_object('path', tests.direct_upload('first', 'finalPath'),
    'publicUrl', tests.direct_upload('first', 'publicUrl'), 'fileSize', 1000, 'contentType', 'audio/x-m4a',
    'durationSeconds', 61), 'finish_audio_upload of a direct upload returns the stored values when it is repeated');
select is((select count(*) from tests.queued('storage_gc')), 3::bigint,
  'finish_audio_upload of a direct upload enqueues nothing when it is repeated');

-- audio that another upload finished in the meantime ends an upload
select is(tests.complete_direct_upload('second'), '409 CONCURRENT_REPLACEMENT',
  'begin_direct_upload_completion returns 409 for an upload whose audio another upload replaced');
select tests.copy_direct_upload('second', 2000);
select is(tests.finish_direct_upload('second', 2000), 'PT409',
  'finish_audio_upload returns 409 for the copy of a replaced direct upload');
select isnt(private.begin_object_removal(tests.direct_upload('second', 'finalPath')), null,
  'begin_object_removal returns an id for an object that no upload finished with');
select is(private.begin_object_removal(tests.direct_upload('first', 'finalPath')), null,
  'begin_object_removal returns null for the object of a completed direct upload');
select tests.upload_audio('pilot', 3000);
select is(tests.complete_direct_upload('first'), '409 CONCURRENT_REPLACEMENT',
  'begin_direct_upload_completion returns 409 for a completed upload whose audio was replaced');

-- larger than declared
select tests.empty_queue('storage_gc');
select tests.begin_direct_upload('large', 'second', 999), tests.stage_direct_upload('large', 1000);
select is(tests.complete_direct_upload('large'), '400 UPLOAD_LARGER_THAN_DECLARED',
  'begin_direct_upload_completion returns 400 for an object larger than declared');
select set_eq($$ select path from unnest(array['staging', 'media']) bucket, tests.queued_paths(bucket) path $$,
  $$ values (tests.direct_upload('large', 'uploadPath')), (tests.direct_upload('large', 'finalPath')) $$,
  'begin_direct_upload_completion enqueues an object larger than declared');
select isnt((select ended_at from private.direct_uploads where id = tests.direct_upload('large', 'uploadId')::uuid),
  null, 'begin_direct_upload_completion ends the upload of an object larger than declared');
select is(tests.complete_direct_upload('large'), '400 UPLOAD_LARGER_THAN_DECLARED',
  'begin_direct_upload_completion returns 400 again for an object larger than declared');
select tests.begin_direct_upload('exact', 'second', 1000), tests.stage_direct_upload('exact', 1000);
select is(tests.complete_direct_upload('exact'), '200',
  'begin_direct_upload_completion succeeds for an object as large as declared');

-- a CDN that was set up between completion and repetition
select tests.begin_direct_upload('third');
select tests.stage_direct_upload('third', 500), tests.copy_direct_upload('third', 500);
select tests.finish_direct_upload('third', 500, expected_audio_url => e.audio_url) is not null
from public.episodes e where e.id = tests.id('pilot');
select private.set_setting('media_url', 'https://cdn.test');
select is(tests.complete_direct_upload('third'), '200',
  'begin_direct_upload_completion succeeds for completed audio with a platform URL behind a CDN');
select private.set_setting('media_url', null);

-- uploads of a deleted episode
select tests.episode('gone', 'show'), tests.begin_direct_upload('gone', 'gone');
delete from public.episodes where id = tests.id('gone');
select is(tests.complete_direct_upload('gone'), 'PT404',
  'begin_direct_upload_completion returns 404 after the episode was deleted');

select * from tests.finish();
rollback;
