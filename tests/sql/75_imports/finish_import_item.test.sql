-- finish_import_item creates the episode of an item in one step, once, as feed, /v1 and credits show it.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'flo');
update public.podcast_members set auto_add_to_new_episodes = true where user_id = tests.id('flo');
select tests.import('one', 'show', 'preview');
update public.podcast_imports set created_by = tests.id('ana'), created_at = '2026-01-01T00:00:00Z';
select tests.import_item('007', 'one', payload => '{
  "description": "About <b>trains</b>", "content": "<p>Notes</p>", "summary": "Short", "seasonNumber": 2,
  "episodeNumber": 5, "episodeType": "bonus",
  "explicit": true, "isBlocked": true, "itunesTitle": " Trains by night ", "chapters": "https://media.example/c.json",
  "transcripts": [{"url": "https://media.example/t.vtt", "type": null, "language": "en", "rel": null},
    {"url": "https://media.example/t.srt", "type": "application/srt", "language": null, "rel": "captions"},
    {"url": "https://media.example/t", "type": null}, {"url": "ftp://media.example/t.vtt", "type": "text/vtt"}],
  "persons": [{"name": " Jane ", "role": null, "group": null, "img": "https://p.example/j.png",
    "href": "https://p.example/j"},
    {"name": "Joe", "role": "CO-HOST", "group": "cast", "img": "nonsense", "href": null},
    {"name": "Pam", "role": "Executive Producer"},
    {"name": "Stu", "role": "Stunt Coordinator"}, {"name": "Jane", "role": "host"},
    {"name": "Ed", "role": "Audio Editor"}, {"name": "Ned", "role": "editor", "group": "Writing"},
    {"name": "Jane", "role": "composer"}, {"name": "​", "role": "guest"}, {"name": "Gus", "role": "guest"}]}');
update public.podcast_import_items set title = 'Night trains', published_at = '2015-03-04T05:06:07Z';
select tests.import_item(g, 'one') from unnest('{undated,undated2,twin,future,ancient}'::text[]) g;
update public.podcast_imports set status = 'running';
create function tests.store(guid text, kind text default 'audio', bytes bigint default 1000) returns text
  language plpgsql as $$
declare path text := format('podcasts/%s/e/%s/%s/%s.%s', tests.id('show'), tests.id(guid), kind, gen_random_uuid(),
  case kind when 'audio' then 'mp3' else 'png' end);
begin
  insert into storage.objects (bucket_id, name, metadata) values ('media', path, jsonb_build_object('size', bytes));
  return path;
end $$;
create function tests.finish(guid text, path text, image jsonb default null, bytes bigint default 1000) returns jsonb
  language sql as $$
  update public.podcast_import_items i set status = 'processing' where i.id = tests.id(guid) and i.status = 'pending';
  select private.finish_import_item(tests.id(guid), path, bytes, 'audio/mpeg', 61, image) $$;
create temp table stored (guid text, audio text, image text);
insert into stored select '007', tests.store('007'), tests.store('007', 'images', 500);
select tests.empty_queue('feed_invalidation');
select vault.create_secret('s3cret', 'worker_secret');

-- Begun
create temp table begun as select private.begin_import_item(tests.id('007'), 2) as item;
select is((select item - '{payload,audioPaths}'::text[] from begun),
  jsonb_build_object('podcastId', tests.id('show'), 'importId', tests.id('one'), 'itemId', tests.id('007'),
  'episodeId', tests.id('007'), 'guid', '007', 'title', 'Night trains', 'transfer', null,
  'remainingAllowanceBytes', 1073741824, 'maxBytes', 524288000, 'maxImageBytes', 5242880,
  'login', null),
  'begin_import_item returns the item, its allowance and its limits');
select matches((select item #>> '{audioPaths,audio/mpeg}' from begun),
  format('^podcasts/%s/e/%s/audio/[0-9a-f-]{36}\.mp3$', tests.id('show'), tests.id('007')),
  'begin_import_item returns a path for audio of each type');
select bag_eq($$ select jsonb_object_keys(item -> 'audioPaths') from begun $$, 'select unnest(private.audio_types())',
  'begin_import_item returns paths for all audio types');
select isnt((private.begin_import_item(tests.id('007'), 2) ->> 'audioPaths'), (select item ->> 'audioPaths' from begun),
  'begin_import_item returns other paths to each run');
select is((select (status, attempts)::text from public.podcast_import_items where id = tests.id('007')),
  '(processing,2)', 'begin_import_item marks the item as processing with its attempt');
insert into storage.objects (bucket_id, name, metadata)
  values ('staging', format('uploads/%s/a.mp3', tests.id('show')), '{"size": 24}');
select is(private.begin_import_item(tests.id('007'), 2) -> 'remainingAllowanceBytes', '1073741800',
  'begin_import_item subtracts the account''s staged bytes from the allowance');
select set_config('storage.allow_delete_query', 'true', true);
delete from storage.objects where bucket_id = 'staging';
select set_config('storage.allow_delete_query', '', true);

-- Refused
select throws_ok($$ select tests.finish('007', (select audio from stored), bytes => 999) $$, 'PT500', null,
  'finish_import_item rejects audio whose stored size differs from the received bytes');
select throws_ok($$ select tests.finish('007', tests.store('twin')) $$, 'PT500', null,
  'finish_import_item rejects audio in another episode''s folder');
select throws_ok(format($$ select tests.finish('007', (select audio from stored), %L) $$,
  jsonb_build_object('path', tests.store('007', 'images', 3), 'bytes', 4)), 'PT500', null,
  'finish_import_item rejects an image whose stored size differs');
update public.billing_accounts set storage_bytes_used = 1073741824 - 1499 where user_id = tests.id('ola');
create function tests.cover() returns jsonb language sql
  as $$ select jsonb_build_object('path', image, 'bytes', 500, 'contentType', 'image/png', 'width', 1400,
    'height', 1400) from stored $$;
select throws_ok($$ select tests.finish('007', (select audio from stored), tests.cover()) $$, 'PT409', null,
  'finish_import_item returns 409 one byte over the allowance');
update public.billing_accounts set storage_bytes_used = 1073741824 - 1500 where user_id = tests.id('ola');
select is((select (status, episode_id)::text from public.podcast_import_items where id = tests.id('007')),
  '(processing,)', 'a rejected finish_import_item leaves the item in progress');
select is((select count(*) from public.episodes), 0::bigint, 'a rejected finish_import_item creates no episode');

-- Made
select is(tests.finish('007', (select audio from stored), tests.cover()),
  jsonb_build_object('status', 'completed', 'episodeId', tests.id('007'), 'isKept', true),
  'finish_import_item creates the episode up to the last byte of the allowance');
select is((select jsonb_object_agg(key, value) from public.episodes e, jsonb_each(to_jsonb(e)) where key = any (
    '{id,podcast_id,slug,guid,title,itunes_title,is_blocked,summary,description,show_notes_html,status,origin,
    season_number,episode_number,episode_type,explicit,scheduled_at,published_at,first_published_at,created_by,
    chapters_url,audio_url,audio_file_size_bytes,audio_content_type,audio_duration_seconds}'::text[])),
  jsonb_build_object(
  'id', tests.id('007'), 'podcast_id', tests.id('show'), 'slug', 'night-trains',
  'guid', '007', 'title', 'Night trains', 'itunes_title', 'Trains by night', 'is_blocked', true, 'summary', 'Short',
  'description', 'About <b>trains</b>', 'show_notes_html', '<p>Notes</p>',
  'status', 'published', 'origin', 'import', 'season_number', 2, 'episode_number', 5,
  'episode_type', 'bonus', 'explicit', true, 'scheduled_at', null, 'published_at', '2015-03-04T05:06:07+00:00',
  'first_published_at', '2015-03-04T05:06:07+00:00',
  'created_by', tests.id('ana'), 'chapters_url', 'https://media.example/c.json',
  'audio_url', private.get_setting('media_url') || '/' || (select audio from stored),
  'audio_file_size_bytes', 1000, 'audio_content_type', 'audio/mpeg', 'audio_duration_seconds', 61),
  'an imported episode has the feed''s values, its exact GUID and its publication date');
select results_eq($$ select url, type, language, rel, bytes, podcast_id from public.episode_transcripts
    where episode_id = tests.id('007') order by display_order $$,
  $$ values ('https://media.example/t.vtt', 'text/vtt', 'en', null, null::bigint, tests.id('show')),
    ('https://media.example/t.srt', 'application/x-subrip', null, 'captions', null, tests.id('show')) $$,
  'an imported episode has the transcripts with a URL and a type, at the URLs of the feed');
select is((select private.own_object_path(cover_image_url) from public.episodes), (select image from stored),
  'an imported episode has its artwork as cover');
select is((select jsonb_agg(jsonb_build_array(name, role_label, avatar_url, external_url) order by display_order)
  from public.episode_credits),
  '[["Jane", "Host", "https://p.example/j.png", "https://p.example/j"], ["Joe", "Co-host", null, null],
    ["Pam", "Producer", null, null], ["Ed", "Editor", null, null], ["Jane", "Composer", null, null],
    ["Gus", "Guest", null, null]]',
  'an imported episode credits the persons whose role has a label, in the feed''s order');
select is((select count(*) from public.episode_people p join public.episode_credits c on c.id = p.credit_id
  and c.name = p.name and c.role_label::text = p.role_label and p.source_type = 'external'), 6::bigint,
  'an imported episode has each credited person of the feed as an external roster entry');
select set_eq($$ select name, role_label, credit_id is null from public.episode_people where source_type = 'team' $$,
  $$ values ('Ana', 'Host', true), ('Flo', 'Co-host', true) $$,
  'an imported episode has the importer and flagged members on its roster without a credit');
select is_empty($$ select type from private.events where type not like 'billing.%' $$,
  'finish_import_item notifies no team member');
select is((select (status, completed_count, failed_count)::text from public.podcast_imports), '(running,1,0)',
  'finish_import_item counts the completed item');
select set_eq('select path, usage, bytes, account_id from private.media_objects',
  $$ select audio, 'audio', 1000::bigint, tests.id('ola') from stored union all select image, 'episode_cover',
    500::bigint, tests.id('ola') from stored $$, 'finish_import_item adds the objects to the media ledger');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 1073741824::bigint,
  'finish_import_item charges the account');
select is((select array_agg(message ->> 'type') from pgmq.q_feed_invalidation), '{episodes.imported}',
  'finish_import_item announces an episode with its credits, transcripts and chapters once');
select is_empty('select from net.http_request_queue', 'finish_import_item wakes no worker for the feed or the notes');
select is(current_setting('castbase.leaves_waking_to_cron'), '',
  'finish_import_item lets later messages of its transaction wake the worker');
select is((private.get_public_episode((select slug from public.podcasts), 'night-trains') -> 'credits' -> 0
  ->> 'name'), 'Jane', '/v1 returns an imported episode with its credits');

-- Repeated
create temp table before as select * from public.episodes;
select is(tests.finish('007', (select audio from stored), tests.cover()),
  jsonb_build_object('status', 'completed', 'episodeId', tests.id('007'), 'isKept', true),
  'finish_import_item repeated with the same audio returns the same result');
select is(tests.finish('007', tests.store('007')) ->> 'isKept',
  'false', 'finish_import_item repeated with other audio does not keep it');
select results_eq('select * from public.episodes', 'select * from before',
  'a repeated finish_import_item does not change the episode');
select is((select completed_count from public.podcast_imports), 1,
  'a repeated finish_import_item counts the item once');
select is(private.begin_import_item(tests.id('007'), 1), '{"skip": "completed"}',
  'begin_import_item skips a completed item');

-- Dates, titles, numbers
update public.billing_accounts set storage_bytes_used = 1500 where user_id = tests.id('ola');
update public.podcast_import_items set published_at = now() + interval '1 day' where id = tests.id('future');
update public.podcast_import_items set published_at = '1850-01-01Z' where id = tests.id('ancient');
update public.podcast_import_items set title = null,
  parsed_payload = '{"episodeNumber": 99999999999, "seasonNumber": 1.5, "explicit": null, "episodeType": null,
    "persons": null, "transcripts": null}' where id = tests.id('undated');
update public.podcast_import_items set title = repeat('long ', 100), parsed_payload = '{}'
  where id = tests.id('undated2');
update public.podcast_import_item_texts set description = repeat('d', 10001), summary = repeat('s', 4001)
  where import_item_id = tests.id('undated2');
update public.podcasts set explicit = true;
select is(tests.finish(g, tests.store(g)) ->> 'status', 'completed', 'finish_import_item completes the item ' || g)
from unnest('{undated,undated2,future,ancient}'::text[]) g;
select is((select (title, season_number, episode_number, episode_type, explicit, slug)::text from public.episodes
  where id = tests.id('undated')), '("Untitled episode",,,full,t,untitled-episode)',
  'finish_import_item sets defaults for missing and invalid values, and explicit from the podcast');
select is((select published_at from public.episodes where id = tests.id('undated')),
  (select created_at - interval '1 day' from public.podcast_imports),
  'finish_import_item publishes an item without a date a day before the import');
select is((select (char_length(title), char_length(description), char_length(show_notes_html),
    char_length(summary))::text
  from public.episodes where id = tests.id('undated2')), '(254,10000,10001,4001)',
  'finish_import_item truncates a long title and description and moves the full text to the show notes');
select is((select warnings -> 0 ->> 'code' from public.podcast_import_items where id = tests.id('undated2')),
  'TEXT_TRUNCATED', 'finish_import_item adds the warning TEXT_TRUNCATED for a truncated text');
select is((select (status, scheduled_at = now() + interval '1 day', published_at, first_published_at)::text
  from public.episodes where id = tests.id('future')), '(scheduled,t,,)',
  'finish_import_item schedules the episode of an item with a future date');
select is((select published_at from public.episodes where id = tests.id('ancient')), '1970-01-01Z'::timestamptz,
  'finish_import_item publishes an item dated before 1970 in 1970');

select results_eq($$ select itunes_title, is_blocked from public.episodes where id = tests.id('undated') $$,
  $$ values (null::text, false) $$,
    'finish_import_item leaves itunes_title and is_blocked unset when the feed has neither');
-- The channel's explicit applies to items without their own
create function tests.imported(channel boolean, item jsonb, titled text default 'T') returns public.episodes
  language plpgsql as $$
declare made public.episodes;
begin
  perform tests.import_item('explicit', 'one', payload => jsonb_strip_nulls(jsonb_build_object('explicit', item)));
  update public.podcast_imports set channel_explicit = channel;
  update public.podcast_import_items set title = titled, published_at = now(),
    parsed_payload = parsed_payload || jsonb_build_object('itunesTitle', repeat('t', 300)) where guid = 'explicit';
  perform tests.finish('explicit', tests.store('explicit', bytes => 1), bytes => 1);
  select * into made from public.episodes where guid = 'explicit';
  delete from public.episodes where guid = 'explicit';
  delete from public.podcast_import_items where guid = 'explicit';
  return made;
end $$;
select is((tests.imported(channel, item)).explicit, expected,
  format('create_imported_episode sets explicit of an item with %s in a channel with %s, in an explicit podcast',
    coalesce(item::text, 'nothing'),
    coalesce(channel::text, 'nothing')))
from (values (false, null::jsonb, false), (true, null, true), (null, null, true), (false, 'true', true),
  (true, 'false', false)) v (channel, item, expected);
select is(char_length((tests.imported(null, null)).itunes_title), 255,
  'create_imported_episode truncates an itunes:title that is too long');
select is((tests.imported(null, null, repeat('t', 300))).itunes_title, null,
  'create_imported_episode does not store an itunes:title that repeats the title');

-- A summary that is too long for its column
create function tests.texts_of(description text, content text, summary text) returns text language plpgsql as $$
declare
  made public.episodes;
  note text;
begin
  perform tests.import_item('texts', 'one', payload => '{}');
  update public.podcast_import_items set title = 'T', published_at = now() where guid = 'texts';
  insert into public.podcast_import_item_texts (import_item_id, podcast_id, description, content, summary)
  select i.id, i.podcast_id, texts_of.description, texts_of.content, texts_of.summary
  from public.podcast_import_items i where i.guid = 'texts'
  on conflict (import_item_id) do update set description = excluded.description, content = excluded.content,
  summary = excluded.summary;
  perform tests.finish('texts', tests.store('texts', bytes => 1), bytes => 1);
  select * into made from public.episodes where guid = 'texts';
  select i.warnings -> 0 ->> 'code' into note from public.podcast_import_items i where i.guid = 'texts';
  delete from public.episodes where guid = 'texts';
  delete from public.podcast_import_items where guid = 'texts';
  return concat_ws(' ', 'summary', coalesce(char_length(made.summary), 0), 'description',
    char_length(made.description), 'notes', coalesce(char_length(made.show_notes_html), 0), note);
end $$;
select is(tests.texts_of(d, c, repeat('s', 10001)), wanted,
  'create_imported_episode: a summary of 10,001 characters beside ' || beside)
from (values
  (null, null, 'summary 10000 description 0 notes 10001 TEXT_TRUNCATED', 'no other text becomes the notes too'),
  ('d', '<p></p>', 'summary 10000 description 1 notes 10001 TEXT_TRUNCATED',
    'a description and notes without content becomes the notes too'),
  ('d', 'c', 'summary 10000 description 1 notes 1 TEXT_TRUNCATED',
    'a description and notes is truncated with a warning')) v (d, c, wanted, beside);
select is(tests.texts_of('d', null, repeat('s', 10000)), 'summary 10000 description 1 notes 0',
  'create_imported_episode keeps a summary of 10,000 characters');

-- Twins
insert into public.episodes (podcast_id, guid, title) values (tests.id('show'), 'twin', 'Twin');
select is(tests.finish('twin', tests.store('twin'))::text,
  '{"isKept": false, "status": "skipped_duplicate", "episodeId": null}',
  'finish_import_item skips an item whose GUID the podcast has by now');
select is((select (status, total_items, completed_count, skipped_count, failed_count)::text
  from public.podcast_imports), '(completed,6,5,1,0)', 'finish_import_item completes the import with its last item');
select is((select payload - 'user_id' - 'import_id' - 'podcast_id' from private.events
  where type = 'import.completed'), '{"status": "completed", "completed_count": 5, "failed_count": 0,
  "skipped_count": 1}', 'finish_import_item writes the event import.completed with the last item');
delete from public.podcast_imports;
select throws_ok($$ select tests.finish('007', (select audio from stored)) $$, 'PT404', null,
  'finish_import_item returns 404 for a deleted item');
select is((select count(*) from public.episodes where origin = 'import'), 5::bigint,
  'deleting an import keeps its episodes');

select * from tests.finish();
rollback;
