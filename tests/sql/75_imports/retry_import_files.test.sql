-- retry_import_files: the files that the report names NOT_COPIED, once each, unless the podcaster has changed them.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'mo'), tests.person('eve'), tests.import('one', 'show', 'preview');
select tests.import_item('a', 'one', payload => '{"chapters": "https://a.example/c.json",
  "enclosure": {"url": "https://a.example/a.mp3"}, "image": "https://a.example/a.png",
  "transcripts": [{"url": "https://a.example/1.vtt", "type": "text/vtt"}]}');
select tests.import_item('b', 'one', payload => '{"enclosure": {"url": "https://a.example/b.mp3"}}');
insert into private.import_channels (import_id, fields) values (tests.id('one'),
  '{"image": "https://a.example/cover.png"}');
insert into public.podcast_import_channels (import_id, podcast_id, fields, losses)
values (tests.id('one'), tests.id('show'), '{"image": "https://a.example/cover.png"}', '[]');
create function pg_temp.retry() returns text language sql as $$
  select tests.call_as_ana('retry_import_files') $$;
create function pg_temp.message(kind text) returns jsonb language sql as $$
  select jsonb_build_object('type', 'import_file', 'kind', kind, 'podcast_id', tests.id('show')) || case kind
    when 'cover' then jsonb_build_object('import_id', tests.id('one'))
    else jsonb_build_object('import_item_id', tests.id('a')) end
    || case kind when 'transcript' then jsonb_build_object('transcript_id',
      (select id from public.episode_transcripts)) else '{}' end $$;

select is(pg_temp.retry(), 'PT409 INVALID_IMPORT_STATE',
  'retry_import_files returns 409 for an import that was never confirmed');
update public.podcast_imports set status = 'running';
select private.create_imported_episode(i, format('podcasts/%s/e/%s/audio/a.mp3', i.podcast_id, i.id), 1000,
  'audio/mpeg', 60, '{"isPending": true}') from public.podcast_import_items i;
update public.podcast_import_items set status = 'processing';
update public.podcast_import_items set status = 'completed', episode_id = id;
select private.apply_import_channel(i, '{image}') from public.podcast_imports i;
select is(pg_temp.retry()::jsonb, '{"retriedCount": 0}',
  'retry_import_files retries no file whose first copy is still enqueued');
select private.fail_import_file(message, 'The server responded with status 403')
from tests.queued('import_files') q (message);
select tests.empty_queue('import_files');

select is(tests.result_of(who, 'select public.retry_import_files(tests.id(''one''))'), 'PT403',
  format('retry_import_files returns 403 to %s', who)) from unnest('{mo,eve}'::text[]) who;
select is(tests.result_of('ana', 'select public.retry_import_files(gen_random_uuid())'), 'PT404',
  'retry_import_files returns 404 for an unknown import');
savepoint lost;
select is(pg_temp.retry()::jsonb, '{"retriedCount": 4}', 'retry_import_files returns the number of files');
select bag_eq($$ select tests.queued('import_files') $$,
  $$ select pg_temp.message(kind) from unnest('{cover,chapters,image,transcript}'::text[]) kind $$,
  'retry_import_files enqueues the cover, chapters, image and transcript that were not copied');
select is(pg_temp.retry()::jsonb, '{"retriedCount": 0}', 'a repeated retry_import_files enqueues nothing again');
select is((select count(*) from tests.queued('import_files') m where (private.import_file_source(m)).url is null),
  0::bigint, 'retry_import_files enqueues only files that the worker copies');

rollback to lost;
update public.podcasts set cover_image_url = 'https://b.example/mine.png' where id = tests.id('show');
update public.episodes set cover_image_url = null, chapters_url = null where id = tests.id('a');
select is(pg_temp.retry()::jsonb, '{"retriedCount": 1}',
  'retry_import_files leaves out what the podcaster has changed since');

-- An admin cannot have a file of the old host copied with the importer's login
rollback to lost;
insert into public.episode_transcripts (episode_id, podcast_id, url, type)
values (tests.id('a'), tests.id('show'), 'https://a.example/private.txt', 'text/plain');
select is(pg_temp.retry()::jsonb, '{"retriedCount": 4}',
  'retry_import_files leaves out a transcript that the feed does not have');

rollback to lost;
do $$ begin
  for n in 1..10 loop
    perform private.consume_rate_limit('import_file_retries:' || tests.id('show'), 10, interval '1 hour', now());
  end loop;
end $$;
select matches(pg_temp.retry(), '^PT429', 'retry_import_files returns 429 after ten retries an hour');

rollback to lost;
select is(private.finish_import_chapters(pg_temp.message('chapters'), '[{"start_seconds": 1, "title": "One"}]'), true,
  'a file that was not copied can be copied later');
select is((select losses @> '[{"path": "podcast:chapters"}]' from public.podcast_import_item_texts
  where import_item_id = tests.id('a')), false, 'a copy removes the loss of its file');
select is(pg_temp.retry()::jsonb, '{"retriedCount": 3}', 'retry_import_files leaves out what was copied');

select * from tests.finish();
rollback;
