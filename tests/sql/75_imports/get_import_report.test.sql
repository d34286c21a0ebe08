-- get_import_report: what becomes of each part of a feed, per item, for the channel and in sum.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('sam'), tests.podcast('other', 'otto');
select tests.import('one', 'show', 'pending'), tests.import('theirs', 'other', 'pending');
create function pg_temp.item(place int, more jsonb default '{}') returns jsonb language sql as $$
  select jsonb_build_object('position', place, 'guid', 'guid ' || place, 'title', 'Episode ' || place,
    'pubDate', '2024-05-01T10:00:00.000Z', 'persons', '[]'::jsonb, 'durationSeconds', 60, 'image', null,
    'warnings', '[]'::jsonb) || more $$;
select private.stage_import_items(tests.id('one'), jsonb_build_array(
  pg_temp.item(0, '{"extraTags": ["<media:rating>adult</media:rating>", "<dc:creator xmlns:dc=\"x\">J</dc:creator>"],
    "losses": [{"path": "generator", "reason": "REPLACED_BY_OURS"}, {"path": "enclosure/@id", "reason":
      "UNKNOWN_ATTRIBUTE", "excerpt": "7"}], "warnings": [{"code": "DATE_NONSTANDARD", "message": "m"}]}'),
  pg_temp.item(1, '{"link": "https://a.example/1", "episode": 1, "description": "D", "content": "C", "summary": "S",
    "subtitle": "Sub", "extraTags": ["<media:rating/>"], "losses": [{"path": "generator",
    "reason": "REPLACED_BY_OURS"}], "persons": [{"name": "Jane"}]}'),
  pg_temp.item(2, '{"losses": [{"path": "*", "reason": "LIMIT", "excerpt": "50 more"}]}')));
create function tests.report(rest text default '', import text default 'one') returns jsonb language plpgsql as $$
declare report jsonb; begin
  execute format('select public.get_import_report(tests.id(%L)%s)', import, rest) into report; return report;
end $$;

select tests.access('get_import_report', $$ select public.get_import_report(tests.id('one')) $$,
  '42501: anon service; PT403: sam vic otto; ok 1: ana ola');
select tests.act_as('ana');
select is(tests.outcome_of($$ select public.get_import_report(gen_random_uuid()) $$), 'PT404',
  'get_import_report returns 404 for an unknown import');
select is(tests.report() #> '{data,channel}', 'null', 'get_import_report has no channel before the feed was read');
select is(tests.outcome_of(format('select public.get_import_report(tests.id(''one''), %s)', max_items)), 'PT400',
  format('get_import_report rejects the limit %s', max_items)) from unnest('{0,501,-1,"null"}'::text[]) max_items;
select is(tests.outcome_of(format('select public.get_import_report(tests.id(''one''), cursor => %L)', cursor)), 'PT400',
  format('get_import_report rejects the cursor %L', cursor))
from unnest('{"",x,00000000-0000-0000-0000-000000000000}'::text[]) cursor;
select tests.act_as('postgres');

select private.finish_staging(tests.id('one'), '{"title": "Night Trains", "ownerEmail": "jane@example.com",
  "extraTags": ["<ttl>60</ttl>", "<x:y xmlns:x=\"x\">Ask jane@example.com</x:y>"],
  "losses": [{"path": "managingEditor", "reason": "PRIVATE_ADDRESS", "excerpt": "jane@example.com (Jane)"}]}',
  '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}',
  '[{"code": "DATE_NONSTANDARD", "message": "m", "count": 2}]');
update public.podcast_imports set warnings = warnings || '[{"code": "CHANNEL_BLOCKED", "message": "b", "count": 1}]';
select private.add_import_item_warnings(i.id, '[{"code": "INVALID_IMAGE", "message": "i"}]')
from public.podcast_import_items i where i.position > 0;
update public.podcast_import_item_texts t set
  copies = '[{"path": "podcast:transcript", "url": "https://a.example/1.vtt"}]'
from public.podcast_import_items i where i.id = t.import_item_id and i.position = 2;
select tests.act_as('ana');
select is(tests.report() #> '{data,channel}', '{"modelled": ["owner", "title"], "carried": ["ttl", "x:y"],
  "copied": [], "lost": [{"path": "managingEditor", "reason": "PRIVATE_ADDRESS", "excerpt": "j***@e***.com (Jane)"}]}',
  'get_import_report lists what the channel keeps and loses, the owner''s address masked');
select is((select fields -> 'extraTags' from public.podcast_import_channels), '["<ttl>60</ttl>",
  "<x:y xmlns:x=\"x\">Ask j***@e***.com</x:y>"]', 'podcast_import_channels masks the owner''s address in carried tags');
select is(jsonb_path_query_array(tests.report(), '$.data.items[*].guid'), '["guid 0", "guid 1", "guid 2"]',
  'get_import_report lists items in feed order');
select is((tests.report() #> '{data,items,0}') - 'itemId', '{
  "guid": "guid 0", "title": "Episode 0", "status": "pending",
  "modelled": ["durationSeconds", "pubDate", "title"], "carried": ["media:rating", "dc:creator"], "copied": [],
  "repaired": [{"code": "DATE_NONSTANDARD", "message": "m"}],
  "lost": [{"path": "generator", "reason": "REPLACED_BY_OURS"},
    {"path": "enclosure/@id", "reason": "UNKNOWN_ATTRIBUTE", "excerpt": "7"}]}',
  'get_import_report lists what an item keeps and loses');
select is(tests.report() #> '{data,items,1,modelled}', '["content", "description", "durationSeconds", "episode",
    "link", "persons", "pubDate", "subtitle", "summary", "title"]',
    'get_import_report lists as modelled what the episode of an item has');
select is(tests.report() #> '{data,summary}', '{
  "modelled": {"count": 16, "list": [{"path": "durationSeconds", "count": 3}, {"path": "pubDate", "count": 3},
    {"path": "title", "count": 3}, {"path": "content", "count": 1}, {"path": "description", "count": 1},
    {"path": "episode", "count": 1}, {"path": "link", "count": 1}, {"path": "persons", "count": 1},
    {"path": "subtitle", "count": 1}, {"path": "summary", "count": 1}]},
  "carried": {"count": 3, "list": [{"path": "media:rating", "count": 2}, {"path": "dc:creator", "count": 1}]},
  "copied": {"count": 1, "list": [{"path": "podcast:transcript", "count": 1}]},
  "repaired": {"count": 4, "list": [{"code": "DATE_NONSTANDARD", "message": "m", "count": 2},
    {"code": "INVALID_IMAGE", "message": "i", "count": 2}]},
  "lost": {"count": 53, "list": [{"path": "*", "reason": "LIMIT", "count": 50},
    {"path": "generator", "reason": "REPLACED_BY_OURS", "count": 2},
    {"path": "enclosure/@id", "reason": "UNKNOWN_ATTRIBUTE", "count": 1}]}}',
  'get_import_report counts each element over all items, the most frequent first');
select tests.act_as('postgres');
update public.podcast_import_items set status = 'processing' where position = 0;
update public.podcast_import_items i set status = 'completed',
  parsed_payload = i.parsed_payload || '{"enclosure": {"url": "https://a.example/0.mp3"}}' where i.position = 0;
select tests.act_as('ana');
select is(tests.report() #> '{data,items,0,copied}', '[{"path": "enclosure", "url": "https://a.example/0.mp3"}]',
  'get_import_report lists the enclosure of a completed item as copied');
select is(tests.report() #> '{data,summary,copied}', '{"count": 2, "list": [{"path": "enclosure", "count": 1},
  {"path": "podcast:transcript", "count": 1}]}', 'get_import_report counts the copied enclosures');
select tests.act_as('postgres');
update public.podcast_import_item_texts t set losses = t.losses || private.loss('podcast:value', 'MONEY')
from public.podcast_import_items i where i.id = t.import_item_id and i.position = 1;
select tests.act_as('ana');
select is(tests.report() #> '{data,summary,lost,list,0}', '{"path": "podcast:value", "reason": "MONEY", "count": 1}',
  'get_import_report lists losses about money before more frequent ones');
select is(tests.report() -> 'pagination', '{"nextCursor": null, "hasMore": false}',
  'get_import_report ends with the last item');

-- Pages
select is(tests.report(', 2') #> '{data,items,1,itemId}', tests.report(', 2') #> '{pagination,nextCursor}',
  'get_import_report returns a cursor after a full page');
select is(jsonb_path_query_array(tests.report(format(', 2, %L', tests.report(', 2') #>> '{pagination,nextCursor}')),
  '$.data.items[*].guid'), '["guid 2"]', 'get_import_report continues after the cursor');
select is(
  tests.report(format(', 2, %L', tests.report(', 2') #>> '{pagination,nextCursor}')) #> '{data,summary}', 'null',
  'get_import_report returns the summary on the first page only');
select is(tests.report(', 3') -> 'pagination', '{"nextCursor": null, "hasMore": false}',
  'get_import_report knows that a full page is the last one');
create temp table page as select tests.report(', 1') #>> '{pagination,nextCursor}' as cursor;
grant select on page to authenticated;
select tests.act_as('otto');
select is(tests.outcome_of(format('select public.get_import_report(tests.id(''theirs''), cursor => %L)', p.cursor)),
  'PT400', 'get_import_report rejects a cursor of another import') from page p;

select * from tests.finish();
rollback;
