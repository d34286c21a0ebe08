-- The channel of a feed: what finish_staging stores of it, and what confirm_import applies to the podcast.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin');
create function pg_temp.fields(channel jsonb) returns jsonb
  language sql as $$ select (private.channel_fields(channel)).fields $$;

-- Fields
select is(pg_temp.fields('{"title": "Night  Trains", "description": "<p>About trains</p>", "language": "de-AT",
  "author": " Jane Doe ", "ownerName": "Jane", "ownerEmail": "Jane@Example.com",
  "categories": [{"category": "Arts", "subcategory": "Books"}], "type": "serial", "explicit": false,
  "copyright": "Jane", "link": "https://trains.example/"}'),
  '{"title": "Night Trains", "description": "<p>About trains</p>", "language": "de-AT", "author": "Jane Doe",
    "owner": {"name": "Jane", "email": "Jane@Example.com"},
    "categories": [{"category": "Arts", "subcategory": "Books"}], "type": "serial", "explicit": false,
    "copyright": "Jane", "link": "https://trains.example/"}', 'channel_fields returns each field of a channel');
select is(pg_temp.fields('{"title": " ", "description": null, "language": "deutsch!", "author": "", "ownerName": null,
  "categories": [], "type": "weekly", "explicit": null, "copyright": null, "link": "ftp://trains.example/"}'), '{}',
  'channel_fields omits missing, blank and invalid values');
select is(pg_temp.fields(jsonb_build_object('title', repeat(U&'\200B', 255) || 'x')), '{}',
  'channel_fields omits a title that has no visible character within its limit');
select is(pg_temp.fields(jsonb_build_object('title', repeat('t', 256), 'author', repeat('a', 256), 'copyright',
  repeat('c', 256), 'ownerName', repeat('n', 256), 'description', repeat('d', 10001))),
  jsonb_build_object('title', repeat('t', 255), 'author', repeat('a', 255), 'copyright', repeat('c', 255),
    'owner', jsonb_build_object('name', repeat('n', 255)), 'description', repeat('d', 10000)),
  'channel_fields truncates texts to the length of the podcast''s columns');
select is(pg_temp.fields('{"ownerEmail": "jane at example.com", "ownerName": "Jane"}'), '{"owner": {"name": "Jane"}}',
  'channel_fields omits an owner email without @');
select is((private.channel_categories('[{"category": "Gadgets"}, {"category": "Arts", "subcategory": "Nonsense"},
  {"category": "Arts"}, {"category": "Arts", "subcategory": "Books"}, {"category": "Comedy"},
  {"category": "History"}]')).accepted,
  '[{"category": "Arts"}, {"category": "Arts", "subcategory": "Books"}, {"category": "Comedy"}]',
  'channel_categories keeps three known categories, each once, without an unknown subcategory');

select is(pg_temp.fields('{"isBlocked": true, "isComplete": false, "license": "cc-by-4.0",
  "licenseUrl": "https://a.example/license", "persons": [{"name": "Jane", "role": "guest", "group": null}],
  "funding": [{"url": "https://a.example/", "text": "Help"}], "updateFrequency": {"text": "Weekly", "rrule": null},
  "directoryBlocks": [{"id": "spotify", "isBlocked": true}], "keywords": ["trains"], "tags": [],
  "extraTags": ["<ttl>60</ttl>"], "podroll": null, "locations": [{"name": "Graz", "country": "AT"}]}'),
  '{"isBlocked": true, "isComplete": false, "license": {"name": "cc-by-4.0", "url": "https://a.example/license"},
    "persons": [{"name": "Jane", "roleLabel": "Guest"}], "funding": [{"url": "https://a.example/", "text": "Help"}],
    "updateFrequency": {"text": "Weekly"}, "directoryBlocks": [{"id": "spotify", "is_blocked": true}],
    "keywords": ["trains"], "extraTags": ["<ttl>60</ttl>"], "locations": [{"name": "Graz", "country": "AT"}]}',
  'channel_fields returns the values of the podcast namespace and the carried elements');
select is((private.channel_fields(jsonb_build_object('title', repeat('t', 256), 'author', repeat('a', 255),
  'categories', '[{"category": "Gadgets"}, {"category": "Arts", "subcategory": "Nonsense"}, {"category": "Comedy"},
    {"category": "History"}, {"category": "Music"}]'::jsonb, 'funding', '[{"url": "x", "text": "Help"}]'::jsonb,
  'persons', '[{"name": "Ann", "role": "Narrator"}]'::jsonb))).losses, '[
    {"path": "itunes:category", "reason": "INVALID", "excerpt": "Gadgets"},
    {"path": "itunes:category", "reason": "INVALID", "excerpt": "Arts / Nonsense"},
    {"path": "itunes:category", "reason": "LIMIT", "excerpt": "Music"},
    {"path": "podcast:person", "reason": "INVALID", "excerpt": "Ann has the role Narrator, which credits do not know"},
    {"path": "podcast:funding", "reason": "INVALID",
      "excerpt": "funding[0].url must be an http or https URL of at most 2,048 characters"},
    {"path": "title", "reason": "TRUNCATED"}]', 'channel_fields reports what a field loses');

select is((private.channel_fields('{"language": "deutsch!", "link": "ftp://a.example/", "ownerName": "Jane",
  "ownerEmail": "jane at example.com", "podcastGuid": "1", "medium": "radio", "locked": false,
  "licenseUrl": "https://a.example/l", "verifyTexts": [{"text": ""}]}')).losses, '[
    {"path": "podcast:txt", "reason": "INVALID", "excerpt": "verify_texts[0].text must be 1 to 4000 characters"},
    {"path": "language", "reason": "INVALID", "excerpt": "deutsch!"},
    {"path": "link", "reason": "INVALID", "excerpt": "ftp://a.example/"},
    {"path": "itunes:owner/itunes:email", "reason": "INVALID"},
    {"path": "itunes:owner", "reason": "INVALID", "excerpt": "The feed shows no owner without an email"},
    {"path": "podcast:guid", "reason": "INVALID", "excerpt": "1"},
    {"path": "podcast:medium", "reason": "INVALID", "excerpt": "radio"},
    {"path": "podcast:locked", "reason": "LOCK"},
    {"path": "podcast:license/@url", "reason": "INVALID", "excerpt": "https://a.example/l"}]',
  'channel_fields reports each single value that the podcast cannot hold');
select is((private.channel_fields(jsonb_build_object('license', repeat('l', 129), 'licenseUrl', 'https://a.example/l')))
  .fields -> 'license', jsonb_build_object('name', repeat('l', 128), 'url', 'https://a.example/l'),
  'channel_fields shortens a long license and keeps its URL');
select is((private.channel_fields(jsonb_build_object('description', repeat('d', 4001), 'copyright', repeat('c', 256),
  'ownerEmail', 'jane@example.com', 'ownerName', repeat('n', 256), 'appleVerifyToken', repeat('a', 1001),
  'license', repeat('l', 129), 'aiDisclosure', repeat('a', 4001)))).losses, ('[
    {"path": "description", "reason": "TRUNCATED"}, {"path": "copyright", "reason": "TRUNCATED"},
    {"path": "itunes:owner/itunes:name", "reason": "TRUNCATED"},
    {"path": "itunes:applepodcastsverify", "reason": "LIMIT"},
    {"path": "podcast:license", "reason": "TRUNCATED"},
    {"path": "podcast:txt", "reason": "TRUNCATED"}]')::jsonb, 'channel_fields reports each text that is too long');
select is((select jsonb_agg(l - 'excerpt') from jsonb_array_elements((private.channel_fields(jsonb_build_object(
  'persons', (select jsonb_agg(jsonb_build_object('name', 'Jane ' || n)) from generate_series(1, 51) n)))).losses) l),
  '[{"path": "podcast:person", "reason": "LIMIT"}]', 'channel_fields reports the persons after the fiftieth');
select is((private.channel_fields('{"title": "T", "link": "https://a.example/", "image": "https://a.example/1.jpg",
  "rssImage": {"url": "https://a.example/1.jpg", "title": "T", "link": "https://a.example/"}}')).losses, '[]',
  'channel_fields reports no loss of an image that our feed writes as it is');
select is((select jsonb_agg(l ->> 'path') from jsonb_array_elements((private.channel_fields('{"title": "T",
  "link": null, "image": "https://a.example/1.jpg", "rssImage": {"url": "https://a.example/2.jpg", "title": "U",
  "link": "https://a.example/", "width": 1, "height": 1, "description": "D"}}')).losses) l),
  '["image/url", "image/title", "image/link", "image/width", "image/height", "image/description"]',
  'channel_fields reports each part of an image that our feed replaces');
select is(pg_temp.fields('{"medium": "musicL"}'), '{"medium": "musicL"}', 'channel_fields returns the medium');

-- Masking
select is(private.mask_emails('{"a": "Write to JANE.d+x@example.com or janeXd+x@example.com",
  "b": ["<jane.d+x@example.com>"]}',
  '{jane.d+x@example.com}'),
  '{"a": "Write to j***@e***.com or janeXd+x@example.com", "b": ["<j***@e***.com>"]}',
  'mask_emails masks an address in every text, in any case, and no other');
select is(private.mask_emails('{"a": "see \"q\\uote@example.com"}', array['"q\uote@example.com']),
  '{"a": "see \"***@e***.com"}', 'mask_emails finds an address with characters that JSON escapes');
select is(private.mask_emails('{"a": "b"}', '{}'), '{"a": "b"}', 'mask_emails changes nothing without addresses');
select is(private.owner_emails('{"ownerEmail": "Jane <jane@example.com>, joe@example.com",
  "lockedOwner": "jim@example.com"}'),
  '{jane@example.com,jim@example.com,joe@example.com}'::text[], 'owner_emails finds every address of an owner');

create function pg_temp.stage(name text, channel jsonb) returns jsonb language plpgsql as $$
begin
  delete from public.podcast_imports;
  perform tests.import(name, 'show', 'pending');
  perform private.stage_import_items(tests.id(name), jsonb_build_array(jsonb_build_object('position', 0, 'guid', 'a',
    'title', 'Episode a', 'pubDate', '2024-05-01T10:00:00.000Z', 'warnings', '[]'::jsonb)));
  return private.finish_staging(tests.id(name), channel, '{"pattern": null, "confidence": 0, "numbers": {},
    "conflicts": []}', '[]');
end $$;
select pg_temp.stage('one', '{"title": "Night Trains", "author": "Jane (jane@example.com)", "explicit": true,
  "ownerName": "Jane Doe", "ownerEmail": "jane@example.com", "description": "Mail JANE@example.com",
  "language": "fr"}');
select is((select fields from public.podcast_import_channels), '{"title": "Night Trains",
  "author": "Jane (j***@e***.com)", "explicit": true, "owner": {"name": "Jane Doe", "email": "j***@e***.com"},
  "description": "Mail j***@e***.com", "language": "fr"}', 'finish_staging stores the channel with masked addresses');
select is((select fields #>> '{owner,email}' from private.import_channels), 'jane@example.com',
  'finish_staging keeps the owner email in the private copy');
select is((select podcast_id from public.podcast_import_channels), tests.id('show'),
  'finish_staging stores the podcast of the import with its channel');

-- Applying
create function tests.show() returns jsonb language sql security definer as $$
  select to_jsonb(p) - '{id,updated_at,created_at,podcast_guid}'::text[]
  from public.podcasts p where p.id = tests.id('show') $$;
create temp table before as select tests.show() as show;
grant select on before to authenticated;
create function tests.changes() returns jsonb language sql security definer as $$
  select jsonb_object_agg(n.key, n.value) from before b, jsonb_each(tests.show()) n where b.show -> n.key <> n.value
    or b.show -> n.key is null $$;
create function tests.fields() returns setof text language sql security definer as $$
  select jsonb_object_keys(fields) from public.podcast_import_channels $$;
create function tests.confirm(fields text) returns text language sql as $$
  select tests.outcome_of(format('select public.confirm_import(tests.id(''one''), apply_channel => %L)', fields)) $$;
select tests.act_as('ana');
select is(tests.confirm('{title,copyright}'), 'PT400 INVALID_SELECTION Fields of this channel: author, description, '
  'explicit, language, owner, title',
  'confirm_import rejects a field that the channel does not have, and names those it has');
select matches(tests.confirm('{nonsense}'), 'PT400 INVALID_SELECTION', 'confirm_import rejects an unknown field');
select matches(tests.confirm('{NULL}'), 'PT400 INVALID_SELECTION', 'confirm_import rejects a null field');
select tests.act_as('postgres');
select is(tests.state_of('one'), 'preview: 0/0/0 of 1', 'a rejected field leaves the import in preview');
select is(tests.changes(), null, 'a rejected field changes no column of the podcast');
select tests.act_as('ana');
select is(tests.confirm('{title,owner,explicit,title}')::jsonb ->> 'status', 'running',
  'confirm_import accepts the fields of the channel, each any number of times');
select tests.act_as('postgres');
select is(tests.changes(), '{"title": "Night Trains", "owner_name": "Jane Doe", "owner_email": "jane@example.com",
  "explicit": true}', 'confirm_import sets exactly the named fields, the owner unmasked');
select pg_temp.stage('one', '{"title": "Day Trains", "ownerName": "Joe"}'), tests.act_as('ana');
select is(tests.confirm('{owner}')::jsonb ->> 'status', 'running', 'confirm_import accepts an owner without an email');
select tests.act_as('postgres');
select is(tests.changes() - 'title' - 'explicit', '{"owner_name": "Joe"}',
  'confirm_import clears the owner email when the channel''s owner has none');
select pg_temp.stage('one', '{"title": "Tram"}'), tests.act_as('ana');
select is(tests.confirm('{}')::jsonb ->> 'status', 'running', 'confirm_import accepts an empty list of fields');
select tests.act_as('postgres');
select is(tests.changes() ->> 'title', 'Night Trains',
  'confirm_import without fields changes no column of the podcast');
select pg_temp.stage('one', '{"title": "Tram", "type": "serial", "language": "de", "author": "A", "copyright": "C",
  "description": "D", "link": "https://tram.example/", "medium": "music", "categories": [{"category": "Comedy"}]}'),
  tests.act_as('ana');
select is(tests.confirm(
  '{title,type,medium,language,author,copyright,description,link,categories}')::jsonb ->> 'status',
  'running', 'confirm_import accepts all fields of the channel');
select tests.act_as('postgres');
select is(tests.changes() - 'owner_name' - 'explicit', '{"title": "Tram", "type": "serial", "medium": "music",
  "language": "de", "author": "A", "copyright": "C", "description": "D", "link": "https://tram.example/",
  "categories": [{"category": "Comedy"}]}', 'confirm_import sets every field to that of the channel');

select pg_temp.stage('one', '{"isBlocked": true, "isComplete": true, "license": "mine", "persons": [{"name": "Jane"}],
  "licenseUrl": "https://a.example/license", "funding": [{"url": "https://a.example/", "text": "Help"}],
  "locations": [{"name": "Graz"}], "updateFrequency": {"text": "Weekly"},
  "podroll": [{"feedGuid": "469b403f-db2d-574c-9db9-96dbb4f6561c"}], "keywords": ["trains"],
  "remoteItems": [{"feedGuid": "469b403f-db2d-574c-9db9-96dbb4f6561c"}], "tags": [{"text": "Rail"}],
  "publisher": {"feedGuid": "469b403f-db2d-574c-9db9-96dbb4f6561c"}, "images": [{"href": "https://a.example/i.png"}],
  "directoryBlocks": [{"id": "spotify", "isBlocked": true}], "socialInteractions": [{"protocol": "disabled"}],
  "valueBlocks": [{"type": "lightning", "method": "keysend", "recipients": [{"type": "node", "address": "a",
    "split": "100"}]}], "extraTags": ["<ttl>60</ttl>"]}'), tests.act_as('ana');
select is(tests.confirm((select array_agg(key) from tests.fields() key)::text)::jsonb ->> 'status', 'running',
  'confirm_import accepts the values of the podcast namespace');
select tests.act_as('postgres');
select is(tests.changes()
  - '{title,type,medium,language,author,copyright,description,link,categories,owner_name,explicit}'::text[],
  '{"is_blocked": true, "is_complete": true, "license": "mine",
  "license_url": "https://a.example/license", "funding": [{"url": "https://a.example/", "text": "Help"}],
  "locations": [{"name": "Graz"}], "update_frequency": {"text": "Weekly"},
  "podroll": [{"feed_guid": "469b403f-db2d-574c-9db9-96dbb4f6561c"}], "keywords": ["trains"],
  "remote_items": [{"feed_guid": "469b403f-db2d-574c-9db9-96dbb4f6561c"}], "tags": [{"text": "Rail"}],
  "publisher": {"feed_guid": "469b403f-db2d-574c-9db9-96dbb4f6561c"}, "images": [{"href": "https://a.example/i.png"}],
  "directory_blocks": [{"id": "spotify", "is_blocked": true}], "social_interactions": [{"protocol": "disabled"}],
  "value_blocks": [{"type": "lightning", "method": "keysend", "recipients": [{"type": "node", "address": "a",
    "split": "100"}]}], "extra_tags": ["<ttl>60</ttl>"]}', 'confirm_import sets the values of the podcast namespace');
select is((select (name, role_label)::text from public.podcast_credits), '(Jane,Host)',
  'confirm_import replaces the credits of the podcast by the persons of the channel');
select is((select fields -> 'isBlocked' from public.podcast_import_channels), 'true',
  'podcast_import_channels shows that the channel is blocked');
select is((select warnings #- '{0,message}' from public.podcast_imports), '[{"code": "CHANNEL_BLOCKED", "count": 1}]',
  'finish_staging warns of a blocked channel');
select is(jsonb_array_length(private.channel_warnings(null, channel::jsonb)), expected,
  format('channel_warnings returns %s warnings for %s', expected, channel))
from (values ('{}', 0), ('{"isBlocked": false}', 0), ('{"isBlocked": true}', 1), ('{"directoryBlocks": []}', 0),
  ('{"directoryBlocks": [{"id": "a", "isBlocked": false}]}', 0),
  ('{"directoryBlocks": [{"id": "b", "isBlocked": false}, {"id": "a", "isBlocked": true}]}', 1)) v (channel, expected);
select is((private.channel_fields('{"title": "T", "funding": [{"url": "x", "text": "Help"}], "valueBlocks": [
  {"type": "lightning", "method": "keysend", "recipients": [{"type": "node", "address": "a", "split": "95%"}]}]}'
  )).losses #>> '{1,reason}', 'MONEY', 'channel_fields reports a lost value block as money');
select pg_temp.stage('two', '{"title": "T", "losses": [{"path": "generator", "reason": "REPLACED_BY_OURS"}],
  "valueBlocks": [{"type": "lightning", "method": "keysend", "recipients": [{"type": "node", "split": 1}]}]}');
select is((select losses #>> '{0,reason}' from public.podcast_import_channels), 'MONEY',
  'finish_staging lists losses about money before those of the reader');

-- A locked feed shows its channel, but applies nothing before its owner agrees.
select pg_temp.stage('one', '{"locked": true, "lockedOwner": "jane@example.com", "title": "Locked"}'),
  tests.act_as('ana');
select is(tests.confirm('{title}'), 'PT400 NOT_IN_PREVIEW', 'confirm_import applies nothing before the verification');
select tests.act_as('postgres');

-- A failed dispatch takes the fields back.
select pg_temp.stage('one', '{"title": "Undone"}');
create function pg_temp.fail() returns trigger language plpgsql as $$ begin raise exception 'no space'; end $$;
create trigger fail before insert on pgmq.q_import_items for each row execute function pg_temp.fail();
select tests.act_as('ana');
select is(tests.confirm('{title}')::jsonb ->> 'hint', 'DISPATCH_FAILED', 'confirm_import reports a failed dispatch');
select tests.act_as('postgres');
select is(tests.changes() ->> 'title', 'Tram', 'a failed dispatch leaves the podcast unchanged');

select * from tests.finish();
rollback;
