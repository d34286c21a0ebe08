-- Staging: a feed's items in batches, then what the podcast takes over from its channel and where the import stands.
begin;
select tests.start();

select tests.podcast('show', 'ola');
create function pg_temp.item(guid text, place int, more jsonb default '{}') returns jsonb language sql as $$
  select jsonb_build_object('position', place, 'guid', guid, 'title', 'Episode ' || guid, 'link', null,
    'description', '<p>d</p>', 'content', null, 'summary', null,
    'pubDate', '2024-05-01T10:00:00.000Z', 'enclosure',
    '{"url": "https://media.example/a.mp3", "length": 5, "type": "audio/mpeg"}'::jsonb, 'durationSeconds', 60,
    'season', null, 'episode', null, 'episodeType', 'full', 'explicit', null, 'image', null, 'persons', '[]'::jsonb,
    'transcripts', '[]'::jsonb,
    'chapters', null, 'keywords', '[]'::jsonb, 'warnings', '[]'::jsonb) || more $$;
create function pg_temp.stage(import text, variadic items jsonb[]) returns int
  language sql as $$ select private.stage_import_items(tests.id(import), to_jsonb(items)) $$;
create function pg_temp.finish(import text, channel jsonb default '{}', at timestamptz default now()) returns jsonb
  language sql as $$
  select private.finish_staging(tests.id(import), channel,
    '{"pattern": "#{n}", "confidence": 0.9, "numbers": {"a": 1}, "conflicts": []}',
    '[{"code": "DATE_MISSING", "message": "No date", "count": 2}]', at) $$;

-- Items
select tests.import('one', 'show', 'pending');
update public.podcast_imports set detection = null, updated_at = now() where id = tests.id('one');
select is(pg_temp.stage('one', pg_temp.item('a', 0,
  '{"episode": 7, "season": 2, "warnings": [{"code": "DATE_NONSTANDARD", "message": "m"}]}'),
  pg_temp.item('007', 1, '{"pubDate": null, "title": null}'), pg_temp.item('1e5', 2)), 3,
  'stage_import_items returns the number of staged items');
select is((select (position, guid, title, published_at at time zone 'UTC', status, warnings)::text
  from public.podcast_import_items where guid = 'a'),
  '(0,a,"Episode a","2024-05-01 10:00:00",pending,"[{""code"": ""DATE_NONSTANDARD"", ""message"": ""m""}]")',
  'stage_import_items stores position, GUID, title, date and warnings');
select is((select parsed_payload from public.podcast_import_items where guid = 'a'),
  pg_temp.item('a', 0, '{"episode": 7, "season": 2, "episodeNumber": 7,
    "seasonNumber": 2}') - '{guid,position,warnings,description,content,summary,subtitle}'::text[],
    'parsed_payload has the rest of the item, and its numbers as imported');
select pg_temp.stage('one', pg_temp.item('texts', 9,
  '{"description": "About", "content": "<p>Notes</p>", "summary": null, "subtitle": "In short"}'));
select is((select (parsed_payload ?| '{description,content,summary,subtitle}', description, content, summary,
    subtitle)::text
  from public.podcast_import_items i join public.podcast_import_item_texts t on t.import_item_id = i.id
  where guid = 'texts'), '(f,About,<p>Notes</p>,,"In short")',
  'stage_import_items stores the long texts in podcast_import_item_texts');
select pg_temp.stage('one', pg_temp.item('texts', 9, '{"description": null, "content": null, "summary": "Short"}'));
select is((select (description, content, summary, subtitle)::text from public.podcast_import_items i
  join public.podcast_import_item_texts t on t.import_item_id = i.id where guid = 'texts'), '(,,Short,)',
  'stage_import_items replaces the long texts of an item with the same GUID');
delete from public.podcast_import_items where guid = 'texts';
select is((select (guid, title, published_at, parsed_payload -> 'episodeNumber')::text from public.podcast_import_items
  where position = 1), '(007,,,null)', 'stage_import_items stores a GUID exactly and missing values as null');
select is((select array_agg(podcast_id) from public.podcast_import_items), array_fill(tests.id('show'), array[3]),
  'stage_import_items stores the podcast of the import with each item');
select is(pg_temp.stage('one', pg_temp.item('b', 3),
  pg_temp.item('a', 4, '{"title": "Newer", "pubDate": "2024-06-01T10:00:00.000Z"}')), 2,
  'stage_import_items accepts a GUID again');
select is((select (position, title, published_at at time zone 'UTC', warnings, parsed_payload -> 'episodeNumber')::text
  from public.podcast_import_items where guid = 'a'), '(4,Newer,"2024-06-01 10:00:00",[],null)',
  'stage_import_items replaces an item with the same GUID');
select is(pg_temp.stage('one', pg_temp.item(repeat('x', 1001), 5), pg_temp.item(repeat('x', 1000), 6),
  pg_temp.item(repeat('語', 867), 7), pg_temp.item(repeat('語', 866), 8)), 4,
  'stage_import_items accepts GUIDs of any length');
select is((select array_agg((position, status, error_code)::text order by position) from public.podcast_import_items
  where position >= 5),
  array['(5,failed,GUID_TOO_LONG)', '(6,pending,)', '(7,failed,GUID_TOO_LONG)', '(8,pending,)'],
  'stage_import_items fails an item whose GUID is too long for an episode');
select lives_ok($$ insert into public.episodes (podcast_id, title, guid) select tests.id('other'), 'x', guid
  from public.podcast_import_items i, tests.podcast('other')
  where status = 'pending' $$, 'episodes accepts each GUID that stage_import_items accepts');
select is(tests.state_of('one'), 'pending: 0/2/0 of 8', 'stage_import_items counts one item per GUID');
select is(private.stage_import_items(tests.id('one'), '[]'), 0, 'stage_import_items accepts an empty batch');
create temp table stamp as select updated_at from public.podcast_imports where id = tests.id('one');
select pg_temp.stage('one', pg_temp.item('1e5', 2));
select ok((select i.updated_at > s.updated_at from public.podcast_imports i, stamp s where i.id = tests.id('one')),
  'stage_import_items updates the import''s updated_at, even without a new item');
select is(pg_temp.stage('one', pg_temp.item(E'it''s "quoted" \\ {a,b} é 🎙', 9)), 1,
  'stage_import_items accepts any text as GUID');

-- Value blocks
select tests.podcast('paid', 'ola'), tests.import('paid import', 'paid', 'pending');
select pg_temp.stage('paid import', pg_temp.item('good', 0, format('{"valueBlocks": [%s]}', b.block)::jsonb),
  pg_temp.item('bad', 1, format('{"valueBlocks": [%s, %s], "warnings": [{"code": "DATE_INVALID", "message": "m"}]}',
    b.block, replace(b.block, '95', '"95%"'))::jsonb))
from (values ('{"type": "lightning", "method": "keysend", "recipients": [
  {"type": "node", "address": "a", "split": 95}]}')) b (block);
select is((select jsonb_object_agg(i.guid, jsonb_path_query_array(i.warnings, '$[*].code'))
    from public.podcast_import_items i where i.import_id = tests.id('paid import')),
  '{"good": [], "bad": ["DATE_INVALID", "VALUE_BLOCK_LOST"]}',
  'stage_import_items warns of an item that loses a value block');
select pg_temp.finish('paid import', '{"title": "T", "valueBlocks": [{"type": "lightning"}]}');
select is((select jsonb_path_query_first(i.warnings, '$[*] ? (@.code == "VALUE_BLOCK_LOST")')
    from public.podcast_imports i where i.id = tests.id('paid import')), '{"code": "VALUE_BLOCK_LOST", "count": 2,
  "message": "A value block has an invalid part and will be left out as a whole; check who is paid"}',
  'finish_staging counts the channel and the items that lose a value block');

-- finish_staging of an unlocked feed
insert into public.episodes (podcast_id, title, guid) values (tests.id('show'), 'Old', '007'),
  (tests.id('show'), 'Old', repeat('x', 1000)), (tests.id('show'), 'Old', '1E5');
select is(pg_temp.finish('one', '{"locked": false, "podcastGuid": "917393e3-1b1e-5cef-ace4-edaa54e1f810",
  "ownerEmail": "jane@example.com"}'),
  jsonb_build_object('importId', tests.id('one'), 'status', 'preview', 'totalItems', 9,
    'detection', '{"pattern": "#{n}", "confidence": 0.9, "numbers": {"a": 1}, "conflicts": []}'::jsonb),
    'finish_staging returns the preview of an unlocked feed');
select is(tests.state_of('one'), 'preview: 0/2/2 of 9', 'finish_staging skips items that the podcast has');
select is((select array_agg(left(guid, 3) order by guid) from public.podcast_import_items
  where status = 'skipped_duplicate'), array['007', 'xxx'], 'finish_staging compares GUIDs exactly');
select is((select (is_locked_source, verification_method, verification_token, locked_owner_email, feed_podcast_guid,
  staged_at = now(), started_at, warnings)::text from public.podcast_imports where id = tests.id('one')),
  '(f,,,,917393e3-1b1e-5cef-ace4-edaa54e1f810,t,,'
  '"[{""code"": ""DATE_MISSING"", ""count"": 2, ""message"": ""No date""}]")',
  'finish_staging stores GUID and warnings of an unlocked feed, and no verification method');
select is(tests.error_of(statement), 'PT409 INVALID_IMPORT_STATE',
  'a staging function returns 409 for a staged import: ' || statement)
from unnest(array[$$ select pg_temp.stage('one', pg_temp.item('z', 20)) $$,
  $$ select pg_temp.finish('one') $$]) statement;
select is(private.discard_staging(tests.id('one')), false, 'discard_staging keeps a staged import');
select is(tests.error_of(statement), 'PT404', 'a staging function returns 404 for an unknown import: ' || statement)
from tests.remember('gone', gen_random_uuid()),
  unnest(array[$$ select pg_temp.stage('gone', pg_temp.item('z', 20)) $$, $$ select pg_temp.finish('gone') $$,
    $$ select private.finish_feed_recheck(tests.id('gone'), '{}', tests.id('ola')) $$]) statement;

-- Empty, discarded and canceled imports
select tests.podcast('show2', 'ola'), tests.import('two', 'show2', 'pending');
select is(tests.error_of($$ select pg_temp.finish('two') $$), 'PT400 EMPTY_FEED',
  'finish_staging rejects a feed without episodes');
select pg_temp.stage('two', pg_temp.item('a', 0));
select is(private.discard_staging(tests.id('two')), true, 'discard_staging returns true for a pending import');
select is((select count(*) from public.podcast_imports where podcast_id = tests.id('show2')) + (select count(*)
  from public.podcast_import_items where podcast_id = tests.id('show2')), 0::bigint,
  'discard_staging deletes the import and its items');
select tests.import('two', 'show2', 'pending'), pg_temp.stage('two', pg_temp.item('a', 0));
update public.podcast_imports set status = 'canceled' where id = tests.id('two');
select is(tests.error_of(statement), 'PT409 INVALID_IMPORT_STATE',
  'a staging function returns 409 for a canceled import: ' || statement)
from unnest(array[$$ select pg_temp.stage('two', pg_temp.item('b', 1)) $$,
  $$ select pg_temp.finish('two') $$]) statement;
select is(private.discard_staging(tests.id('two')), false, 'discard_staging keeps a canceled import');

-- The channel's metadata
create function pg_temp.channel(show text, channel jsonb) returns text language plpgsql as $$
begin
  perform tests.import('c', show, 'pending'), pg_temp.stage('c', pg_temp.item('a', 0)), pg_temp.finish('c', channel);
  update public.podcast_imports set status = 'canceled' where id = tests.id('c');
  return (select (apple_verify_token, ai_disclosure, verify_texts)::text from public.podcasts
    where id = tests.id(show));
end $$;
select is(pg_temp.channel('show2', '{"appleVerifyToken": " tok-1 ", "aiDisclosure": "true",
  "verifyTexts": [{"text": "v=1", "purpose": null}, {"text": "S6lpp", "purpose": "verify"}]}'),
  '(tok-1,true,"[{""text"": ""v=1""}, {""text"": ""S6lpp"", ""purpose"": ""verify""}]")',
  'finish_staging copies the feed''s token, disclosure and verify texts to the podcast');
select is(pg_temp.channel('show2', '{"appleVerifyToken": null, "aiDisclosure": " ", "verifyTexts": []}'),
  '(tok-1,true,"[{""text"": ""v=1""}, {""text"": ""S6lpp"", ""purpose"": ""verify""}]")',
  'finish_staging keeps the token, disclosure and verify texts of the podcast where the feed has none');
select is(pg_temp.channel('show2', '{"appleVerifyToken": "tok-2",
  "verifyTexts": [{"text": "new", "purpose": null}, {"text": "v=1", "purpose": null}]}'),
  '(tok-2,true,"[{""text"": ""new""}, {""text"": ""v=1""}, {""text"": ""S6lpp"", ""purpose"": ""verify""}]")',
  'finish_staging puts the verify texts of the feed before the podcast''s, each once');
select pg_temp.channel('show2', jsonb_build_object('appleVerifyToken', repeat('x', 1001),
  'aiDisclosure', repeat('x', 4001),
  'verifyTexts', (select jsonb_agg(jsonb_build_object('text', n || repeat('語', 3000), 'purpose', 'p'))
    || '[{"text": "", "purpose": null}, {"text": null}]' from generate_series(1, 30) n)
    || jsonb_build_array(jsonb_build_object('text', repeat('x', 4001)),
      jsonb_build_object('text', 'x', 'purpose', repeat('x', 129)))));
select is((select (apple_verify_token, char_length(ai_disclosure), jsonb_array_length(verify_texts))::text
  from public.podcasts where id = tests.id('show2')), '(tok-2,4000,17)',
  'finish_staging limits channel metadata to what the podcast''s columns hold');
select tests.podcast('show3', 'ola');
select is((pg_temp.channel('show3',
  (select jsonb_build_object('verifyTexts', jsonb_agg(jsonb_build_object('text', n::text, 'purpose', null)))
    from generate_series(1, 30) n)) like '(,,%""20""}]")'), true, 'finish_staging copies at most twenty verify texts');
select is(pg_temp.channel('show3', '{"verifyTexts": null}') like '(,,%""20""}]")', true,
  'finish_staging keeps the podcast''s verify texts when the channel has none');
select tests.podcast('show4', 'ola');
select is(pg_temp.channel('show4', jsonb_build_object('verifyTexts', jsonb_build_array(
    jsonb_build_object('text', repeat('x', 4001), 'purpose', repeat('y', 129)), '{"text": " "}'::jsonb)))
  like '(,,"[{""text"": ""' || repeat('x', 3999) || '%', true,
  'finish_staging shortens a text that is too long, as its report says');

-- finish_staging of a locked feed
create function pg_temp.locked(name text, channel jsonb) returns jsonb language sql as $$
  select tests.podcast(name, 'ola'), tests.import(name || '/import', name, 'pending'),
    pg_temp.stage(name || '/import', pg_temp.item('a', 0));
  select pg_temp.finish(name || '/import', channel || '{"locked": true}') - 'importId' $$;
select is(pg_temp.locked('l1', '{"lockedOwner": " Jane@Example.com", "ownerEmail": "other@o.example",
  "appleVerifyToken": "tok"}'),
  '{"status": "verification_required", "method": "email_code", "totalItems": 1, "ownerEmail": "j***@e***.com"}',
  'finish_staging requires an email code for a locked feed with an owner email');
select is((select (status, is_locked_source, verification_method, verification_token, locked_owner_email)::text
  from public.podcast_imports where id = tests.id('l1/import')), '(verification_required,t,email_code,,j***@e***.com)',
  'finish_staging stores only the masked owner email in podcast_imports');
select is((select owner_email || coalesce(code_hash::text, '') from private.import_owner_verifications
  where import_id = tests.id('l1/import')), 'jane@example.com',
  'finish_staging stores the owner email in import_owner_verifications');
select is((select array_agg(m) from tests.queued('ownership_codes') m),
  array[jsonb_build_object('type', 'ownership_code', 'import_id', tests.id('l1/import'), 'podcast_id', tests.id('l1'))],
  'finish_staging enqueues the ownership code');
select is((select apple_verify_token from public.podcasts where id = tests.id('l1')),
  'tok', 'finish_staging copies the metadata of a locked feed before its verification');
select is(pg_temp.locked('l2', '{"lockedOwner": "not an email", "ownerEmail": "other@o.example"}') ->> 'ownerEmail',
  'o***@o***.example', 'finish_staging uses itunes:email when podcast:locked has no email address');
select tests.empty_queue('ownership_codes');
select is(pg_temp.locked(name, channel) - 'verificationToken',
  '{"status": "verification_required", "method": "feed_recheck", "totalItems": 1}',
  'finish_staging requires a recheck of a locked feed without a deliverable owner email: ' || channel::text)
from (values ('l3', '{"lockedOwner": null, "ownerEmail": null}'::jsonb),
  ('l4', '{"lockedOwner": "yes", "ownerEmail": "a@b@c.example"}'), ('l5', '{}')) v (name, channel);
select is((select count(*) from tests.queued('ownership_codes')) + (select count(*)
  from private.import_owner_verifications where import_id = tests.id('l3/import')), 0::bigint,
  'finish_staging enqueues no code for a locked feed without an owner email');
create temp table l6 as select pg_temp.locked('l6', '{}') ->> 'verificationToken' as token;
select is((select verification_token from public.podcast_imports where id = tests.id('l6/import')), token,
  'finish_staging returns the import''s verification token') from l6;
select is((select count(distinct verification_token) from public.podcast_imports
  where verification_token ~ '^castbase-verify-[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'), 4::bigint,
  'every import has its own verification token');
select tests.set_status('show2', 'pending_deletion');
select is(tests.error_of($$ insert into public.podcast_imports (podcast_id, feed_url)
  values (tests.id('show2'), 'https://feeds.example/a.xml') $$), 'PT409 PODCAST_PENDING_DELETION',
  'podcast_imports rejects an import into a podcast pending deletion');

select * from tests.finish();
rollback;
