-- Feed values of podcasts and episodes: examples of the podcast namespace are stored, invalid values are rejected with
-- a message that names the member.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.episode('pilot', 'show');

create function pg_temp.statement(place text, field text, value text) returns text language sql as $$
  select format('update public.%I set %I = %L where id = tests.id(%L)', place, field, value,
    case place when 'podcasts' then 'show' else 'pilot' end)
$$;
create function pg_temp.entries(entry text, count int) returns text language sql as $$
  select jsonb_agg(replace(entry, '#', n::text)::jsonb)::text from generate_series(1, count) n
$$;

-- Valid values, of the namespace's documents
create temp table examples (place text, field text, value text, n int generated always as identity);
insert into examples select p.place, v.field, v.value
from unnest('{podcasts,episodes}'::text[]) p (place) cross join lateral (values
  ('funding', '[{"url": "https://www.example.com/donations", "text": "Support the show!"}]'),
  ('locations', '[{"name": "Austin", "rel": "creator", "geo": "geo:30.2711286,-97.7436995", "osm": "R113314",
    "country": "US"}, {"name": "Dreamworld", "rel": "subject", "geo": "geo:-27.8611449,153.3162701;u=35"},
    {"name": "Marlow"}]'),
  ('images', '[{"href": "https://example.com/a.jpg", "alt": "An antenna", "purpose": "artwork social",
    "type": "image/jpeg", "aspect_ratio": "16/9", "width": 1200, "height": 400},
    {"href": "https://example.com/b.mp4", "type": "video/mp4"}]'),
  ('social_interactions', '[{"protocol": "activitypub", "uri": "https://podcastindex.social/@dave/105079274766075912",
    "account_id": "@dave", "account_url": "https://podcastindex.social/@dave", "priority": 1},
    {"protocol": "atproto", "uri": "at://did:plc:abc/app.bsky.feed.post/1"}, {"protocol": "disabled"}]'),
  ('value_blocks', '[{"type": "lightning", "method": "keysend", "suggested": "0.00000015000", "recipients": [
    {"name": "Alice", "type": "node", "address": "02d5c1bf8b940d", "split": 95, "custom_key": "696969",
     "custom_value": "x"}, {"type": "lnaddress", "address": "bob@fountain.fm", "split": "5", "fee": true}],
    "time_splits": [{"start_time": 330, "duration": "53.5", "remote_start_time": 174, "remote_percentage": 95,
     "remote_item": {"feed_guid": "a94f5cc9-8c58-55fc-91fe-a324087a655b", "medium": "music",
      "item_guid": "https://podcastindex.org/podcast/4148683#3"}},
     {"start_time": 63, "duration": 388, "recipients": [{"type": "node", "address": "02dd", "split": 1}]}]}]'),
  ('keywords', '["trains", "night travel"]'),
  ('tags', '[{"text": "Grateful Dead"}, {"text": "MSFT", "domain": "https://www.fool.com/cusips"}]'),
  (case p.place when 'podcasts' then 'verify_texts' else 'texts' end,
    '[{"text": "naj3eEZaWVVY9a38uhX8FekACyhtqP4JN"}, {"text": "true", "purpose": "ai-content"},
      {"text": "2022-10-26T04:45:30.742Z", "purpose": "release"}]')) v (field, value)
union all values
  ('podcasts', 'update_frequency', '{"text": "Every other Monday", "complete": false,
    "dtstart": "2023-08-28T00:00:00.000Z", "rrule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=10"}'),
  ('podcasts', 'update_frequency', '{"text": "Thanksgiving", "rrule": "FREQ=YEARLY;BYDAY=+4TH;BYMONTH=11"}'),
  ('podcasts', 'update_frequency', '{"text": "Mondays",
    "rrule": "FREQ=WEEKLY;UNTIL=2023-12-31T00:00:00.000Z;BYDAY=MO"}'),
  ('podcasts', 'update_frequency', '{"text": "That''s all folks!", "complete": true}'),
  ('podcasts', 'podroll', '[{"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9",
    "feed_url": "https://rss.buzzsprout.com/231452.rss", "title": "Buzzcast"}]'),
  ('podcasts', 'remote_items', '[{"feed_guid": "917393e3-1b1e-5cef-ace4-edaa54e1f810",
    "item_guid": "asdf089j0-ep240-20230510", "medium": "musicL", "title": "Here Comes the Sun"}]'),
  ('podcasts', 'publisher', '{"feed_guid": "003af0a0-6a45-55cf-b765-68e3d349551a",
    "feed_url": "https://agilesetmedia.com/assets/static/feeds/publisher.xml"}'),
  ('podcasts', 'directory_blocks', '[{"id": "google", "is_blocked": true}, {"id": "amazon", "is_blocked": false}]'),
  ('podcasts', 'directory_links', '[{"directory": "spotify", "url": "https://open.spotify.com/show/4rOoJ6Egrf8K2Iryw"},
    {"directory": "apple_podcasts", "url": "https://podcasts.apple.com/us/podcast/harbor/id1510899104"},
    {"directory": "youtube", "url": "https://music.youtube.com/playlist?list=PL1"},
    {"directory": "amazon_music", "url": "https://music.amazon.co.uk/podcasts/8a2"},
    {"directory": "pocket_casts", "url": "https://pca.st/q1w2"},
    {"directory": "overcast", "url": "https://Overcast.fm/itunes1510899104"},
    {"directory": "podcast_addict", "url": "https://podcastaddict.com/podcast/harbor/1"},
    {"directory": "castbox", "url": "http://castbox.fm/channel/id1"}]'),
  ('podcasts', 'license', 'cc-by-4.0'),
  ('episodes', 'license', 'CC-BY-NC-ND-4.0'),
  ('episodes', 'season_name', 'Egyptology: The 19th Century'),
  ('episodes', 'episode_display', 'Ch.3'),
  ('episodes', 'soundbites', '[{"start_seconds": 73.0, "duration_seconds": 60.0},
    {"start_seconds": 1234.5, "duration_seconds": 42.25, "title": "Why the Podcast Namespace Matters"}]'),
  ('episodes', 'content_links', '[{"href": "https://www.youtube.com/watch?v=example", "text": "Watch this!"}]'),
  ('episodes', 'alternate_enclosures', '[{"type": "video/mp4", "length": 7924786, "bitrate": 511276.52, "height": 720,
    "lang": "en-US", "title": "Standard", "rel": "default", "codecs": "avc1.42E01E, mp4a.40.2", "default": false,
    "sources": [{"uri": "https://example.com/file-720.mp4"}, {"uri": "ipfs://QmX33FYehk6ckGQ6g1D9D3FqZPix5JpKst"},
     {"uri": "https://example.com/file-720.torrent", "content_type": "application/x-bittorrent"}],
    "integrity": {"type": "sri", "value": "sha384-ExVqijgYHm15PqQqdXfW95x+Rs6C+d6E"}},
    {"type": "application/x-mpegURL", "length": 0, "sources": [{"uri": "https://example.com/master.m3u8"}]}]');
select is(tests.result_of('ana', pg_temp.statement(place, field, value)), 'ok 1',
  format('an admin sets %s.%s to %s', place, field, left(value, 60)))
from examples;
select is((select to_jsonb(p) -> field from public.podcasts p), value::jsonb,
  format('podcasts stores %s as given', field))
from (select field, (array_agg(value order by n desc))[1] as value from examples
  where place = 'podcasts' and field <> 'license' group by field) e;
select is((select to_jsonb(e) -> field from public.episodes e), value::jsonb,
  format('episodes stores %s as given', field))
from (select field, value from examples where place = 'episodes' and value ~ '^\[') e;
select set_eq($$ select distinct place, field from examples where value ~ '^[[{]'
    union values ('podcasts', 'extra_tags'), ('episodes', 'extra_tags') $$, $$
  select c.relname::text, a.attname::text from pg_trigger t join pg_class c on c.oid = t.tgrelid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = any (t.tgattr::int2[])
  where t.tgname = 't330_guard_feed_values' $$, 'there is an example of each column that guard_feed_values checks');
select is_empty($$
  select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.oid in ('public.podcasts'::regclass, 'public.episodes'::regclass) and private.feed_shapes() ? a.attname
    and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 't330_guard_feed_values'
      and a.attnum = any (t.tgattr::int2[])) $$, 'guard_feed_values checks every column that has a shape');

-- Who
select is(tests.result_of(who, pg_temp.statement(place, field, value)), expected,
  format('setting %s.%s returns %s to %s', place, field, expected, who))
from (select distinct on (place, field) place, field, value from examples) e,
  (values ('anon', '42501'), ('stranger', 'ok 0'), ('vic', 'ok 0'), ('ola', 'ok 1'), ('service', 'ok 1'))
    w (who, expected);
select is(tests.result_of(who, pg_temp.statement(place, 'extra_tags', '["<a/>"]')), expected,
  format('setting %s.extra_tags returns %s to %s', place, expected, who))
from unnest('{podcasts,episodes}'::text[]) place, (values ('ana', '42501'), ('ola', '42501'), ('service', 'ok 1'))
  w (who, expected);
select is(tests.result_of('ola', statement), '42501', format('clients may not insert extra_tags into %s', place))
from (values ('podcasts', 'insert into public.podcasts (title, extra_tags) values (''x'', ''[]'')'),
  ('episodes', 'insert into public.episodes (podcast_id, title, extra_tags)
    values (tests.id(''show''), ''x'', ''[]'')')) v (place, statement);
select is(tests.result_of('ola', $$ insert into public.podcasts (title, locations, publisher)
  values ('new', '[{"name": "Wien"}]', null) $$), 'ok 1', 'an insert of a podcast takes feed values');
select is(tests.result_of('ana', $$ insert into public.episodes (podcast_id, title, soundbites)
  values (tests.id('show'), 'new', '[{"start_seconds": -1}]') $$), 'PT400',
  'an insert of an episode is rejected with an invalid feed value');

-- Invalid values: the message names the member and what it must be.
select throws_ok(pg_temp.statement(place, field, value), 'PT400', message,
  format('%s rejects %s = %s', place, field, left(value, 100)))
from (values
  ('podcasts', 'funding', '{}', 'funding must be a list'),
  ('podcasts', 'funding', '[1]', 'funding[0] must be an object'),
  ('podcasts', 'funding', '[{"url": "ftp://a", "text": "t"}]',
    'funding[0].url must be an http or https URL of at most 2,048 characters'),
  ('podcasts', 'funding', '[{"url": "https://a.test:99999/", "text": "t"}]',
    'funding[0].url must be an http or https URL of at most 2,048 characters'),
  ('podcasts', 'funding', '[{"url": "https://a.test"}]', 'funding[0].text is required'),
  ('podcasts', 'funding', '[{"url": "https://a.test", "text": null}]', 'funding[0].text is required'),
  ('podcasts', 'funding', '[{"url": "https://a.test", "text": "t", "x": "y"}]',
    'funding[0].x is unknown; use url, text'),
  ('podcasts', 'funding', pg_temp.entries('{"url": "https://a.test", "text": "t"}', 11),
    'funding must have 0 to 10 entries'),
  ('podcasts', 'verify_texts', pg_temp.entries('{"text": "t"}', 21), 'verify_texts must have 0 to 20 entries'),
  ('podcasts', 'verify_texts', '[{"purpose": "x"}]', 'verify_texts[0].text is required'),
  ('podcasts', 'verify_texts', '[{"text": "x"}, {"text": "Music", "purpose": "ai-content"}]',
    'verify_texts[1].text must be true or false if purpose is ai-content'),
  ('episodes', 'texts', '[{"text": "Music", "purpose": "ai-content"}]',
    'texts[0].text must be true or false if purpose is ai-content'),
  ('episodes', 'texts', format('[{"text": "%s"}]', repeat('x', 4001)), 'texts[0].text must be 1 to 4000 characters'),
  ('episodes', 'texts', format('[{"text": "t", "purpose": "%s"}]', repeat('x', 129)),
    'texts[0].purpose must be 1 to 128 characters'),
  ('episodes', 'texts', pg_temp.entries(format('{"text": "%s"}', repeat('夜', 4000)), 20),
    'texts must have at most 131,072 bytes'),
  ('podcasts', 'locations', '[{"name": " \u200b"}]', 'locations[0].name must be 1 to 128 characters'),
  ('podcasts', 'locations', format('[{"name": "%s"}]', repeat('x', 129)),
    'locations[0].name must be 1 to 128 characters'),
  ('podcasts', 'locations', '[{"name": 1}]', 'locations[0].name must be a text'),
  ('podcasts', 'locations', '[{"name": "a", "rel": "about"}]', 'locations[0].rel must be one of: subject, creator'),
  ('podcasts', 'locations', '[{"name": "a", "geo": "30.27,-97.74"}]',
    'locations[0].geo must be a geo URI (RFC 5870), for example geo:48.2082,16.3738'),
  ('podcasts', 'locations', '[{"name": "a", "geo": "geo:1,2;=3"}]',
    'locations[0].geo must be a geo URI (RFC 5870), for example geo:48.2082,16.3738'),
  ('podcasts', 'locations', '[{"name": "a", "osm": "113314"}]',
    'locations[0].osm must be an OpenStreetMap identifier, for example R113314'),
  ('podcasts', 'locations', '[{"name": "a"}, {"name": "a", "country": "Austria"}]',
    'locations[1].country must be a country code of two letters, for example AT, 1 to 2 characters'),
  ('podcasts', 'locations', '[{"name": "a", "country": "A1"}]',
    'locations[0].country must be a country code of two letters, for example AT'),
  ('podcasts', 'locations', pg_temp.entries('{"name": "a"}', 21), 'locations must have 0 to 20 entries'),
  ('episodes', 'images', '[{"alt": "a"}]', 'images[0].href is required'),
  ('episodes', 'images', '[{"href": "https://a.test", "aspect_ratio": "wide"}]',
    'images[0].aspect_ratio must be a ratio, for example 16/9'),
  ('episodes', 'images', '[{"href": "https://a.test", "width": 0}]',
    'images[0].width must be an integer from 1 to 100000'),
  ('episodes', 'images', '[{"href": "https://a.test", "height": 1.5}]',
    'images[0].height must be an integer from 1 to 100000'),
  ('episodes', 'images', '[{"href": "https://a.test", "type": "jpeg"}]',
    'images[0].type must be a media type, for example audio/mpeg'),
  ('episodes', 'images', pg_temp.entries('{"href": "https://a.test"}', 21), 'images must have 0 to 20 entries'),
  ('episodes', 'social_interactions', '[{"protocol": "activitypub"}]',
    'social_interactions[0].uri is required unless protocol is disabled'),
  ('episodes', 'social_interactions', '[{"protocol": "activitypub", "uri": "javascript:alert(1)"}]',
    'social_interactions[0].uri must be a URI of at most 2,048 characters'),
  ('episodes', 'social_interactions', '[{"protocol": "disabled", "priority": "first"}]',
    'social_interactions[0].priority must be an integer from 0 to 1000000'),
  ('episodes', 'value_blocks', '[{"type": "lightning", "method": "keysend", "recipients": []}]',
    'value_blocks[0].recipients must have 1 to 100 entries'),
  ('episodes', 'value_blocks', '[{"type": "lightning", "method": "keysend", "recipients": [
    {"type": "node", "address": "a", "split": "half"}]}]',
    'value_blocks[0].recipients[0].split must be a decimal number, or its text'),
  ('episodes', 'value_blocks', '[{"type": "lightning", "method": "keysend", "recipients": [
    {"type": "node", "address": "a", "split": 1, "fee": "yes"}]}]',
    'value_blocks[0].recipients[0].fee must be true or false'),
  ('episodes', 'value_blocks', '[{"type": "lightning", "method": "keysend", "recipients": [
    {"type": "node", "address": "a", "split": 1}], "time_splits": [{"start_time": 1, "duration": 2}]}]',
    'value_blocks[0].time_splits must each have either remote_item or recipients'),
  ('episodes', 'value_blocks', '[{"type": "lightning", "method": "keysend", "recipients": [
    {"type": "node", "address": "a", "split": 1}], "time_splits": [{"start_time": -1, "duration": 2}]}]',
    'value_blocks[0].time_splits[0].start_time must be a decimal number, or its text'),
  ('podcasts', 'keywords', '["a, b"]', 'keywords[0] must be a keyword without a comma'),
  ('podcasts', 'keywords', '[{"text": "a"}]', 'keywords[0] must be a text'),
  ('podcasts', 'keywords', pg_temp.entries('"a#"', 51), 'keywords must have 0 to 50 entries'),
  ('podcasts', 'tags', '["a"]', 'tags[0] must be an object'),
  ('podcasts', 'tags', pg_temp.entries('{"text": "a"}', 51), 'tags must have 0 to 50 entries'),
  ('podcasts', 'update_frequency', '[]', 'update_frequency must be an object'),
  ('podcasts', 'update_frequency', '{"complete": true}', 'update_frequency.text is required'),
  ('podcasts', 'update_frequency', '{"text": "a", "rrule": "weekly"}',
    'update_frequency.rrule must be a recurrence rule (RFC 5545), for example FREQ=WEEKLY;BYDAY=MO'),
  ('podcasts', 'update_frequency', '{"text": "a", "rrule": "FREQ=SOMETIMES"}',
    'update_frequency.rrule must be a recurrence rule (RFC 5545), for example FREQ=WEEKLY;BYDAY=MO'),
  ('podcasts', 'update_frequency', '{"text": "a", "rrule": "FREQ=DAILY;BYMOON=1"}',
    'update_frequency.rrule must be a recurrence rule (RFC 5545), for example FREQ=WEEKLY;BYDAY=MO'),
  ('podcasts', 'update_frequency', '{"text": "a", "rrule": "FREQ=DAILY;COUNT=10"}',
    'update_frequency.rrule must not have COUNT without dtstart'),
  ('podcasts', 'update_frequency', '{"text": "a", "dtstart": "tomorrow"}',
    'update_frequency.dtstart must be a date or time in ISO 8601, for example 2026-08-28'),
  ('podcasts', 'update_frequency', '{"text": "a", "dtstart": "2026-02-30"}',
    'update_frequency.dtstart must be a date that exists'),
  ('podcasts', 'update_frequency', '{"text": "a", "complete": "yes"}',
    'update_frequency.complete must be true or false'),
  ('podcasts', 'podroll', '[{"feed_url": "https://a.test"}]', 'podroll[0].feed_guid is required'),
  ('podcasts', 'podroll', '[{"feed_guid": "a"}]', 'podroll[0].feed_guid must be a podcast:guid, which is a UUID'),
  ('podcasts', 'podroll', pg_temp.entries('{"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9"}', 101),
    'podroll must have 0 to 100 entries'),
  ('podcasts', 'remote_items', pg_temp.entries('{"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9"}', 501),
    'remote_items must have 0 to 500 entries'),
  ('podcasts', 'remote_items', '[{"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9", "medium": "tv"}]',
    'remote_items[0].medium must be a medium of the podcast namespace, for example music'),
  ('podcasts', 'publisher', '{}', 'publisher.feed_guid is required'),
  ('podcasts', 'publisher', '{"feed_guid": "29cdca4a-32d8-56ba-b48b-09a011c5daa9", "title": "a"}',
    'publisher.title is unknown; use feed_url, feed_guid'),
  ('podcasts', 'directory_blocks', '[{"id": "Google", "is_blocked": true}]',
    'directory_blocks[0].id must be the slug of a directory, for example spotify'),
  ('podcasts', 'directory_blocks', '[{"id": "google"}]', 'directory_blocks[0].is_blocked is required'),
  ('podcasts', 'directory_blocks', '[{"id": "google", "is_blocked": true}, {"id": "google", "is_blocked": false}]',
    'directory_blocks must have each id once'),
  ('podcasts', 'directory_blocks', pg_temp.entries('{"id": "a#", "is_blocked": true}', 101),
    'directory_blocks must have 0 to 100 entries'),
  ('podcasts', 'directory_links', '[{"directory": "zune", "url": "https://zune.net/a"}]',
    'directory_links[0].directory must be one of: apple_podcasts, spotify, youtube, amazon_music, pocket_casts, '
    'overcast, podcast_addict, castbox'),
  ('podcasts', 'directory_links', '[{"directory": "castbox", "url": "https://castbox.fm/a"},
    {"directory": "spotify", "url": "https://open.spotify.com.evil.test/show/1"}]',
    'directory_links[1].url must be a page of spotify'),
  ('podcasts', 'directory_links', '[{"directory": "spotify", "url": "https://open.spotify.com@evil.test/show/1"}]',
    'directory_links[0].url must be an http or https URL of at most 2,048 characters'),
  ('podcasts', 'directory_links', '[{"directory": "spotify", "url": "https://evil.test?https://open.spotify.com"}]',
    'directory_links[0].url must be a page of spotify'),
  ('podcasts', 'directory_links', '[{"directory": "amazon_music", "url": "https://music.amazon.evil.test/podcasts/1"}]',
    'directory_links[0].url must be a page of amazon_music'),
  ('podcasts', 'directory_links', '[{"directory": "spotify", "url": "HTTPS://evil.test/show/1"}]',
    'directory_links[0].url must be a page of spotify'),
  ('podcasts', 'directory_links', '[{"directory": "spotify", "url": "https://open.spotify.com:8443/show/1"}]',
    'directory_links[0].url must be a page of spotify'),
  ('podcasts', 'directory_links', '[{"directory": "spotify", "url": "https://open.spotify.com./show/1"}]',
    'directory_links[0].url must be a page of spotify'),
  ('podcasts', 'directory_links', '[{"directory": "spotify", "url": "hTTp://open.spotify.com:x@evil.test/show/1"}]',
    'directory_links[0].url must be an http or https URL of at most 2,048 characters'),
  ('podcasts', 'directory_links', '[{"directory": "spotify", "url": "javascript:alert(1)"}]',
    'directory_links[0].url must be an http or https URL of at most 2,048 characters'),
  ('podcasts', 'directory_links', '[{"directory": "spotify"}]', 'directory_links[0].url is required'),
  ('podcasts', 'directory_links', '[{"directory": "castbox", "url": "https://castbox.fm/a"},
    {"directory": "castbox", "url": "https://castbox.fm/b"}]', 'directory_links must have each directory once'),
  ('episodes', 'soundbites', '[{"start_seconds": 1}]', 'soundbites[0].duration_seconds is required'),
  ('episodes', 'soundbites', '[{"start_seconds": "1", "duration_seconds": 1}]',
    'soundbites[0].start_seconds must be a number with at most 6 decimals from 0 to 1000000'),
  ('episodes', 'soundbites', '[{"start_seconds": 1, "duration_seconds": 0}]',
    'soundbites[0].duration_seconds must be a number with at most 6 decimals from 0.001 to 1000000'),
  ('episodes', 'soundbites', '[{"start_seconds": 1e-7, "duration_seconds": 1}]',
    'soundbites[0].start_seconds must be a number with at most 6 decimals from 0 to 1000000'),
  ('episodes', 'soundbites', '[{"start_seconds": 1e9999, "duration_seconds": 1}]',
    'soundbites[0].start_seconds must be a number with at most 6 decimals from 0 to 1000000'),
  ('episodes', 'soundbites', pg_temp.entries('{"start_seconds": 1, "duration_seconds": 1}', 51),
    'soundbites must have 0 to 50 entries'),
  ('episodes', 'content_links', '[{"href": "https://a.test"}]', 'content_links[0].text is required'),
  ('episodes', 'content_links', '[{"href": "a", "text": "t"}]',
    'content_links[0].href must be a URI of at most 2,048 characters'),
  ('episodes', 'alternate_enclosures', '[{"type": "audio/opus"}]', 'alternate_enclosures[0].sources is required'),
  ('episodes', 'alternate_enclosures', '[{"type": "audio/opus", "sources": []}]',
    'alternate_enclosures[0].sources must have 1 to 10 entries'),
  ('episodes', 'alternate_enclosures', '[{"type": "opus", "sources": [{"uri": "ipfs://a"}]}]',
    'alternate_enclosures[0].type must be a media type, for example audio/mpeg'),
  ('episodes', 'alternate_enclosures', '[{"type": "audio/opus", "sources": [{"uri": "data:audio/opus,x"}]}]',
    'alternate_enclosures[0].sources[0].uri must be a URI of at most 2,048 characters'),
  ('episodes', 'alternate_enclosures', '[{"type": "audio/opus", "lang": "en_US", "sources": [{"uri": "ipfs://a"}]}]',
    'alternate_enclosures[0].lang must be a BCP 47 tag, for example en or de-AT'),
  ('episodes', 'alternate_enclosures', '[{"type": "audio/opus", "sources": [{"uri": "ipfs://a"}],
    "integrity": {"type": "md5", "value": "a"}}]',
    'alternate_enclosures[0].integrity.type must be one of: sri, pgp-signature'),
  ('episodes', 'alternate_enclosures', '[{"type": "audio/opus", "sources": [{"uri": "ipfs://a"}]},
    {"type": "audio/opus", "sources": [{"uri": "ipfs://a"}], "integrity": {"type": "sri", "value": "c2ln"}}]',
    'alternate_enclosures[1].integrity.value must be an SRI string, for example sha256-…, or a signature in base64'),
  ('episodes', 'alternate_enclosures', '[{"type": "audio/opus", "sources": [{"uri": "ipfs://a"}],
    "integrity": {"type": "pgp-signature", "value": "<c2ln>"}}]',
    'alternate_enclosures[0].integrity.value must be an SRI string, for example sha256-…, or a signature in base64'),
  ('episodes', 'extra_tags', '["text"]', 'extra_tags[0] must be an XML element'),
  ('episodes', 'extra_tags', '[{"a": 1}]', 'extra_tags[0] must be a text'),
  ('podcasts', 'extra_tags', pg_temp.entries('"<a/>"', 101), 'extra_tags must have 0 to 100 entries'),
  ('podcasts', 'extra_tags', pg_temp.entries(format('"<a>%s</a>"', repeat('x', 33000)), 2),
    'extra_tags must have at most 65536 bytes')) v (place, field, value, message);
select throws_ok(pg_temp.statement('episodes', 'texts', repeat('[', 5000) || repeat(']', 5000)), 'PT400',
  'texts[0] must be an object', 'episodes rejects a list of 5,000 levels without walking it');
select throws_ok(pg_temp.statement('podcasts', 'locations',
    jsonb_build_array(jsonb_build_object('name', 'a', repeat('k', 200), 1))::text), 'PT400',
  format('locations[0].%s is unknown; use geo, osm, rel, name, country', repeat('k', 100)),
  'the message about an unknown member has at most 100 characters of its name');
select is(tests.result_of('ola', pg_temp.statement(place, field, value)), '23514',
  format('a constraint of %s rejects %s = %s', place, field, left(value, 40)))
from (values
  ('podcasts', 'license', ''), ('podcasts', 'license', repeat('x', 129)), ('episodes', 'license', repeat('x', 129)),
  ('podcasts', 'license_url', 'ftp://a'), ('episodes', 'license_url', 'javascript:alert(1)'),
  ('podcasts', 'locations', 'null'), ('podcasts', 'publisher', 'null'), ('episodes', 'soundbites', 'null'),
  ('episodes', 'season_name', repeat('x', 129)), ('episodes', 'season_name', ' '),
  ('episodes', 'episode_display', repeat('x', 33))) v (place, field, value);
update public.podcasts set license = null;
select is(tests.result_of('ola', pg_temp.statement('podcasts', 'license_url', 'https://a.test')), '23514',
  'podcasts rejects a license_url without a license');

-- Normalization
do $$ begin perform tests.result_of('ola', pg_temp.statement('podcasts', 'locations',
  '[{"name": " Wien\r\n \tAustria ", "rel": null}]')); end $$;
select is((select locations from public.podcasts where id = tests.id('show')), '[{"name": "Wien Austria"}]',
  'texts of feed values become one line, and null members are removed');
do $$ begin perform tests.result_of('service', pg_temp.statement('podcasts', 'extra_tags', '["<a>\n  b\n</a>"]'));
end $$;
select is((select extra_tags from public.podcasts where id = tests.id('show')), '["<a>\n  b\n</a>"]',
  'extra_tags are stored verbatim');
select is(private.feed_value_error('soundbites', '[{"start_seconds": 1, "duration_seconds": 2}]'), null,
  'feed_value_error returns null for a valid value');
select ok(private.is_uri(uri), format('is_uri accepts %s', uri))
from unnest('{https://a.test/ü,https://ü.test/,https://[::1]/,ipfs://QmX33,magnet:?xt=urn:btih:c1&dn=a,nostr:note1abc,
mailto:a@b.test}'::text[]) uri;
select ok(not private.is_uri(uri), format('is_uri rejects %s', left(uri, 40)))
from unnest(array['', 'a', 'javascript:alert(1)', 'DATA:text/html,x', 'vbscript:x', 'file:///etc', 'blob:x', 'http:a',
  'https://a.test:0/', 'https://1.2.3/',
  'ipfs://ü', 'ipfs://a b', 'ipfs://"', '1ipfs://a', 'ipfs://' || repeat('a', 2042)]) uri;

select * from tests.finish();
rollback;
