-- get_import_refresh: what the episodes of duplicates would take over from the feed.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('sam'), tests.podcast('other', 'otto');
select tests.import('one', 'show'), tests.import('theirs', 'other');
insert into public.episodes (podcast_id, guid, title, itunes_title, summary, description, show_notes_html, status,
  published_at, first_published_at, season_number, season_name, episode_number, episode_display, episode_type, explicit,
  origin, audio_url, audio_file_size_bytes, audio_content_type)
select tests.id('show'), g, 'Caf' || chr(195) || chr(169), null, 'Old summary', 'Old', '<p>Old</p>', 'published',
  '2020-01-01Z', '2020-01-01Z', 1, 'One', 1, 'Ch. 1', 'full', false, 'import', 'https://media.example/a.mp3', 1,
  'audio/mpeg'
from unnest('{all,same,none,estimated,future,gone}'::text[]) g;
select tests.import_item('all', 'one', 'skipped_duplicate', '{"itunesTitle": "In short", "description": "New",
    "content": "<p>New</p>", "summary": "New summary", "seasonNumber": 2, "seasonName": "Two", "episodeNumber": 2,
    "episodeDisplay": "Ch. 2", "episodeType": "bonus", "explicit": true, "subtitle": "New subtitle",
    "link": "https://own.example/2"}'),
  tests.import_item('same', 'one', 'skipped_duplicate', '{"description": "Old", "content": "<p>Old</p>",
    "summary": "Old summary", "explicit": false}'),
  tests.import_item('none', 'one', 'skipped_duplicate', '{"explicit": false}'),
  tests.import_item('estimated', 'one', 'skipped_duplicate', '{"description": "Old", "content": "<p>Old</p>",
    "summary": "Old summary", "explicit": false}'),
  tests.import_item('future', 'one', 'skipped_duplicate', '{"description": "Old", "content": "<p>Old</p>",
    "summary": "Old summary", "explicit": false}'),
  tests.import_item('gone', 'one', 'skipped_duplicate', '{"description": "Mail jane@example.com"}'),
  tests.import_item('new', 'one'), tests.import_item('missing', 'one', 'skipped_duplicate');
update public.podcast_import_items set title = 'Café', published_at = '2019-06-01T10:00Z' where guid = 'all';
update public.podcast_import_items set title = 'Caf' || chr(195) || chr(169), published_at = case guid
  when 'estimated' then '2019-06-01Z' when 'future' then now() + interval '1 day' else '2020-01-01Z' end::timestamptz
where guid <> 'all';
update public.podcast_import_items set warnings = '[{"code": "DATE_ESTIMATED", "message": "m"}]'
where guid = 'estimated';
update public.episodes set status = 'archived' where guid = 'gone';
create function tests.refresh(rest text default '') returns jsonb language plpgsql as $$
declare result jsonb; begin
  execute format('select public.get_import_refresh(tests.id(''one'')%s)', rest) into result; return result;
end $$;
create function tests.changes(name text) returns jsonb language sql as $$
  select jsonb_path_query_first(tests.refresh(), '$.data.items[*] ? (@.guid == $g).changes',
    jsonb_build_object('g', name)) $$;

select tests.access('get_import_refresh', $$ select public.get_import_refresh(tests.id('one')) $$,
  '42501: anon service; PT403: sam vic otto; ok 1: ana ola');
select tests.act_as('ana');
select is(tests.outcome_of($$ select public.get_import_refresh(gen_random_uuid()) $$), 'PT404',
  'get_import_refresh returns 404 for an unknown import');
select is(tests.outcome_of(format('select public.get_import_refresh(tests.id(''one''), %s)', max_items)), 'PT400',
  format('get_import_refresh rejects the limit %s', max_items)) from unnest('{0,201,-1,"null"}'::text[]) max_items;
select is(tests.outcome_of(format('select public.get_import_refresh(tests.id(''one''), cursor => %L)', cursor)),
  'PT400', format('get_import_refresh rejects the cursor %L', cursor))
from unnest('{"",x,00000000-0000-0000-0000-000000000000}'::text[]) cursor;
select is(tests.changes('all'), '[
  {"field": "title", "from": "CafÃ©", "to": "Café"},
  {"field": "itunesTitle", "from": null, "to": "In short"},
  {"field": "summary", "from": "Old summary", "to": "New summary"},
  {"field": "description", "from": "Old", "to": "New"},
  {"field": "showNotesHtml", "from": "<p>Old</p>", "to": "<p>New</p>"},
  {"field": "publishedAt", "from": "2020-01-01T00:00:00.000Z", "to": "2019-06-01T10:00:00.000Z"},
  {"field": "seasonNumber", "from": 1, "to": 2},
  {"field": "seasonName", "from": "One", "to": "Two"},
  {"field": "episodeNumber", "from": 1, "to": 2},
  {"field": "episodeDisplay", "from": "Ch. 1", "to": "Ch. 2"},
  {"field": "episodeType", "from": "full", "to": "bonus"},
  {"field": "explicit", "from": false, "to": true},
  {"field": "subtitle", "from": null, "to": "New subtitle"},
  {"field": "link", "from": null, "to": "https://own.example/2"}]', 'get_import_refresh lists each field that differs');
select is(tests.changes('none'), '[{"field": "summary", "from": "Old summary", "to": null},
  {"field": "description", "from": "Old", "to": ""}, {"field": "showNotesHtml", "from": "<p>Old</p>", "to": null}]',
  'get_import_refresh offers to remove texts that the feed does not have, but no numbers');
select is(jsonb_path_query_array(tests.refresh(), '$.data.items[*].guid'), '["all", "none"]',
  'get_import_refresh leaves out episodes that are equal, archived or new, and estimated and future dates');
select is((tests.refresh() #> '{data,items,0}') - 'changes', jsonb_build_object('itemId', tests.id('all'),
  'episodeId', (select id from public.episodes where guid = 'all'), 'guid', 'all',
  'title', 'Caf' || chr(195) || chr(169)), 'get_import_refresh names item, episode, GUID and present title');
select is(tests.refresh() #> '{data,fields}', '[{"field": "title", "count": 1}, {"field": "itunesTitle", "count": 1},
  {"field": "summary", "count": 2}, {"field": "description", "count": 2}, {"field": "showNotesHtml", "count": 2},
  {"field": "publishedAt", "count": 1}, {"field": "seasonNumber", "count": 1}, {"field": "seasonName", "count": 1},
  {"field": "episodeNumber", "count": 1}, {"field": "episodeDisplay", "count": 1},
  {"field": "episodeType", "count": 1}, {"field": "explicit", "count": 1},
  {"field": "subtitle", "count": 1}, {"field": "link", "count": 1}]',
  'get_import_refresh counts the episodes that each field would change');
create temp table shown as select jsonb_path_query_array(tests.refresh(), '$.data.fields[*].field') as fields;
select tests.act_as('postgres');
select is(to_jsonb(private.refresh_fields()), fields, 'refresh_fields names the fields of get_import_refresh')
from shown;

-- Long texts
select is(to_jsonb(private.text_difference('"a"', '"b"')), '{"old": "a", "new": "b"}',
  'text_difference leaves short texts unchanged');
select is(to_jsonb(private.text_difference(to_jsonb(repeat('x', 600) || 'old'), to_jsonb(repeat('x', 600) || 'new'))),
  jsonb_build_object('old', '…' || repeat('x', 50) || 'old', 'new', '…' || repeat('x', 50) || 'new'),
  'text_difference begins 50 characters before the difference');
select is(to_jsonb(private.text_difference('null', to_jsonb(repeat('x', 600)))),
  jsonb_build_object('old', null, 'new', repeat('x', 500) || '…'), 'text_difference keeps null beside a long text');

-- Pages
select tests.act_as('ana');
select is(tests.refresh(', 1') -> 'pagination', jsonb_build_object('nextCursor', tests.id('all'), 'hasMore', true),
  'get_import_refresh returns a cursor after a full page');
select is(jsonb_path_query_array(tests.refresh(format(', 1, %L', tests.id('all'))), '$.data.items[*].guid'), '["none"]',
  'get_import_refresh continues after the cursor');
select is(tests.refresh(format(', 1, %L', tests.id('all'))) #> '{data,fields}', 'null',
  'get_import_refresh counts the fields on the first page only');
select is(tests.refresh(format(', 1, %L', tests.id('all'))) -> 'pagination', '{"nextCursor": null, "hasMore": false}',
  'get_import_refresh ends with the last changed episode');
select tests.act_as('otto');
select is(tests.outcome_of(format('select public.get_import_refresh(tests.id(''theirs''), cursor => %L)',
  tests.id('all'))), 'PT400', 'get_import_refresh rejects a cursor of another import');

select * from tests.finish();
rollback;
