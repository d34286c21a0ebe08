-- The files of a feed are copied one by one: what a run gets, when the file becomes ours, and what the report says.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'mo'), tests.person('eve'), tests.import('one', 'show', 'preview');
select tests.import_item('a', 'one', payload => '{"chapters": "https://a.example/c.json",
  "enclosure": {"url": "https://a.example/a.mp3"}, "image": "https://a.example/a.png",
  "simpleChapters": [{"startSeconds": 0, "title": "Intro"}],
  "transcripts": [{"url": "https://a.example/1.vtt", "type": "text/vtt"},
    {"url": "https://a.example/2.srt", "type": "application/srt", "language": "de", "rel": "captions"}]}');
select tests.import_item('b', 'one', payload => '{"enclosure": {"url": "https://a.example/b.mp3"}}');
insert into private.import_channels (import_id, fields) values (tests.id('one'),
  '{"image": "https://a.example/jane@example.com.png", "title": "Night Trains"}');
insert into public.podcast_import_channels (import_id, podcast_id, fields, losses)
values (tests.id('one'), tests.id('show'), '{"image": "https://a.example/j***@e***.com.png"}', '[]');
update public.podcast_imports set status = 'running';
create function pg_temp.create_episode(guid text, image jsonb) returns void language plpgsql as $$
declare item public.podcast_import_items; begin
  select * into item from public.podcast_import_items where id = tests.id(create_episode.guid);
  perform private.create_imported_episode(item, format('podcasts/%s/e/%s/audio/a.mp3', item.podcast_id, item.id), 1000,
    'audio/mpeg', 60, image);
  update public.podcast_import_items set status = 'processing' where id = item.id;
  update public.podcast_import_items set status = 'completed', episode_id = item.id where id = item.id;
end $$;
create function pg_temp.losses(guid text default 'a') returns jsonb language sql as $$
  select losses from public.podcast_import_item_texts where import_item_id = tests.id(guid) $$;
create function pg_temp.copies(guid text default 'a') returns jsonb language sql as $$
  select private.list_copies(i, t.copies) from public.podcast_import_items i
  join public.podcast_import_item_texts t on t.import_item_id = i.id where i.id = tests.id(copies.guid) $$;

select is((
  select array_agg(s) from unnest(enum_range(null::public.import_item_status)) s
  where private.list_copies(jsonb_populate_record(null::public.podcast_import_items, jsonb_build_object(
    'status', s, 'parsed_payload', '{"enclosure": {"url": "https://a.example/b.mp3"}}'::jsonb)), '[]') <> '[]'),
  '{completed}', 'list_copies has the enclosure of no item that is not completed');

-- Messages
select pg_temp.create_episode('b', null);
select is_empty($$ select tests.queued('import_files') $$,
  'create_imported_episode enqueues no copy of an item without transcripts and chapters');
select is(pg_temp.copies('b'), '[{"path": "enclosure", "url": "https://a.example/b.mp3"}]',
  'list_copies has the enclosure of a completed item');
select pg_temp.create_episode('a', jsonb_build_object('path', format('podcasts/%s/e/%s/images/a.png', tests.id('show'),
  tests.id('a')), 'bytes', 500, 'contentType', 'image/png', 'width', 1400, 'height', 1400));
select is(pg_temp.copies(), '[{"path": "enclosure", "url": "https://a.example/a.mp3"},
  {"path": "itunes:image", "url": "https://a.example/a.png"}]',
  'create_imported_episode adds the copied image to the enclosure');
create temp table t as select row_number() over (order by display_order) as n, id from public.episode_transcripts;
create function pg_temp.message(kind text, n int default null) returns jsonb language sql as $$
  select jsonb_build_object('type', 'import_file', 'kind', kind, 'podcast_id', tests.id('show')) || case kind
    when 'cover' then jsonb_build_object('import_id', tests.id('one'))
    else jsonb_build_object('import_item_id', tests.id('a')) end
    || case when n is null then '{}'
      else jsonb_build_object('transcript_id', (select id from t where t.n = message.n)) end
$$;
select results_eq($$ select tests.queued('import_files') $$,
  $$ values (pg_temp.message('chapters')), (pg_temp.message('transcript', 1)), (pg_temp.message('transcript', 2)) $$,
  'create_imported_episode enqueues one message for the chapters and for each transcript, with ids only');

-- Begun
create temp table begun as select private.begin_import_file(pg_temp.message('transcript', 1)) as file;
select is((select file - 'paths' from begun), jsonb_build_object('podcastId', tests.id('show'),
  'episodeId', tests.id('a'), 'url', 'https://a.example/1.vtt', 'type', 'text/vtt', 'maxBytes', 5242880,
  'login', null),
  'begin_import_file returns the address of a transcript and its limit');
select bag_eq($$ select p.key from begun, jsonb_each_text(file -> 'paths') p
    where p.value ~ format('^podcasts/%s/e/%s/transcripts/[0-9a-f-]{36}\.', tests.id('show'), tests.id('a')) $$,
  'select unnest(private.transcript_types())', 'begin_import_file returns a path for a transcript of each type');
select is(private.begin_import_file(pg_temp.message('chapters')), jsonb_build_object('podcastId', tests.id('show'),
  'episodeId', tests.id('a'), 'url', 'https://a.example/c.json', 'type', null, 'maxBytes', 5242880,
  'login', null, 'paths', null),
  'begin_import_file returns the address of a chapters document');
select is(private.begin_import_file(pg_temp.message('transcript', 1)
  || jsonb_build_object('import_item_id', tests.id('b'))), null,
  'begin_import_file returns null for the transcript of another item');
select tests.set_status('show', 'pending_deletion');
select throws_ok($$ select private.begin_import_file(pg_temp.message('transcript', 1)) $$, 'PT409', null,
  'begin_import_file returns 409 when the podcast is pending deletion');
select tests.set_status('show', 'active');

-- Finished transcripts
create function pg_temp.store(type text) returns text language sql as $$
  select tests.store_object(private.transcript_path(tests.id('show'), tests.id('a'), gen_random_uuid(), type), 100) $$;
create temp table stored as select pg_temp.store('text/vtt') as path;
create function pg_temp.finish(n int, path text, bytes bigint default 100, type text default 'text/vtt',
  repairs text default null) returns boolean language sql as $$
  select private.finish_import_transcript(pg_temp.message('transcript', n), path, bytes, type, repairs) $$;
select throws_ok($$ select pg_temp.finish(1, (select path from stored), 99) $$, 'PT500', null,
  'finish_import_transcript rejects an object whose stored size differs');
select throws_ok($$ select pg_temp.finish(1, tests.store_object('podcasts/x/e/y/transcripts/a.vtt', 100)) $$, 'PT500',
  null, 'finish_import_transcript rejects an object in another folder');
create temp table allowance as select storage_bytes_used as used from public.billing_accounts
  where user_id = tests.id('ola');
update public.billing_accounts set storage_bytes_used = 1073741824 - 99 where user_id = tests.id('ola');
select throws_ok($$ select pg_temp.finish(1, (select path from stored)) $$, 'PT409',
  'This would exceed the account''s storage allowance',
  'finish_import_transcript returns 409 one byte over the allowance');
update public.billing_accounts set storage_bytes_used = (select used from allowance) where user_id = tests.id('ola');
select tests.empty_queue('feed_invalidation');
select is(pg_temp.finish(1, (select path from stored), type => 'application/x-subrip', repairs => 'NUL (line 3)'), true,
  'finish_import_transcript returns true for a file that becomes ours');
select is((select i.warnings -> -1 from public.podcast_import_items i where i.id = tests.id('a')),
  '{"code": "TRANSCRIPT_REPAIRED", "message": "A transcript was repaired: NUL (line 3)"}',
  'finish_import_transcript warns of the repairs');
select is((select (url, bytes, type, language, display_order)::text from public.episode_transcripts
    where id = (select id from t where n = 1)),
  (private.get_setting('media_url') || '/' || (select path from stored), 100, 'application/x-subrip', null, 0)::text,
  'finish_import_transcript sets address, size and type of the transcript');
select is(tests.used_bytes('ola') - (select used from allowance), 100::bigint,
  'finish_import_transcript charges the file to the account');
select is(pg_temp.copies() -> 2, '{"path": "podcast:transcript", "url": "https://a.example/1.vtt"}',
  'finish_import_transcript reports the address that was copied');
select isnt_empty($$ select tests.queued('feed_invalidation') $$, 'finish_import_transcript invalidates the feed');
select is(pg_temp.finish(1, (select path from stored)), true, 'a repeated finish_import_transcript keeps its object');
select is(pg_temp.finish(1, pg_temp.store('text/vtt')), false,
  'finish_import_transcript returns false when another run has copied the file');
select is(jsonb_array_length(pg_temp.copies()), 3, 'finish_import_transcript reports a copy once');
select is((select jsonb_array_length(jsonb_path_query_array(i.warnings, '$[*] ? (@.code == "TRANSCRIPT_REPAIRED")'))
  from public.podcast_import_items i where i.id = tests.id('a')), 1, 'finish_import_transcript warns of repairs once');
select is(private.begin_import_file(pg_temp.message('transcript', 1)), null,
  'begin_import_file returns null for a transcript that is copied');
select private.fail_import_file(pg_temp.message('transcript', 1), 'late');
select is(pg_temp.losses(), '[]', 'fail_import_file reports no loss of a transcript that is copied');

-- Failed
select private.fail_import_file(pg_temp.message('transcript', 2), 'The server responded with status 404') from
  generate_series(1, 2);
select is(pg_temp.losses(), '[{"path": "podcast:transcript", "reason": "NOT_COPIED",
  "excerpt": "https://a.example/2.srt (The server responded with status 404)"}]',
  'fail_import_file reports a transcript once, with its address and the reason');
select is((select (url, bytes)::text from public.episode_transcripts where id = (select id from t where n = 2)),
  '(https://a.example/2.srt,)', 'a transcript that was not copied keeps its address');
select pgmq.send('import_files_dlq', jsonb_build_object('error', 'The server took too long', 'message',
  pg_temp.message('transcript', 2)));
select is(pg_temp.losses(), '[{"path": "podcast:transcript", "reason": "NOT_COPIED",
  "excerpt": "https://a.example/2.srt (The server took too long)"}]',
  'a dead letter reports its file as lost, in place of an earlier reason');
select lives_ok(
  format('select pgmq.send(''import_files_dlq'', %L)', jsonb_build_object('error', 'x', 'message', message)),
  format('a dead letter with the message %s is stored', message))
from unnest(array['"text"', '{}', '{"import_item_id": "x", "kind": "transcript"}',
  '{"kind": "other", "podcast_id": "7c3e6dbb-5a0a-4a2f-8a3c-0d9d0a4e1b11"}', 'null']::jsonb[]) message;
delete from public.episode_transcripts where id = (select id from t where n = 2);
select is(pg_temp.finish(2, pg_temp.store('application/x-subrip'), type => 'application/x-subrip'), false,
  'finish_import_transcript returns false when the podcaster has deleted the transcript');
select private.fail_import_file(pg_temp.message('transcript', 2), 'later');
select is(jsonb_array_length(pg_temp.losses()), 1, 'fail_import_file reports no loss of a deleted transcript');

-- Chapters
create function pg_temp.finish_chapters(chapters jsonb) returns boolean language sql as $$
  select private.finish_import_chapters(pg_temp.message('chapters'), chapters) $$;
create function pg_temp.chapters() returns text language sql as $$
  select string_agg(c.title, ', ' order by c.start_seconds) || coalesce(' ' || min(e.chapters_url), '')
  from public.episodes e join public.episode_chapters c on c.episode_id = e.id where e.id = tests.id('a') $$;
savepoint before;
select is(pg_temp.finish_chapters('[]'), true, 'finish_import_chapters takes an empty document');
select is(pg_temp.chapters(), 'Intro', 'an empty document of chapters replaces no chapters');
rollback to before;
update public.episode_chapters set title = 'Mine' where episode_id = tests.id('a');
select is(pg_temp.finish_chapters('[{"start_seconds": 1, "title": "Two"}]'), false,
  'finish_import_chapters returns false when the podcaster has changed a chapter');
select is(pg_temp.chapters(), 'Mine https://a.example/c.json',
  'chapters that the podcaster has changed stay, with the address of the document');
select is(private.begin_import_file(pg_temp.message('chapters')), null,
  'begin_import_file returns null for chapters that the podcaster has changed');
rollback to before;
update public.episodes set chapters_url = 'https://b.example/mine.json' where id = tests.id('a');
select is(pg_temp.finish_chapters('[{"start_seconds": 1, "title": "Two"}]'), false,
  'finish_import_chapters returns false when the podcaster has set another document');
rollback to before;
select private.fail_import_file(pg_temp.message('chapters'), 'The chapters are invalid: Line 1');
select is(pg_temp.losses() -> 1, '{"path": "podcast:chapters", "reason": "NOT_COPIED",
  "excerpt": "https://a.example/c.json (The chapters are invalid: Line 1)"}',
  'fail_import_file reports a chapters document, with its address and the reason');
select is(pg_temp.chapters(), 'Intro https://a.example/c.json', 'a document that was not copied keeps its address');
select is(pg_temp.finish_chapters('[{"start_seconds": 1, "end_seconds": 3, "title": "Two", "is_in_toc": false},
  {"start_seconds": 0, "title": "One", "location": {"name": "Graz"}}]'), true,
  'finish_import_chapters returns true for chapters that become ours');
select is(pg_temp.chapters(), 'One, Two', 'finish_import_chapters replaces the simple chapters and the address');
select is(pg_temp.copies() -> 3, '{"path": "podcast:chapters", "url": "https://a.example/c.json"}',
  'finish_import_chapters reports the address that was copied');
select is(pg_temp.finish_chapters('[]'), false, 'a second finish_import_chapters changes nothing');

-- Cover
create function pg_temp.cover() returns text language sql as $$
  select cover_image_url from public.podcasts where id = tests.id('show') $$;
create function pg_temp.channel() returns jsonb language sql as $$
  select jsonb_build_object('copies', copies, 'losses', losses) from public.podcast_import_channels $$;
select tests.empty_queue('import_files');
select private.apply_import_channel(i, '{title}') from public.podcast_imports i;
select is_empty($$ select tests.queued('import_files') $$, 'apply_import_channel without image enqueues no copy');
update public.podcasts set cover_image_url = 'https://b.example/old.png' where id = tests.id('show');
select private.apply_import_channel(i, '{image}') from public.podcast_imports i;
select results_eq($$ select tests.queued('import_files') $$, $$ values (pg_temp.message('cover')) $$,
  'apply_import_channel enqueues the copy of the image');
select is(pg_temp.cover(), 'https://b.example/old.png', 'the podcast has its old cover until the copy is stored');
select is(private.begin_import_file(pg_temp.message('cover')), jsonb_build_object('podcastId', tests.id('show'),
  'episodeId', null, 'url', 'https://a.example/jane@example.com.png', 'type', null, 'maxBytes', 5242880,
  'login', null, 'paths', null),
  'begin_import_file returns the address of the cover');
create function pg_temp.finish_cover(path text) returns boolean language sql as $$
  select private.finish_import_image(pg_temp.message('cover'), path, 1000, 'image/jpeg', tests.square_image()) $$;
savepoint confirmed;
update public.podcasts set cover_image_url = 'https://b.example/new.png' where id = tests.id('show');
select is(pg_temp.finish_cover(tests.store_image_object('cover')), false,
  'finish_import_image returns false when the podcaster has set another cover');
select private.fail_import_file(pg_temp.message('cover'), 'x');
select is(pg_temp.cover(), 'https://b.example/new.png', 'a cover that the podcaster has set meanwhile stays');
select is(pg_temp.channel(), '{"copies": [], "losses": []}',
  'a cover that the podcaster has replaced is neither copied nor lost');
rollback to confirmed;
select private.fail_import_file(pg_temp.message('cover'), 'Image dimensions too small') from generate_series(1, 2);
select is(pg_temp.cover(), 'https://a.example/jane@example.com.png', 'a cover that was not copied is linked');
select is(pg_temp.channel(), '{"copies": [], "losses": [{"path": "itunes:image", "reason": "NOT_COPIED",
  "excerpt": "https://a.example/j***@e***.png (Image dimensions too small)"}]}',
  'fail_import_file reports a cover once, the owner''s address masked');
rollback to confirmed;
select tests.set_status('show', 'pending_deletion');
select private.fail_import_file(pg_temp.message('cover'), 'The podcast is scheduled for deletion');
select is(pg_temp.cover(), 'https://b.example/old.png', 'a podcast pending deletion keeps its cover');
rollback to confirmed;
update private.import_channels set
  fields = jsonb_build_object('image', tests.media_url('podcasts/x/images/cover/a.jpg'));
select private.fail_import_file(pg_temp.message('cover'), 'x');
select is(pg_temp.cover(), 'https://b.example/old.png', 'an object of another podcast is not linked as cover');
select is(jsonb_array_length(pg_temp.channel() -> 'losses'), 1, 'an object of another podcast is reported as lost');
rollback to confirmed;
create temp table cover as select tests.store_image_object('cover') as path;
select throws_ok($$ select pg_temp.finish_cover(tests.store_image_object('header')) $$, 'PT500', null,
  'finish_import_image rejects an object in another folder');
select is(pg_temp.finish_cover((select path from cover)), true, 'finish_import_image returns true for a cover of ours');
select is(private.own_object_path(pg_temp.cover()), (select path from cover), 'finish_import_image sets the cover');
select is((select (usage, bytes, width, released_at)::text from private.media_objects
  where path = (select path from cover)), '(cover,1000,1400,)', 'finish_import_image adds the object to the ledger');
select is(pg_temp.channel(), '{"copies": [{"path": "itunes:image", "url": "https://a.example/j***@e***.png"}],
  "losses": []}', 'finish_import_image reports the copy, the owner''s address masked');
select is(pg_temp.finish_cover((select path from cover)), true, 'a repeated finish_import_image keeps its object');
select is(private.begin_import_file(pg_temp.message('cover')), null,
  'begin_import_file returns null for a copied cover');

-- Item images
select tests.import_item(g, 'one', payload => jsonb_build_object('image', url))
from (values ('c', 'https://a.example/c.png'), ('d', 'ftp://a.example/d.png'),
  ('e', tests.media_url('podcasts/x/e/y/images/a.jpg'))) i (g, url);
select pg_temp.create_episode(g,
  '{"warning": {"code": "INVALID_IMAGE", "message": "Episode artwork was skipped: 404"}}')
from unnest('{c,d,e}'::text[]) g;
select is((select jsonb_object_agg(guid, cover_image_url) from public.episodes where guid in ('c', 'd', 'e')),
  '{"c": "https://a.example/c.png", "d": null, "e": null}',
  'an episode whose image was not copied has its address, unless that is invalid or an object of ours');
select is(pg_temp.losses('c'), '[{"path": "itunes:image", "reason": "NOT_COPIED",
  "excerpt": "https://a.example/c.png (Episode artwork was skipped: 404)"}]',
  'create_imported_episode reports an image that was not copied');
select is(pg_temp.copies('c'), '[]', 'create_imported_episode reports no copy of an image that was not copied');
select tests.import_item('f', 'one', payload => '{"image": "https://a.example/f.png"}');
select tests.empty_queue('import_files');
select pg_temp.create_episode('f', '{"isPending": true}');
create function pg_temp.image() returns jsonb language sql as $$
  select pg_temp.message('image') || jsonb_build_object('import_item_id', tests.id('f')) $$;
select results_eq($$ select tests.queued('import_files') $$, 'values (pg_temp.image())',
  'create_imported_episode enqueues the copy of an image that could not be fetched yet');
select is(pg_temp.losses('f'), '[]', 'create_imported_episode reports no loss of an image that is tried again');
select is(private.begin_import_file(pg_temp.image()), jsonb_build_object('podcastId', tests.id('show'),
  'episodeId', tests.id('f'), 'url', 'https://a.example/f.png', 'type', null, 'maxBytes', 5242880,
  'login', null, 'paths', null),
  'begin_import_file returns the address of an image, its episode and its limit');
create temp table image as select tests.store_object(
  format('podcasts/%s/e/%s/images/f.png', tests.id('show'), tests.id('f')), 1000) as path;
create function pg_temp.finish_image() returns boolean language sql as $$
  select private.finish_import_image(pg_temp.image(), (select path from image), 1000, 'image/png',
    '{"width": 600, "height": 400}') $$;
savepoint linked;
select private.fail_import_file(pg_temp.image(), 'The server responded with status 404');
select is((select (e.cover_image_url, pg_temp.losses('f') #>> '{0,excerpt}', i.warnings #>> '{0,message}')::text
  from public.episodes e join public.podcast_import_items i on i.episode_id = e.id where e.id = tests.id('f')),
  ('https://a.example/f.png', 'https://a.example/f.png (The server responded with status 404)',
    'Episode artwork was skipped: The server responded with status 404')::text,
  'fail_import_file reports an image, which stays linked, and warns');
rollback to linked;
update public.episodes set cover_image_url = 'https://b.example/mine.png' where id = tests.id('f');
select is(pg_temp.finish_image(), false,
  'finish_import_image returns false when the podcaster has set another image of the episode');
rollback to linked;
select private.fail_import_file(pg_temp.image(), 'x');
select is(pg_temp.finish_image(), true, 'finish_import_image returns true for an image that becomes ours');
select is((select (private.own_object_path(e.cover_image_url), m.width, m.height)::text
  from public.episodes e join private.media_objects m on m.episode_id = e.id where e.id = tests.id('f')
    and m.usage = 'episode_cover'), (select (path, 600, 400)::text from image),
  'finish_import_image sets the image of the episode, of any size and ratio');
select is((select (losses, copies)::text from public.podcast_import_item_texts where import_item_id = tests.id('f')),
  ('[]'::jsonb, '[{"path": "itunes:image", "url": "https://a.example/f.png"}]'::jsonb)::text,
  'finish_import_image moves the file from the losses to the copies');

select * from tests.finish();
rollback;
