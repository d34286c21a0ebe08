-- Addresses: masked in what admins read of an import, because they may be the owner's, and whole in what is made of it.
begin;
select tests.start();

select tests.podcast('show', 'ola');
create function pg_temp.item(place int, more jsonb default '{}') returns jsonb language sql as $$
  select jsonb_build_object('position', place, 'guid', 'guid ' || place, 'title', 'Episode ' || place,
    'pubDate', '2024-05-01T10:00:00.000Z', 'warnings', '[]'::jsonb) || more $$;
create function pg_temp.seen() returns text language sql as $$
  select concat(
    (select string_agg(to_jsonb(i)::text, '') from public.podcast_imports i),
    (select string_agg(to_jsonb(c)::text, '') from public.podcast_import_channels c),
    (select string_agg((to_jsonb(i) - 'guid')::text, '') from public.podcast_import_items i),
    (select string_agg(to_jsonb(t)::text, '') from public.podcast_import_item_texts t)) $$;
create function pg_temp.payload(place int) returns jsonb language sql as $$
  select parsed_payload from public.podcast_import_items where position = payload.place $$;
create function pg_temp.id(place int) returns uuid language sql as $$
  select i.id from public.podcast_import_items i where i.position = id.place $$;

select tests.import('one', 'show', 'pending');
create temp table staged as select jsonb_build_array(
  pg_temp.item(0, '{"title": "Mail Jane@Example.com", "episode": 7, "enclosure":
    {"url": "https://a.example/jane%40example.com/0.mp3"}, "image": "https://a.example/jane@example.com.png",
    "chapters": "https://a.example/c.json?of=jane@example.com",
    "transcripts": [{"url": "https://a.example/jane@example.com.vtt", "type": "text/vtt"}],
    "persons": [{"name": "jane&#64;example.com", "role": "narrator"}]}'),
  pg_temp.item(1, '{"persons": [{"name": "Ann", "href": "https://a.example/ann@example.com"}]}'),
  pg_temp.item(2, '{"persons": [{"name": "Ben", "href": "https://video.example/@ben"}]}'),
  pg_temp.item(3, '{"guid": "jane@example.com", "texts": [{"text": "jane@example.com"}]}')) as items;
select is(private.stage_import_items(tests.id('one'), items), 4, 'stage_import_items stages items with addresses')
from staged;
select unalike(pg_temp.seen(), '%example.com%', 'stage_import_items shows no address before the owner is known');
select is(pg_temp.payload(0) - '{transcripts,persons,pubDate,enclosure,season,seasonNumber}'::text[],
  '{"title": "Mail J***@E***.com", "episode": 7, "episodeNumber": 7, "image": "https://a.example/j***@e***.png",
    "chapters": "https://a.example/c.json?of=j***@e***.com"}', 'stage_import_items masks addresses in parsed_payload');
select is((select i.title from public.podcast_import_items i where i.position = 0), 'Mail J***@E***.com',
  'stage_import_items masks an address in the title');
select is(pg_temp.payload(2) #>> '{persons,0,href}', 'https://video.example/@ben',
  'stage_import_items changes no payload without an address');
select private.stage_import_items(tests.id('one'), jsonb_build_array(pg_temp.item(3, '{"guid": "jane@example.com",
  "title": "Newer"}')));
select is((select i.title from public.podcast_import_items i where i.position = 3), 'Newer',
  'a newer item without an address replaces a masked one');
select is((select array_agg(o.import_item_id order by i.position) from private.import_item_originals o
  join public.podcast_import_items i on i.id = o.import_item_id), array[pg_temp.id(0), pg_temp.id(1)],
  'private.import_item_originals has the payloads of masked items only');

select private.finish_staging(tests.id('one'), '{"title": "Night Trains", "ownerEmail": "jane@example.com",
  "image": "https://a.example/jane@example.com.jpg", "description": "<a href=\"mailto:jane%40example.com\">Mail</a>"}',
  '{"pattern": "x", "confidence": 1, "numbers": {"guid 0": 70}, "conflicts": []}', '[]');
select unalike(lower(pg_temp.seen()), '%jane' || at || 'example%',
  format('finish_staging shows no address of the owner, written with %s', at))
from unnest('{@,\%40,&#64;}'::text[]) at;
-- What is made of them
select public.confirm_import(tests.id('one'), true, null, '{image}') from (select tests.act_as('ola')) a;
select tests.act_as('postgres');
create temp table begun as select private.begin_import_item(pg_temp.id(0), 1) as run;
select is((
    select array[run ->> 'title', run #>> '{payload,enclosure,url}', run #>> '{payload,episodeNumber}'] from begun),
  '{Mail Jane@Example.com,https://a.example/jane%40example.com/0.mp3,70}',
  'begin_import_item returns the addresses of the feed, and the detected number');
insert into storage.objects (bucket_id, name, metadata)
select 'media', run #>> '{audioPaths,audio/mpeg}', '{"size": 1000}' from begun;
select is(private.finish_import_item(pg_temp.id(0), run #>> '{audioPaths,audio/mpeg}', 1000, 'audio/mpeg', 60,
  '{"warning": {"code": "INVALID_IMAGE", "message": "No image"}}') ->> 'status', 'completed',
  'finish_import_item completes an item with masked values') from begun;
select is(array[e.title, e.cover_image_url, e.chapters_url, e.episode_number::text],
  '{Mail Jane@Example.com,https://a.example/jane@example.com.png,https://a.example/c.json?of=jane@example.com,70}',
  'an imported episode has the title, addresses of files and number of the feed') from public.episodes e;
create temp table message as
select jsonb_build_object('type', 'import_file', 'kind', 'chapters', 'import_item_id', pg_temp.id(0), 'podcast_id',
  tests.id('show')) as chapters,
  jsonb_build_object('type', 'import_file', 'kind', 'cover', 'import_id', tests.id('one'), 'podcast_id',
  tests.id('show')) as cover;
select is(private.begin_import_file(chapters) ->> 'url', 'https://a.example/c.json?of=jane@example.com',
  'begin_import_file returns the address of the feed''s chapters') from message;
select private.fail_import_file(m, '404') from message, unnest(array[chapters, cover, chapters, cover]) m;
select is((select jsonb_agg(l) from public.podcast_import_item_texts t, jsonb_array_elements(t.losses) l
  where l ->> 'reason' = 'NOT_COPIED'), '[
    {"path": "itunes:image", "reason": "NOT_COPIED", "excerpt": "https://a.example/j***@e***.png (No image)"},
    {"path": "podcast:chapters", "reason": "NOT_COPIED",
      "excerpt": "https://a.example/c.json?of=j***@e***.com (404)"}]',
  'the report masks the owner''s address in what was not copied, and lists it once');
select is((select losses from public.podcast_import_channels), '[{"path": "itunes:image", "reason": "NOT_COPIED",
  "excerpt": "https://a.example/j***@e***.jpg (404)"}]', 'the report masks the owner''s address in a cover, once');
select is((select private.list_copies(i, '[]') from public.podcast_import_items i where i.id = pg_temp.id(0)),
  '[{"path": "enclosure", "url": "https://a.example/j***@e***.com/0.mp3"}]',
  'the report masks the owner''s address in what was copied');
select unalike(lower(pg_temp.seen()), '%jane' || at || 'example%',
  format('a run shows no address of the owner, written with %s', at)) from unnest('{@,\%40,&#64;}'::text[]) at;

-- An owner who is named later
delete from public.podcast_imports;
select tests.import('two', 'show', 'pending');
select private.stage_import_items(tests.id('two'), jsonb_build_array(pg_temp.item(4)));
select private.finish_staging(tests.id('two'), '{"title": "Mail jane@example.com", "locked": true}',
  '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}', '[]');
select alike(pg_temp.seen(), '%Mail jane@example.com%',
  'finish_staging masks no address in a channel without an owner');
select private.finish_feed_recheck(tests.id('two'), '{"locked": true, "lockedOwner": "jane@example.com"}',
  tests.id('ola'));
select unalike(pg_temp.seen(), '%jane@example.com%', 'finish_feed_recheck masks the address of an owner named later');

-- Forms
select is(private.mask_addresses(to_jsonb(written)::text) #>> '{}', masked, format('mask_addresses shows %L as %L',
  written, masked))
from (values ('jürgen@münchen.example', 'j***@m***.example'), (E'a\njane@a.example, joe+1@b.co.uk!',
    E'a\nj***@a***.example, j***@b***.uk!'), ('mailto:jane%2Bx%40a.example?b=c', 'mailto:j***@a***.example?b=c'),
  ('<jane&#x0040;a.example>', '<j***@a***.example>'), ('@jane', '@jane'), ('a @ b.example', 'a @ b.example'),
  ('jane@localhost', 'jane@localhost'), (E'\x01jane@a.example', E'\x01j***@a***.example'),
  ('"jane"@a.example', '"jane"@a.example')) v (written, masked);
select is(private.mask_emails('{"a": "JANE%40a.example jane&#064;a.example janes@a.example"}', '{jane@a.example}'),
  '{"a": "j***@a***.example j***@a***.example janes@a.example"}', 'mask_emails finds an address in a URL and in HTML');

select * from tests.finish();
rollback;
