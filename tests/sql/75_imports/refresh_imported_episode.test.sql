-- refresh_imported_episode: a confirmed refresh gives existing episodes the chosen fields, and nothing else.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.import('one', 'show');
insert into public.episodes (podcast_id, guid, title, description, show_notes_html, status, published_at,
  first_published_at, episode_number, origin, audio_url, audio_file_size_bytes, audio_content_type)
select tests.id('show'), g, 'Old title', 'Old', '<p>Old</p>', 'published', '2020-01-01Z', '2020-01-01Z', 1, 'import',
  'https://media.example/a.mp3', 1, 'audio/mpeg'
from unnest('{a,b,c,d}'::text[]) g;
select tests.import_item(g, 'one', 'skipped_duplicate', '{"description": "New", "content": "<p>New</p>",
  "episodeNumber": 2, "enclosure": {"url": "https://a.example/new.mp3", "length": 5}}')
from unnest('{a,b,c,d}'::text[]) g;
update public.podcast_import_items set title = 'New title', published_at = '2019-06-01Z';
create temp table before as select * from public.episodes;
create function tests.confirm(rest text) returns text language sql as $$
  select tests.outcome_of(format('select public.confirm_import(tests.id(''one''), %s)', rest)) $$;
create function pg_temp.run(guid text) returns jsonb language sql as $$
  select private.begin_import_item(tests.id(guid), 1) $$;
create function pg_temp.episode(name text) returns text language sql as $$
  select concat_ws(', ', e.title, e.description, e.show_notes_html, to_char(e.published_at, 'YYYY-MM-DD'),
    e.episode_number) from public.episodes e where e.guid = name $$;

select tests.act_as('ana');
select matches(tests.confirm('refresh_fields => ''{title,audioUrl}'''), '^PT400 INVALID_SELECTION Fields: title, ',
  'confirm_import rejects the refresh of a field that is none');
select matches(tests.confirm('refresh_fields => array[null]'), '^PT400 INVALID_SELECTION',
  'confirm_import rejects the refresh of null');
select is(tests.confirm(format('refresh_item_ids => %L', array[tests.id('a')])), 'PT400 INVALID_SELECTION',
  'confirm_import rejects items to refresh without a field');
select is(tests.confirm('refresh_fields => ''{title}'', refresh_item_ids => array[gen_random_uuid()]'),
  'PT400 INVALID_SELECTION', 'confirm_import rejects the refresh of an unknown item');
select is(tests.confirm(format('refresh_fields => ''{title,showNotesHtml,publishedAt,title}'', refresh_item_ids => %L',
    array[tests.id('a'), tests.id('b'), tests.id('c')]))::jsonb,
  '{"status": "running", "selectedCount": 0, "heldCount": 0, "refreshCount": 3}',
  'confirm_import runs an import of duplicates that are refreshed');
select tests.act_as('postgres');
select is(tests.items_of('one'), 'a pending, b pending, c pending, d skipped_duplicate',
  'confirm_import returns the refreshed duplicates to pending');
select is((select array_agg(distinct i.refresh_fields::text) from public.podcast_import_items i
  where i.refresh_fields <> '{}'), '{"{title,showNotesHtml,publishedAt}"}', 'confirm_import notes each field once');
select is((select array_agg(distinct q.vt <= clock_timestamp()) from pgmq.q_import_items q), '{true}',
  'confirm_import dispatches refreshes without delay');
select is((select private.import_storage(i) -> 'neededBytes' from public.podcast_imports i), '0',
  'import_storage needs nothing for items that refresh an episode');

select is(pg_temp.run('a'), '{"skip": "skipped_duplicate"}', 'begin_import_item closes an item that refreshes');
select is(pg_temp.episode('a'), 'New title, Old, <p>New</p>, 2019-06-01, 1',
  'refresh_imported_episode writes the chosen fields only');
select is((select to_jsonb(e) - '{title,show_notes_html,published_at,updated_at,show_notes_version}'::text[]
    from public.episodes e where e.guid = 'a'),
  (select to_jsonb(b) - '{title,show_notes_html,published_at,updated_at,show_notes_version}'::text[]
    from before b where b.guid = 'a'), 'refresh_imported_episode keeps audio, slug, status and all other columns');
select is((select show_notes_version from public.episodes where guid = 'a'), 0,
  'refresh_imported_episode has new show notes sanitized');
select isnt((select refreshed_at from public.podcast_import_items where guid = 'a'), null,
  'refresh_imported_episode sets refreshed_at');
select is(pg_temp.run('a'), '{"skip": "skipped_duplicate"}', 'begin_import_item repeats a refresh without effect');

-- Since the confirmation the podcaster wrote the same, or deleted the episode
update public.episodes set title = 'New title', show_notes_html = '<p>New</p>', published_at = '2019-06-01Z'
where guid = 'b';
select pg_temp.run('b');
select is((select refreshed_at from public.podcast_import_items where guid = 'b'), null,
  'refresh_imported_episode counts no episode that is equal already');
delete from public.episodes where guid = 'c';
select is(pg_temp.run('c'), '{"skip": "skipped_duplicate"}',
  'begin_import_item imports no audio for an item whose episode was deleted before its refresh');
select is((select error_message from public.podcast_import_items where guid = 'c'),
  'The episode that it would refresh no longer exists', 'begin_import_item says that the episode no longer exists');
select is(tests.state_of('one'), 'completed: 0/0/4 of 4', 'an import ends when its refreshes have ended');
select is(public.get_import(tests.id('one')) ->> 'refreshed_count', '1', 'get_import counts the refreshed episodes')
from tests.act_as('ana');
select tests.act_as('postgres');
select is(pg_temp.episode('d'), 'Old title, Old, <p>Old</p>, 2020-01-01, 1',
  'refresh_imported_episode changes no episode that was not chosen');

-- Without item ids; a scheduled episode
select tests.import('two', 'show'), tests.import_item('d', 'two', 'skipped_duplicate', '{"description": "Newer"}'),
  tests.import_item('s', 'two', 'skipped_duplicate', '{"description": "Newer"}');
update public.podcast_import_items set published_at = '2018-01-01Z' where import_id = tests.id('two');
insert into public.episodes (podcast_id, guid, title, status, scheduled_at, audio_url, audio_file_size_bytes,
  audio_content_type)
values (tests.id('show'), 's', 's', 'scheduled', now() + interval '1 day', 'https://media.example/a.mp3', 1,
  'audio/mpeg');
select is(public.confirm_import(tests.id('two'), refresh_fields => '{description,publishedAt}') -> 'refreshCount', '2',
  'confirm_import without refresh_item_ids refreshes every episode that differs') from tests.act_as('ana');
select tests.act_as('postgres');
select pg_temp.run('s');
select is((select (description, published_at, status, scheduled_at > now())::text from public.episodes
  where guid = 's'), '(Newer,,scheduled,t)', 'refresh_imported_episode keeps the date of a scheduled episode');

-- A date that differs within its second, and texts that are too long
update public.episodes set published_at = '2018-01-01T00:00:00.000003Z' where guid = 'd';
update public.podcast_imports set status = 'canceled' where id = tests.id('two');
select tests.import('three', 'show'),
  tests.import_item('d', 'three', 'skipped_duplicate', jsonb_build_object('description', 'New', 'summary',
    repeat('s', 10001)));
update public.podcast_import_items set title = repeat('t', 256), published_at = '2018-01-01Z'
where import_id = tests.id('three');
create function pg_temp.changed_fields() returns text language sql as $$
  select string_agg(c ->> 'field', ' ') from jsonb_array_elements(
    public.get_import_refresh(tests.id('three'))::jsonb #> '{data,items,0,changes}') c $$;
select is(pg_temp.changed_fields(), 'title summary description showNotesHtml',
  'get_import_refresh lists no date that differs within its second') from tests.act_as('ana');
select public.confirm_import(tests.id('three'), refresh_fields => '{title,description}');
select tests.act_as('postgres');
select pg_temp.run('d');
select is((select array_agg(w ->> 'code') from public.podcast_import_items i, jsonb_array_elements(i.warnings) w
  where i.import_id = tests.id('three')), '{TEXT_TRUNCATED}',
  'refresh_imported_episode warns of a text that it truncated');
select is((select jsonb_agg(l - 'excerpt') from public.podcast_import_item_texts t
    join public.podcast_import_items i on i.id = t.import_item_id, jsonb_array_elements(t.losses) l
  where i.import_id = tests.id('three')), '[{"path": "title", "reason": "TRUNCATED"}]',
  'refresh_imported_episode reports what the chosen fields lose, and no other field');

select * from tests.finish();
rollback;
