-- finish_transcript_upload and deleted transcripts: rows, ledger, allowance, and objects to delete.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function pg_temp.finish(actor text, path text, bytes bigint, episode uuid default tests.id('pilot'))
returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_transcript_upload(%L, %L, %L, %L, %s, %L, %L, %L)',
    tests.id(actor), tests.id('show'), episode, path, bytes, 'text/vtt', 'de', 'captions')) $$;
create temp table objects as select tests.store_transcript_object('pilot') as a,
  tests.store_transcript_object('pilot', bytes => 200) as b;

select is(pg_temp.finish(actor, coalesce(path, a), bytes, coalesce(episode, tests.id('pilot'))), outcome,
  format('finish_transcript_upload returns %s for %s', outcome, what))
from objects, (values
  ('ana', null, 99, null::uuid, 'PT500', 'another size than the stored object''s'),
  ('ana', 'podcasts/x/e/y/transcripts/z.vtt', 1, null, 'PT500', 'a path outside the episode'),
  ('vic', null, 100, null, 'PT403', 'a caller who lost the role meanwhile'),
  ('ana', null, 100, gen_random_uuid(), 'PT404', 'a deleted episode')) v (actor, path, bytes, episode, outcome, what);
select is_empty('select from public.episode_transcripts', 'finish_transcript_upload adds no row when it rejects');
select is(pg_temp.finish('ana', a, 100), 'ok 1', 'finish_transcript_upload finishes an upload') from objects;
select results_eq($$ select episode_id, podcast_id, type, language, rel, url, bytes, display_order
    from public.episode_transcripts $$,
  $$ select tests.id('pilot'), tests.id('show'), 'text/vtt', 'de', 'captions',
    'https://casts.test/storage/v1/object/public/media/' || a, 100::bigint, 0 from objects $$,
  'finish_transcript_upload adds a row with the measured size');
select is(tests.used_bytes('ola'), 100::bigint, 'finish_transcript_upload charges the owner''s account');
select is(pg_temp.finish('ana', a, 100), 'ok 1', 'finish_transcript_upload succeeds when it is repeated') from objects;
select is((select count(*) from public.episode_transcripts), 1::bigint,
  'finish_transcript_upload adds one row when it is repeated');
select is(tests.used_bytes('ola'), 100::bigint, 'finish_transcript_upload charges once when it is repeated');

-- Replacement
create temp table first_row as select id from public.episode_transcripts;
select is(pg_temp.finish('ola', b, 200), 'ok 1', 'finish_transcript_upload replaces a transcript') from objects;
select results_eq('select id, bytes from public.episode_transcripts', 'select id, 200::bigint from first_row',
  'a replaced transcript keeps its id');
select is(tests.used_bytes('ola'), 200::bigint, 'a replaced transcript is no longer charged');
select results_eq('select tests.queued_paths()', 'select a from objects',
  'the object of a replaced transcript of an unpublished episode is enqueued for deletion at once');
select tests.empty_queue('storage_gc');
select tests.upload_transcript('pilot', 'text/vtt', 10), tests.upload_transcript('pilot', 'text/plain', 10, 'de');
select is((select count(*) from public.episode_transcripts), 3::bigint,
  'finish_transcript_upload keeps transcripts of another type or language');
insert into public.episode_transcripts (episode_id, type, url)
values (tests.id('pilot'), 'text/vtt', 'https://x.test/1'), (tests.id('second'), 'text/vtt', 'https://x.test/2');
select tests.upload_transcript('pilot', 'text/vtt', 20);
select is((select count(*) from public.episode_transcripts where type = 'text/vtt' and language is null), 2::bigint,
  'finish_transcript_upload replaces transcripts hosted elsewhere, but not those of another episode');
select is(tests.used_bytes('ola'), 230::bigint, 'finish_transcript_upload releases the bytes of what it replaces');

-- The limit holds for uploads
insert into public.episode_transcripts (episode_id, url, type, language)
select tests.id('second'), 'https://x.test/' || n, 'text/plain', 'x-' || n from generate_series(1, 19) n;
select is(tests.error_of($$ select tests.upload_transcript('second', 'text/html') $$), 'PT409 EPISODE_LIST_FULL',
  'finish_transcript_upload returns 409 for the 21st transcript of an episode');
select is(tests.error_of($$ select tests.upload_transcript('second', 'text/plain', 10, 'x-1') $$), 'none',
  'finish_transcript_upload replaces a transcript of an episode that has 20');
update public.billing_accounts set storage_bytes_used = 1073741824 where user_id = tests.id('ola');
select is(tests.error_of($$ select tests.upload_transcript('pilot', 'text/html', 1) $$),
  'PT409 STORAGE_ALLOWANCE_EXCEEDED', 'finish_transcript_upload returns 409 over the allowance');
update public.billing_accounts set storage_bytes_used = 240 where user_id = tests.id('ola');

-- URLs of ours
select is(tests.error_of(format($i$ insert into public.episode_transcripts (episode_id, type, url)
    values (%L, 'text/vtt', 'https://casts.test/storage/v1/object/public/media/%s') $i$, tests.id('pilot'), b)),
  'PT400 URL_NOT_EXTERNAL', 'clients cannot add a transcript with the URL of a stored object')
from (select tests.act_as('ana')) a, objects;
select tests.act_as('postgres');

-- Deletion by a client
select tests.empty_queue('storage_gc');
create temp table german as select private.own_object_path(url) as path from public.episode_transcripts
  where episode_id = tests.id('pilot') and type = 'text/plain';
select is(tests.result_of('ana', $$ delete from public.episode_transcripts where bytes is not null
  and type = 'text/plain' and episode_id = tests.id('pilot') $$), 'ok 1', 'an admin deletes a stored transcript');
select is(tests.used_bytes('ola'), 230::bigint, 'a deleted transcript is no longer charged');
select results_eq('select tests.queued_paths()', 'select path from german',
  'the object of a deleted transcript of an unpublished episode is enqueued for deletion at once');
select is(private.claim_orphaned_objects('media', array(select path from german)), array(select path from german),
  'the object of a deleted transcript may be deleted');

-- Published: objects wait for the sweep, which keeps the current ones
select tests.upload_audio('pilot', 10);
update public.episodes set status = 'published' where id = tests.id('pilot');
create temp table published as select private.own_object_path(url) as path, language from public.episode_transcripts
  where episode_id = tests.id('pilot') and bytes is not null;
select tests.empty_queue('storage_gc'), tests.upload_transcript('pilot', 'text/vtt', 30, 'de');
delete from public.episode_transcripts where episode_id = tests.id('pilot') and language is null;
select is_empty('select tests.queued_paths()',
  'objects of replaced and deleted transcripts of a published episode are kept for cached feeds');
update storage.objects set created_at = now() - interval '30 days';
select private.sweep_storage(now() + interval '8 days');
select set_eq('select tests.queued_paths()', $$ select o.name from storage.objects o
    where o.name like '%/transcripts/%' except select tests.live_objects() $$,
  'sweep_storage enqueues objects of replaced, deleted and unfinished transcripts, and no others');
select ok(private.is_object_referenced(private.own_object_path(url)),
  'is_object_referenced is true for the object of a transcript')
from public.episode_transcripts where episode_id = tests.id('pilot') and bytes is not null;

-- Deletion of the episode, transfer and deletion of the podcast
select tests.empty_queue('storage_gc');
delete from public.episodes where id = tests.id('second');
select is((select count(*) from tests.queued_paths()), 1::bigint,
  'a deleted episode that was never published enqueues the objects of its transcripts');
select is(tests.used_bytes('ola'), 40::bigint, 'the transcripts of a deleted episode are no longer charged');
update public.podcasts set owner_id = tests.id('ana') where id = tests.id('show');
select is(tests.used_bytes('ana'), 40::bigint, 'a transfer moves the bytes of transcripts to the new owner');
select tests.empty_queue('storage_gc');
delete from public.podcasts where id = tests.id('show');
select is((select count(*) from tests.queued_paths() p where p like '%/transcripts/%'
    and p in (select path from published)), 2::bigint, 'a deleted podcast enqueues all its transcripts');
select is(tests.used_bytes('ana'), 0::bigint, 'the transcripts of a deleted podcast are no longer charged');

select * from tests.finish();
rollback;
