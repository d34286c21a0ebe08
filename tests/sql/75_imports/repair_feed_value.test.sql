-- Doubtful members of feed values, as hosts and programs write them: each costs itself, or a value block if it is about
-- money.
begin;
select tests.start();

-- The entry that is kept, or null, and its losses as path, reason and excerpt
create function pg_temp.outcome(column_name text, entry jsonb) returns text language sql as $$
  select concat_ws(' | ', coalesce(case jsonb_typeof(a.accepted) when 'array' then a.accepted -> 0 else a.accepted end,
      'null')::text, (
    select string_agg(concat_ws(' ', l ->> 'path', l ->> 'reason', l ->> 'excerpt'), ' | ')
    from jsonb_array_elements(a.losses) l))
  from private.imported_feed_value(column_name, case when private.feed_shapes() -> column_name ? 'list'
    then jsonb_build_array(entry) else entry end) a $$;

-- Alternate enclosures
select is(pg_temp.outcome('alternate_enclosures',
    '{"type": "video/mp4", "sources": [{"uri": "https://a.test/v"}]}'::jsonb || doubtful),
  ('{"type": "video/mp4", "sources": [{"uri": "https://a.test/v"}]}'::jsonb || kept)::text || lost,
  format('imported_feed_value keeps an alternate enclosure with %s', doubtful))
from (values
  ('{"bitrate": "30507983.490909092"}'::jsonb, '{"bitrate": 30507983.490909}'::jsonb,
    ' | podcast:alternateEnclosure/@bitrate TRUNCATED 30507983.490909092'),
  ('{"bitrate": 30507983.490909092}', '{"bitrate": 30507983.490909}',
    ' | podcast:alternateEnclosure/@bitrate TRUNCATED 30507983.490909092'),
  ('{"bitrate": "1.28e5"}', '{"bitrate": 128000}', ''),
  ('{"bitrate": "128.250000"}', '{"bitrate": 128.25}', ''),
  ('{"bitrate": "128 kbps"}', '{}', ' | podcast:alternateEnclosure/@bitrate INVALID 128 kbps'),
  ('{"bitrate": "-1"}', '{}', ' | podcast:alternateEnclosure/@bitrate INVALID -1'),
  ('{"bitrate": "1e99"}', '{}', ' | podcast:alternateEnclosure/@bitrate INVALID 1e99'),
  ('{"height": "1080px"}', '{"height": 1080}', ''),
  ('{"height": "720.5"}', '{"height": 721}', ' | podcast:alternateEnclosure/@height TRUNCATED 720.5'),
  ('{"height": "1080p"}', '{}', ' | podcast:alternateEnclosure/@height INVALID 1080p'),
  ('{"height": 0}', '{}', ' | podcast:alternateEnclosure/@height INVALID 0'),
  ('{"length": "1,000"}', '{}', ' | podcast:alternateEnclosure/@length INVALID 1,000'),
  ('{"length": "12345678901234567890"}', '{}', ' | podcast:alternateEnclosure/@length INVALID 12345678901234567890'),
  ('{"lang": "en_US"}', '{"lang": "en-US"}', ''),
  ('{"lang": "English!"}', '{}', ' | podcast:alternateEnclosure/@lang INVALID English!'),
  ('{"default": "Yes"}', '{"default": true}', ''),
  ('{"default": "maybe"}', '{}', ' | podcast:alternateEnclosure/@default INVALID maybe'),
  (jsonb_build_object('title', repeat('é', 200)), jsonb_build_object('title', repeat('é', 128)),
    ' | podcast:alternateEnclosure/@title TRUNCATED ' || repeat('é', 200)),
  (jsonb_build_object('codecs', repeat('c', 129)), '{}',
    ' | podcast:alternateEnclosure/@codecs INVALID ' || repeat('c', 129)),
  ('{"title": "\u200b"}', '{}', ' | podcast:alternateEnclosure/@title INVALID ' || U&'\200B'),
  ('{"integrity": {"type": "md5", "value": "a"}}', '{}',
    ' | podcast:alternateEnclosure/podcast:integrity INVALID integrity.type must be one of: sri, pgp-signature'),
  ('{"integrity": {"type": "sri", "value": "c2ln"}}', '{}',
    ' | podcast:alternateEnclosure/podcast:integrity INVALID {"type": "sri", "value": "c2ln"}'),
  ('{"integrity": {"type": "SRI", "value": "sha256-abc"}}', '{"integrity": {"type": "sri", "value": "sha256-abc"}}',
    ''),
  ('{"type": "mp3"}', '{"type": "audio/mpeg"}', ''),
  ('{"type": "audio/ogg; codecs=opus"}', '{"type": "audio/ogg"}',
    ' | podcast:alternateEnclosure/@type TRUNCATED audio/ogg; codecs=opus'),
  ('{"sources": [{"uri": "https://a.test/v", "content_type": "mpeg 4"}, {"uri": "javascript:x"}]}', '{}',
    ' | podcast:alternateEnclosure/podcast:source/@contentType INVALID mpeg 4'
    ' | podcast:alternateEnclosure/podcast:source INVALID alternate_enclosures.sources.uri must be a URI of at most '
    '2,048 characters')
) d (doubtful, kept, lost);
select is(pg_temp.outcome('alternate_enclosures', '{"type": "video", "sources": [{"uri": "ipfs://a"}]}'),
  'null | podcast:alternateEnclosure INVALID alternate_enclosures[0].type must be a media type, for example audio/mpeg',
  'imported_feed_value loses an alternate enclosure with an invalid type');
select is(pg_temp.outcome('alternate_enclosures', '{"type": "a/b", "lang": "x!", "sources": [{"uri": "file:///a"}]}'),
  'null | podcast:alternateEnclosure INVALID alternate_enclosures[0].sources[0].uri must be a URI of at most 2,048 '
  'characters', 'imported_feed_value loses an alternate enclosure without a valid source');
select is((select jsonb_array_length(r.repaired -> 'sources') || ' ' || r.losses::text
  from private.repair_feed_value('alternate_enclosures', jsonb_build_object('type', 'a/b', 'sources',
    (select jsonb_agg(jsonb_build_object('uri', 'ipfs://' || n)) from generate_series(1, 11) n))) r),
  '10 [{"path": "podcast:alternateEnclosure/podcast:source", "reason": "LIMIT"}]',
  'repair_feed_value keeps as many sources as an alternate enclosure can have');
select is((select jsonb_array_length(r.losses) || ' ' || (r.losses -> -1)::text
  from private.repair_feed_value('alternate_enclosures', jsonb_build_object('type', 'a/b', 'sources',
    (select jsonb_agg(jsonb_build_object('uri', case n when 1 then 'ipfs' else 'file' end || ':///' || n))
      from generate_series(1, 500) n))) r),
  '20 {"path": "podcast:alternateEnclosure/podcast:source", "reason": "LIMIT"}',
  'repair_feed_value looks at twice as many sources as an alternate enclosure can have');
select is((select jsonb_array_length(accepted) || ' ' || (losses -> -1)::text
  from private.imported_feed_value('tags', (select jsonb_agg(jsonb_build_object('text', repeat('t', 5000) || n))
    from generate_series(1, 20) n))),
  '13 {"path": "category", "reason": "INVALID", "excerpt": "tags[0].text must be 1 to 255 characters"}',
  'imported_feed_value repairs at most 64 KB of doubtful entries');

-- Other elements
select is(pg_temp.outcome(column_name, written), kept, format('imported_feed_value of %s repairs %s', column_name,
  left(written::text, 80)))
from (values
  ('locations', '{"name": "Graz", "geo": "51.5,-0.12"}'::jsonb, '{"geo": "geo:51.5,-0.12", "name": "Graz"}'),
  ('locations', '{"name": "Graz", "geo": "geo: 51.5, -0.12"}', '{"geo": "geo:51.5,-0.12", "name": "Graz"}'),
  ('locations', '{"name": "Graz", "geo": "here"}', '{"name": "Graz"} | podcast:location/@geo INVALID here'),
  ('locations', '{"name": "Graz", "country": "GBR"}', '{"name": "Graz"} | podcast:location/@country INVALID GBR'),
  ('locations', '{"name": "Graz", "osm": "113314"}', '{"name": "Graz"} | podcast:location/@osm INVALID 113314'),
  ('locations', '{"name": "Graz", "rel": "Subject"}', '{"rel": "subject", "name": "Graz"}'),
  ('locations', '{"name": "Graz", "rel": "about", "osm": "R1"}',
    '{"osm": "R1", "name": "Graz"} | podcast:location/@rel INVALID about'),
  ('locations', jsonb_build_object('name', repeat('n', 127) || ' more'),
    format('{"name": "%1$s"} | podcast:location TRUNCATED %1$s more', repeat('n', 127))),
  ('images', '{"href": "https://a.test/i", "type": "jpg"}', '{"href": "https://a.test/i", "type": "image/jpeg"}'),
  ('images', '{"href": "https://a.test/i", "type": ".PNG", "width": "100px", "height": "1e2 px"}',
    '{"href": "https://a.test/i", "type": "image/PNG", "width": 100, "height": 100}'),
  ('images', '{"href": "https://a.test/i", "type": "picture", "aspect_ratio": "wide"}',
    '{"href": "https://a.test/i"} | podcast:image/@type INVALID picture | podcast:image/@aspect-ratio INVALID wide'),
  ('images', '{"href": "ftp://a.test/i"}',
    'null | podcast:image INVALID images[0].href must be an http or https URL of at most 2,048 characters'),
  ('soundbites', '{"start_seconds": "12.123456789", "duration_seconds": "30.5"}',
    '{"start_seconds": 12.123457, "duration_seconds": 30.5} | podcast:soundbite/@startTime TRUNCATED 12.123456789'),
  ('soundbites', jsonb_build_object('start_seconds', 1, 'duration_seconds', 2, 'title', repeat('t', 129)),
    format('{"title": "%s", "start_seconds": 1, "duration_seconds": 2} | podcast:soundbite TRUNCATED %s',
      repeat('t', 128), repeat('t', 129))),
  ('soundbites', '{"start_seconds": "1:30", "duration_seconds": 2}', 'null | podcast:soundbite INVALID '
    'soundbites[0].start_seconds must be a number with at most 6 decimals from 0 to 1000000'),
  ('funding', jsonb_build_object('url', 'https://a.test', 'text', repeat('t', 129)),
    format('{"url": "https://a.test", "text": "%s"} | podcast:funding TRUNCATED %s', repeat('t', 128),
      repeat('t', 129))),
  ('funding', '{"url": "https://a.test"}', 'null | podcast:funding INVALID funding[0].text is required'),
  ('social_interactions', '{"protocol": "activitypub", "uri": "https://a.test", "priority": "first",
    "account_url": "x"}', '{"uri": "https://a.test", "protocol": "activitypub"} | podcast:socialInteract/@priority '
    'INVALID first | podcast:socialInteract/@accountUrl INVALID x'),
  ('social_interactions', '{"protocol": "activitypub", "uri": "file:///a"}', 'null | podcast:socialInteract INVALID '
    'social_interactions[0].uri is required unless protocol is disabled'),
  ('texts', jsonb_build_object('text', 't', 'purpose', repeat('p', 129)),
    '{"text": "t"} | podcast:txt/@purpose INVALID ' || repeat('p', 129)),
  ('texts', '{"text": "Music", "purpose": "ai-content"}',
    'null | podcast:txt INVALID texts[0].text must be true or false if purpose is ai-content'),
  ('tags', jsonb_build_object('text', repeat('t', 256)),
    format('{"text": "%s"} | category TRUNCATED %s', repeat('t', 255), repeat('t', 256))),
  ('update_frequency', '{"text": "Weekly", "rrule": "weekly", "complete": "no"}',
    '{"text": "Weekly", "complete": false} | podcast:updateFrequency/@rrule INVALID weekly'),
  ('update_frequency', '{"text": "Weekly", "rrule": "FREQ=DAILY;COUNT=10", "dtstart": "2026-02-30"}',
    '{"text": "Weekly"} | podcast:updateFrequency/@dtstart INVALID 2026-02-30 | podcast:updateFrequency/@rrule '
    'INVALID FREQ=DAILY;COUNT=10'),
  ('remote_items', jsonb_build_object('feed_guid', '29cdca4a-32d8-56ba-b48b-09a011c5daa9', 'medium', 'tv',
      'item_guid', repeat('g', 1001)),
    '{"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9"} | podcast:remoteItem/@medium INVALID tv'
    ' | podcast:remoteItem/@itemGuid INVALID ' || repeat('g', 300)),
  ('publisher', '{"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9", "feed_url": "x"}',
    '{"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9"} | podcast:publisher/podcast:remoteItem/@feedUrl INVALID x'),
  ('keywords', '"a, b"', 'null | itunes:keywords INVALID keywords[0] must be a keyword without a comma')
) d (column_name, written, kept);

-- Money
create function pg_temp.block(changes jsonb) returns jsonb language sql as $$ select '{"type": "lightning",
  "method": "keysend", "recipients": [{"type": "node", "address": "a", "split": 95}, {"type": "node", "address": "b",
  "split": 5}]}'::jsonb || changes $$;
create function pg_temp.with_recipient(changes jsonb) returns jsonb language sql as $$ select pg_temp.block(
  jsonb_build_object('recipients', jsonb_build_array('{"type": "node", "address": "a", "split": 95}'::jsonb,
    '{"type": "node", "address": "b", "split": 5}'::jsonb || changes))) $$;
create function pg_temp.with_split(changes jsonb) returns jsonb language sql as $$ select pg_temp.block(
  jsonb_build_object('time_splits', jsonb_build_array('{"start_time": 1, "duration": 2, "remote_item":
    {"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9"}}'::jsonb || changes))) $$;
select matches(pg_temp.outcome('value_blocks', block), '^null \| podcast:value MONEY value_blocks\[0\]',
  format('imported_feed_value loses a whole value block: %s', flaw))
from (values
  ('a split of 95%', pg_temp.with_recipient('{"split": "95%"}')),
  ('a split of -5', pg_temp.with_recipient('{"split": "-5"}')),
  ('a split with an exponent', pg_temp.with_recipient('{"split": "1e1"}')),
  ('no split', pg_temp.with_recipient('{"split": null}')),
  ('no address', pg_temp.with_recipient('{"address": null}')),
  ('an address that is too long', pg_temp.with_recipient(jsonb_build_object('address', repeat('a', 1001)))),
  ('a type that is too long', pg_temp.with_recipient(jsonb_build_object('type', repeat('a', 129)))),
  ('a fee that is neither true nor false', pg_temp.with_recipient('{"fee": "some"}')),
  ('a custom value that is too long', pg_temp.with_recipient(jsonb_build_object('custom_value', repeat('a', 1001)))),
  ('too many recipients', pg_temp.block(jsonb_build_object('recipients', (
    select jsonb_agg('{"type": "node", "address": "a", "split": 1}'::jsonb) from generate_series(1, 101))))),
  ('no recipients', pg_temp.block('{"recipients": []}')),
  ('no method', pg_temp.block('{"method": null}')),
  ('a method that is too long', pg_temp.block(jsonb_build_object('method', repeat('m', 129)))),
  ('a time split without recipients', pg_temp.with_split('{"remote_item": null}')),
  ('a time split with an invalid recipient', pg_temp.with_split('{"remote_item": null, "recipients": [
    {"type": "node", "address": "a", "split": "all"}]}')),
  ('a time split with an invalid start', pg_temp.with_split('{"start_time": "1:30"}')),
  ('a time split with an invalid percentage', pg_temp.with_split('{"remote_percentage": "half"}')),
  ('a time split of an invalid feed', pg_temp.with_split('{"remote_item": {"feed_guid": "x"}}')),
  ('a time split of two feeds', pg_temp.with_split('{"remote_item": []}')),
  ('a time split with an episode''s GUID that is too long', pg_temp.with_split(jsonb_build_object('remote_item',
    jsonb_build_object('feed_guid', '29cdca4a-32d8-56ba-b48b-09a011c5daa9', 'item_guid', repeat('g', 1001))))),
  ('too many time splits', pg_temp.block(jsonb_build_object('time_splits', (
    select jsonb_agg('{"start_time": 1, "duration": 2, "remote_item": {"feed_guid":
      "29cdca4a-32d8-56ba-b48b-09a011c5daa9"}}'::jsonb) from generate_series(1, 101)))))
) f (flaw, block);
select is(pg_temp.outcome('value_blocks', block), (pg_temp.block('{}') || kept)::text || lost,
  format('imported_feed_value keeps a value block and its shares with %s', flaw))
from (values
  ('a small suggestion with an exponent', pg_temp.block('{"suggested": "5e-8"}'),
    '{"suggested": 0.00000005}'::jsonb, ''),
  ('an invalid suggestion', pg_temp.block('{"suggested": "few"}'), '{}', ' | podcast:value/@suggested INVALID few'),
  ('a recipient''s name that is too long', pg_temp.with_recipient(jsonb_build_object('name', repeat('n', 256))),
    pg_temp.with_recipient(jsonb_build_object('name', repeat('n', 255))),
    ' | podcast:value/podcast:valueRecipient/@name TRUNCATED ' || repeat('n', 256)),
  ('an invalid medium of a time split''s feed', pg_temp.with_split('{"remote_item":
    {"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9", "medium": "tv"}}'), pg_temp.with_split('{}'),
    ' | podcast:value/podcast:valueTimeSplit/podcast:remoteItem/@medium INVALID tv')
) f (flaw, block, kept, lost);
select is((select jsonb_array_length(accepted) || ' ' || losses::text from private.imported_feed_value('value_blocks',
  (select jsonb_agg(pg_temp.block('{}')) from generate_series(1, 11)))),
  '10 [{"path": "podcast:value", "reason": "MONEY"}]', 'imported_feed_value reports a value block too many as money');

select * from tests.finish();
rollback;
