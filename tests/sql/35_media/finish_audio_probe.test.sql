-- Audio probes: when one is enqueued, and what finish_audio_probe writes.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.episode('pilot', 'show');
create function pg_temp.set_audio(path text, seconds int default null, episode text default 'pilot') returns void
language sql as $$
  update public.episodes set audio_url = 'https://casts.test/storage/v1/object/public/media/' || path,
    audio_file_size_bytes = 1000, audio_content_type = 'audio/mpeg', audio_duration_seconds = seconds
  where id = tests.id(episode) $$;
create function pg_temp.finish(path text, seconds numeric, chapters jsonb default '[]', episode text default 'pilot')
returns boolean language sql as $$
  select private.finish_audio_probe(tests.id(episode), path, seconds, chapters, true) $$;
create function pg_temp.seconds(episode text default 'pilot') returns int language sql as $$
  select audio_duration_seconds from public.episodes where id = tests.id(episode) $$;

-- Enqueued
select tests.empty_queue('audio_probes');
select pg_temp.set_audio('a.mp3');
select results_eq($$ select tests.queued('audio_probes') $$,
  $$ select jsonb_build_object('type', 'audio_probe', 'podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'),
    'path', 'a.mp3') $$, 'new audio without a duration enqueues its probe');
select tests.empty_queue('audio_probes');
select pg_temp.set_audio('a.mp3');
select is_empty($$ select tests.queued('audio_probes') $$, 'an update that keeps the audio enqueues no probe');
select pg_temp.set_audio('b.mp3', 60);
select is((select count(*) from tests.queued('audio_probes')), 1::bigint,
  'new audio with a duration of an episode without chapters enqueues a probe');
select tests.empty_queue('audio_probes');
update public.episodes set chapters_url = 'https://x.test/' where id = tests.id('pilot');
select pg_temp.set_audio('c.mp3', 60);
select is((select count(*) from tests.queued('audio_probes')), 1::bigint,
  'new audio with a duration of an episode with chapters_url enqueues a probe, which looks for a seek table');
select tests.empty_queue('audio_probes');
update public.episodes set chapters_url = null where id = tests.id('pilot');
insert into public.episode_chapters (episode_id, start_seconds, title) values (tests.id('pilot'), 3, 'Mine');
select pg_temp.set_audio('d.mp3', 60);
select is((select count(*) from tests.queued('audio_probes')), 1::bigint,
  'new audio with a duration of an episode with chapters enqueues a probe, which looks for a seek table');
select tests.empty_queue('audio_probes');
select pg_temp.set_audio('e.mp3');
select is((select count(*) from tests.queued('audio_probes')), 1::bigint,
  'new audio without a duration of an episode with chapters enqueues a probe');
select tests.empty_queue('audio_probes');
update public.episodes set audio_url = 'https://x.test/e.mp3' where id = tests.id('pilot');
select is_empty($$ select tests.queued('audio_probes') $$, 'audio of another host enqueues no probe');
update public.episodes set audio_url = null, audio_file_size_bytes = null, audio_content_type = null
where id = tests.id('pilot');
select is_empty($$ select tests.queued('audio_probes') $$, 'removed audio enqueues no probe');
insert into public.episodes (podcast_id, title, audio_url, audio_file_size_bytes, audio_content_type)
values (tests.id('show'), 'Imported', 'https://casts.test/storage/v1/object/public/media/i.mp3', 1, 'audio/mpeg');
select is((select count(*) from tests.queued('audio_probes')), 1::bigint,
  'an episode that is inserted with audio, as imports do, enqueues a probe');

-- Chapters of the podcaster
select pg_temp.set_audio('f.mp3');
select ok(pg_temp.finish('f.mp3', 61.5, '[{"start": 1, "title": "File"}]'),
  'finish_audio_probe returns true when it writes what is missing');
select is(pg_temp.seconds(), 62, 'finish_audio_probe writes the rounded duration');
select results_eq($$ select title from public.episode_chapters where episode_id = tests.id('pilot') $$,
  $$ values ('Mine') $$, 'finish_audio_probe keeps the chapters of the podcaster');
select ok(not pg_temp.finish('f.mp3', 70), 'finish_audio_probe returns false when nothing is missing');
delete from public.episode_chapters;
select ok(pg_temp.finish('f.mp3', 70), 'finish_audio_probe succeeds while chapters are missing');
select is(pg_temp.seconds(), 62, 'finish_audio_probe keeps a duration');
update public.episodes set chapters_url = 'https://x.test/', audio_duration_seconds = null where id = tests.id('pilot');
select pg_temp.finish('f.mp3', 0.2, '[{"start": 0, "title": "File"}]');
select is(pg_temp.seconds(), 1, 'finish_audio_probe writes at least a second');
select is_empty($$ select from public.episode_chapters $$, 'finish_audio_probe adds no chapters beside chapters_url');
update public.episodes set chapters_url = null where id = tests.id('pilot');

-- Seek tables
create function pg_temp.has_seek_table() returns boolean language sql as $$
  select audio_has_seek_table from public.episodes where id = tests.id('pilot') $$;
delete from public.episode_chapters;
select pg_temp.set_audio('s.mp3', 60);
select is(pg_temp.has_seek_table(), null, 'new audio has an unknown seek table');
select private.finish_audio_probe(tests.id('pilot'), 's.mp3', 60);
select is(pg_temp.has_seek_table(), null, 'finish_audio_probe leaves the seek table of an unreadable file unknown');
select ok(private.finish_audio_probe(tests.id('pilot'), 's.mp3', 45, '[]', false),
  'finish_audio_probe writes that a file has no seek table');
select is(pg_temp.has_seek_table(), false, 'finish_audio_probe stores that a file has no seek table');
select is(pg_temp.seconds(), 45, 'finish_audio_probe replaces the declared duration of a file without a seek table');
update public.episodes set audio_duration_seconds = 50 where id = tests.id('pilot');
select private.finish_audio_probe(tests.id('pilot'), 's.mp3', 45, '[]', false);
select is(pg_temp.seconds(), 50, 'finish_audio_probe keeps a duration that was written after the probe');
select pg_temp.set_audio('v.mp3', 60);
select private.finish_audio_probe(tests.id('pilot'), 'v.mp3', 45, '[]', true);
select is(pg_temp.seconds(), 60, 'finish_audio_probe keeps the declared duration of a file with a seek table');
select pg_temp.set_audio('t.mp3', 60);
select is(pg_temp.has_seek_table(), null, 'replaced audio forgets whether the file before had a seek table');
select is(tests.result_of('ana', $$ update public.episodes set audio_has_seek_table = true
  where id = tests.id('pilot') $$), '42501', 'admins may not write whether audio has a seek table');
select is(tests.result_of('vic', $$ select audio_has_seek_table from public.episodes where id = tests.id('pilot') $$),
  'ok 1', 'members read whether audio has a seek table');

-- Replaced audio
select pg_temp.set_audio('g.mp3');
select ok(not pg_temp.finish('f.mp3', 70, '[{"start": 1, "title": "File"}]'),
  'finish_audio_probe returns false when the audio was replaced');
select ok(pg_temp.seconds() is null and not exists (select from public.episode_chapters),
  'finish_audio_probe writes nothing when the audio was replaced');
select ok(not private.finish_audio_probe(gen_random_uuid(), 'g.mp3', 70),
  'finish_audio_probe returns false for a deleted episode');
select pg_temp.finish('g.mp3', seconds) from unnest(array[null, 0, -1, 1000000, 'NaN', 'Infinity']::numeric[]) seconds;
select is(pg_temp.seconds(), null, 'finish_audio_probe writes no duration that cannot be');

-- Chapters of the file
select ok(pg_temp.finish('g.mp3', 100, jsonb_build_array(
  '{"start": 50, "end": 100, "title": "Third", "url": "javascript:alert(1)"}'::jsonb,
  '{"start": 0, "end": 20, "title": " First\n one "}'::jsonb,
  '{"start": 20.0001, "end": 30, "title": "Second", "url": "https://x.test/"}'::jsonb,
  '{"start": 20, "title": null, "url": "https://x.test/same"}'::jsonb,
  '{"start": 60, "end": 1, "url": "https://x.test/untitled"}'::jsonb,
  '{"start": 61, "title": "Hidden", "isInToc": false}'::jsonb,
  '{"start": 62, "title": " \u00a0"}'::jsonb, '{"start": 63, "url": "ftp://x.test/"}'::jsonb,
  '{"start": -1, "title": "Early"}'::jsonb, '{"start": 100, "title": "Late"}'::jsonb,
  jsonb_build_object('start', 70, 'title', repeat('ü', 200)))), 'finish_audio_probe accepts what a file holds');
select results_eq($$ select start_seconds, end_seconds, title, url, is_in_toc from public.episode_chapters
  order by start_seconds $$,
  $$ values (0::numeric, null::numeric, 'First one', null, true), (20, 30, 'Second', 'https://x.test/', true),
    (50, null, 'Third', null, true), (60, null, null, 'https://x.test/untitled', false),
    (61, null, 'Hidden', null, false), (70, null, repeat('ü', 128), null, true) $$,
  'finish_audio_probe writes the chapters that the table accepts');
select ok(not pg_temp.finish('g.mp3', 100, '[{"start": 1, "title": "Other"}]'),
  'finish_audio_probe returns false when it is repeated');
delete from public.episode_chapters;
select pg_temp.finish('g.mp3', null, (select jsonb_agg(jsonb_build_object('start', n, 'title', 'x'))
  from generate_series(1, 600) n));
select is((select array[count(*), max(start_seconds)] from public.episode_chapters), array[500, 500]::numeric[],
  'finish_audio_probe writes the first 500 chapters of a file whose duration is unknown');
delete from public.episode_chapters;

-- Feeds
select pg_temp.set_audio('h.mp3');
update public.episodes set status = 'published' where id = tests.id('pilot');
select tests.empty_queue('feed_invalidation');
select pg_temp.finish('h.mp3', 100);
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'the measured duration of a published episode invalidates the feed');
select tests.empty_queue('feed_invalidation');
select pg_temp.finish('h.mp3', 100, '[{"start": 1, "title": "File"}]');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'the chapters of the file of a published episode invalidate the feed');

select pg_temp.set_audio('i.mp3');
select tests.set_status('show', 'pending_deletion');
select ok(not pg_temp.finish('i.mp3', 100), 'finish_audio_probe returns false while the podcast is pending deletion');

select * from tests.finish();
rollback;
