-- Feed values of an import: entries that a column accepts, and what is lost.
begin;
select tests.start();

create function pg_temp.value(column_name text, value jsonb) returns text language sql as $$
  select v.accepted::text || ' ' || v.losses::text from private.imported_feed_value(column_name, value) v $$;
create function pg_temp.lost(column_name text, value jsonb) returns jsonb language sql as $$
  select losses from private.imported_feed_value(column_name, value) $$;

select is(private.snake_case_members('{"feedGuid": "a", "recipients": [{"customKey": "K", "name": null}],
  "fee": true}'), '{"feed_guid": "a", "recipients": [{"custom_key": "K"}], "fee": true}',
  'snake_case_members renames members at each depth and removes nulls');
select set_eq($$ select key from jsonb_object_keys(private.feed_value_elements()) key $$, $$
  select distinct a.attname::text from pg_attribute a, jsonb_object_keys(private.feed_shapes()) s
  where a.attrelid in ('public.podcasts'::regclass, 'public.episodes'::regclass) and a.attname = s
    and s <> 'directory_links' $$,
  'feed_value_elements has every column of feed values but directory links, for which feeds have no tag');
select is((private.imported_feed_value('soundbites', '[{"start_seconds": 1, "duration_seconds": 2, "title": "A"},
  {"start_seconds": -1, "duration_seconds": 2}, {"start_seconds": 3, "duration_seconds": 4}]')).accepted,
  '[{"start_seconds": 1, "duration_seconds": 2, "title": "A"}, {"start_seconds": 3, "duration_seconds": 4}]',
  'imported_feed_value keeps the valid entries in order');
select is(pg_temp.lost('soundbites', '[{"start_seconds": 1, "duration_seconds": 2}, {"start_seconds": -1,
  "duration_seconds": 2}]'), '[{"path": "podcast:soundbite", "reason": "INVALID", "excerpt":
  "soundbites[0].start_seconds must be a number with at most 6 decimals from 0 to 1000000"}]',
  'imported_feed_value reports an invalid entry with its element and the reason');
select is((private.imported_feed_value('soundbites', '[{"start_seconds": -1}]')).accepted, null,
  'imported_feed_value accepts nothing of a list without a valid entry');
select is((select jsonb_array_length(accepted) || ' ' || losses::text from private.imported_feed_value('keywords',
  (select jsonb_agg('word ' || n) from generate_series(1, 52) n))),
  '50 [{"path": "itunes:keywords", "reason": "LIMIT"}, {"path": "itunes:keywords", "reason": "LIMIT"}]',
  'imported_feed_value keeps as many entries as the column has room for');
select is((select accepted::text || ' ' || jsonb_path_query_array(losses, '$[19 to 21].reason') from
    private.imported_feed_value('funding', (
      select jsonb_agg(case n when 20 then '{"url": "https://a.test", "text": "t"}' else '{}' end::jsonb order by n)
      from generate_series(1, 22) n))),
  '[{"url": "https://a.test", "text": "t"}] ["LIMIT", "LIMIT"]',
  'imported_feed_value looks at twice as many entries as the column has room for');
select is((select jsonb_array_length(accepted) || ' ' || losses::text from private.imported_feed_value('extra_tags',
  (select jsonb_agg('<a>' || repeat('x', 30000) || '</a>') from generate_series(1, 3) n))),
  '2 [{"path": "extra tags", "reason": "LIMIT"}]',
  'imported_feed_value keeps as many bytes as the column has room for');
select is(private.feed_value_error('extra_tags', (private.imported_feed_value('extra_tags',
  (select jsonb_agg('<a>' || repeat('x', n) || '</a>') from generate_series(640, 800) n))).accepted), null,
  'imported_feed_value returns a list that the column accepts');
select is((private.imported_feed_value('directory_blocks', '[{"id": "a", "is_blocked": true},
  {"id": "b", "is_blocked": true}, {"id": "a", "is_blocked": false}]')).accepted,
  '[{"id": "a", "is_blocked": true}, {"id": "b", "is_blocked": true}]',
  'imported_feed_value keeps the first of entries with the same id');
select is(pg_temp.value('publisher', '{"feed_guid": "469b403f-db2d-574c-9db9-96dbb4f6561c"}'),
  '{"feed_guid": "469b403f-db2d-574c-9db9-96dbb4f6561c"} []', 'imported_feed_value accepts a valid object');
select is(pg_temp.lost('publisher', '{"feed_guid": "x"}'), '[{"path": "podcast:publisher/podcast:remoteItem",
  "reason": "INVALID", "excerpt": "publisher.feed_guid must be a podcast:guid, which is a UUID"}]',
  'imported_feed_value reports an invalid object');
select results_eq($$ select * from private.imported_feed_values('{"contentLinks": [{"href": "https://a.example/",
  "text": "A"}], "soundbites": [{"startSeconds": 1, "durationSeconds": 2, "title": null}, {"startSeconds": null}],
  "locations": [], "texts": null, "podroll": [{"feedGuid": "x"}], "title": "T"}',
  '{contentLinks,soundbites,locations,texts}') $$, $$ values (
  '{"content_links": [{"href": "https://a.example/", "text": "A"}],
    "soundbites": [{"start_seconds": 1, "duration_seconds": 2}]}'::jsonb,
  '[{"path": "podcast:soundbite", "reason": "INVALID",
    "excerpt": "soundbites[0].start_seconds is required"}]'::jsonb) $$,
  'imported_feed_values reads the named members of an item, and no others');
select results_eq($$ select * from private.imported_feed_values('{}', '{texts}') $$,
  $$ values ('{}'::jsonb, '[]'::jsonb) $$, 'imported_feed_values accepts an item without values');

select * from tests.finish();
rollback;
