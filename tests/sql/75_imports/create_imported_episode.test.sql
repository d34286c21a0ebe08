-- What an imported episode takes from its item besides texts and media: feed values, carried elements, losses.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.import('one', 'show', 'running');
create function pg_temp.create_episode(guid text, payload jsonb, extra_tags jsonb default '[]') returns public.episodes
  language plpgsql as $$
declare item public.podcast_import_items; made public.episodes; begin
  perform tests.import_item(guid, 'one', payload => payload);
  update public.podcast_import_item_texts set extra_tags = create_episode.extra_tags,
    losses = '[{"path": "generator", "reason": "REPLACED_BY_OURS"}]'
  where import_item_id = tests.id(create_episode.guid);
  select * into item from public.podcast_import_items where id = tests.id(create_episode.guid);
  perform private.create_imported_episode(item,
    format('podcasts/%s/e/%s/audio/%s.mp3', item.podcast_id, item.id, gen_random_uuid()), 1000, 'audio/mpeg', 60, null);
  select * into made from public.episodes where id = tests.id(create_episode.guid);
  return made;
end $$;
create function pg_temp.losses(guid text) returns jsonb language sql as $$
  select losses - 0 from public.podcast_import_item_texts where import_item_id = tests.id(guid) $$;

create temp table made as select * from pg_temp.create_episode('a', '{
  "seasonNumber": 1, "seasonName": "The first", "episodeNumber": 3, "episodeDisplay": "Ch. 3",
  "license": "cc-by-4.0", "licenseUrl": "https://a.example/l",
  "funding": [{"url": "https://a.example/", "text": "Help"}], "texts": [{"text": "hello", "purpose": null}],
  "locations": [{"name": "Graz", "rel": "subject", "geo": null}], "images": [{"href": "https://a.example/i.png"}],
  "socialInteractions": [{"protocol": "activitypub", "uri": "https://a.example/1", "accountId": "@jane"}],
  "valueBlocks": [{"type": "lightning", "method": "keysend", "recipients": [{"type": "node", "address": "a",
    "split": "99", "customKey": "7"}]}], "keywords": ["trains"], "tags": [{"text": "Rail", "domain": null}],
  "soundbites": [{"startSeconds": 73, "durationSeconds": 60, "title": "A bite"}],
  "contentLinks": [{"href": "https://a.example/v", "text": "Watch"}],
  "alternateEnclosures": [{"type": "audio/opus", "length": 5, "sources": [{"uri": "https://a.example/a.opus"}]}]}',
  '["<media:rating xmlns:media=\"http://search.yahoo.com/mrss/\">nonadult</media:rating>"]');
select is((select (season_name, episode_display, license, license_url)::text from made),
  '("The first","Ch. 3",cc-by-4.0,https://a.example/l)', 'create_imported_episode takes names, display and license');
select is((select jsonb_build_array(funding, texts, locations, images, social_interactions, value_blocks, keywords,
  tags, soundbites, content_links, alternate_enclosures) from made), '[
  [{"url": "https://a.example/", "text": "Help"}], [{"text": "hello"}], [{"name": "Graz", "rel": "subject"}],
  [{"href": "https://a.example/i.png"}],
  [{"protocol": "activitypub", "uri": "https://a.example/1", "account_id": "@jane"}],
  [{"type": "lightning", "method": "keysend", "recipients": [{"type": "node", "address": "a", "split": "99",
    "custom_key": "7"}]}], ["trains"], [{"text": "Rail"}],
  [{"start_seconds": 73, "duration_seconds": 60, "title": "A bite"}],
  [{"href": "https://a.example/v", "text": "Watch"}],
  [{"type": "audio/opus", "length": 5, "sources": [{"uri": "https://a.example/a.opus"}]}]]',
  'create_imported_episode takes each list of the podcast namespace');
select is((select extra_tags from made),
  '["<media:rating xmlns:media=\"http://search.yahoo.com/mrss/\">nonadult</media:rating>"]',
  'create_imported_episode takes the carried elements');
select is(pg_temp.losses('a'), '[]', 'create_imported_episode reports no loss of a valid item');

select is((pg_temp.create_episode('b', '{"soundbites": [{"startSeconds": 1}], "seasonName": null,
  "persons": [{"name": "Ann", "role": "Narrator"}]}')).soundbites, '[]',
  'create_imported_episode leaves out an invalid entry');
select is(pg_temp.losses('b'), '[
  {"path": "podcast:person", "reason": "INVALID", "excerpt": "Ann has the role Narrator, which credits do not know"},
  {"path": "podcast:soundbite", "reason": "INVALID", "excerpt": "soundbites[0].duration_seconds is required"}]',
  'create_imported_episode adds what no column accepts to the losses of the item');
select is((select losses -> 0 ->> 'path' from public.podcast_import_item_texts where import_item_id = tests.id('b')),
  'generator', 'create_imported_episode keeps the losses that the reader reported');

select is((pg_temp.create_episode('m', '{"persons": [{"name": "ana@a.example", "role": "Narrator"}], "valueBlocks": [
  {"type": "lightning", "method": "keysend", "recipients": [{"type": "node", "address": "a", "split": 95},
    {"type": "node", "address": "b", "split": "5%"}]}]}')).value_blocks, '[]',
  'create_imported_episode keeps no share of a value block with an invalid split');
select is((select jsonb_path_query_array(losses, '$[*].reason') from public.podcast_import_item_texts
    where import_item_id = tests.id('m')), '["MONEY", "REPLACED_BY_OURS", "INVALID"]',
  'create_imported_episode lists losses about money first');
select ok((select losses::text not like '%ana@a.example%' from public.podcast_import_item_texts
    where import_item_id = tests.id('m')), 'create_imported_episode masks addresses in losses');

-- Long texts
select is((select char_length(title) from pg_temp.create_episode('c', jsonb_build_object(
  'description', repeat('d', 10001), 'content', '<p>Notes</p>', 'summary', repeat('s', 4001),
  'itunesTitle', repeat('t', 256), 'seasonNumber', 1, 'episodeNumber', 1,
  'seasonName', repeat('n', 129), 'episodeDisplay', repeat('e', 33)))), 1,
  'create_imported_episode accepts texts of any length');
select is(pg_temp.losses('c'), jsonb_build_array(
  private.loss('podcast:season/@name', 'TRUNCATED', repeat('n', 129)),
  private.loss('podcast:episode/@display', 'TRUNCATED', repeat('e', 33)), private.loss('description', 'TRUNCATED'),
  private.loss('itunes:summary', 'TRUNCATED'), private.loss('itunes:title', 'TRUNCATED')),
  'create_imported_episode reports each text of which no column has the whole');
select pg_temp.create_episode('d', jsonb_build_object('description', repeat('d', 10001)));
select is(pg_temp.losses('d'), '[]', 'create_imported_episode reports no loss of a text that the show notes hold');

select pg_temp.create_episode('e', jsonb_build_object('description', repeat('d', 4001), 'content', '<p>Notes</p>'));
select is(pg_temp.losses('e'), '[{"path": "description", "reason": "TRUNCATED"}]',
  'create_imported_episode reports a description of which the feed shows only the beginning');
select pg_temp.create_episode('f', jsonb_build_object('description', 'A', 'summary', repeat('ä', 2001)));
select is(pg_temp.losses('f'), '[]', 'create_imported_episode reports no loss of a summary that the show notes hold');
select pg_temp.create_episode('f2', jsonb_build_object('description', '<p>A</p>', 'summary', repeat('ä', 2001)));
select is(pg_temp.losses('f2'), '[{"path": "itunes:summary", "reason": "TRUNCATED"}]',
  'create_imported_episode reports a summary of which the feed shows only the beginning');
select pg_temp.create_episode('g', jsonb_build_object('summary', repeat('s', 4001), 'content', '<p>Notes</p>'));
select is(pg_temp.losses('g'), '[{"path": "itunes:summary", "reason": "TRUNCATED"}]',
  'create_imported_episode reports a summary beside notes of which the feed shows only the beginning');

-- Four texts
select is((select jsonb_build_array(description, summary, subtitle, show_notes_html)
  from pg_temp.create_episode('roles', '{"description": "The description", "summary": "Short",
    "subtitle": "Shorter", "content": "<p>Notes</p>"}')),
  '["The description", "Short", "Shorter", "<p>Notes</p>"]',
  'create_imported_episode keeps description, summary, subtitle and notes as four values');
select is((select jsonb_build_array(description, summary, subtitle, show_notes_html)
  from pg_temp.create_episode('teaser', '{"description": "The description", "subtitle": "Shorter"}')),
  '["The description", null, "Shorter", null]',
  'create_imported_episode takes no subtitle as the summary');
select is((select char_length(subtitle) from pg_temp.create_episode('subtitle',
  jsonb_build_object('subtitle', repeat('s', 4001)))), 4000, 'create_imported_episode truncates a long subtitle');
select is(pg_temp.losses('subtitle'), '[{"path": "itunes:subtitle", "reason": "TRUNCATED"}]',
  'create_imported_episode reports a subtitle of which the feed shows only the beginning');

-- Values without what the namespace requires
select pg_temp.create_episode('h', jsonb_build_object('seasonName', 'The first', 'episodeDisplay', 'Ch. 3',
  'licenseUrl', 'https://a.example/l', 'chapters', 'https://a.example/' || repeat('c', 2100)));
select is(pg_temp.losses('h') #- '{3,excerpt}', '[
  {"path": "podcast:season/@name", "reason": "INVALID", "excerpt": "The first"},
  {"path": "podcast:episode/@display", "reason": "INVALID", "excerpt": "Ch. 3"},
  {"path": "podcast:license/@url", "reason": "INVALID", "excerpt": "https://a.example/l"},
  {"path": "podcast:chapters", "reason": "INVALID"}]',
  'create_imported_episode reports names without a number, a license without a text, and a URL that is too long');
select pg_temp.create_episode('i', '{"episodeDisplay": "3.5"}');
select is(pg_temp.losses('i'), '[]',
  'create_imported_episode reports no loss of a decimal number, which the feed shows');

select * from tests.finish();
rollback;
