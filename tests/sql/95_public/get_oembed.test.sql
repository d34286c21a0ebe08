-- get_oembed: the player of a listen page. tests/http/public/oembed.test.ts has the frame and its size.
begin;
select tests.start();

select tests.public_show();
update public.podcasts set title = 'Fish & "Chips"', author = 'O''Neil <co>' where id = tests.id('show');
update public.episodes set title = 'A <b> & ''c''' where id = tests.id('e2');
-- Slugs that need escapes: a podcast without a published episode, and another show
with created as (
  insert into public.podcasts (owner_id, title, slug)
  select tests.id('ola'), v.title, v.slug from (values ('empty', 'плавание'), ('trips', 'поездки')) v (title, slug)
  returning title, id
)
select tests.remember(title, id) from created;
select tests.episode('hidden', 'empty'), tests.published_episode('море 1', 'trips');

create function pg_temp.oembed(url text, maxwidth int default null, maxheight int default null) returns jsonb
language sql as $$
  select public.get_oembed(replace(replace(url, '{listen}', 'https://casts.test/functions/v1/public/listen'),
    '{embed}', 'https://casts.test/functions/v1/public'), maxwidth, maxheight)
$$;
create function pg_temp.source(response jsonb) returns text language sql as $$
  select case when response ->> 'episode_id' is not null then '/ep/' || (response ->> 'episode_id')
    when (response ->> 'has_list')::boolean then '/show/' || (response ->> 'podcast_slug')
    else '/latest/' || (response ->> 'podcast_slug') end
$$;
grant execute on function pg_temp.oembed, pg_temp.source to public;
select tests.act_as('anon');

-- The response
select is(pg_temp.oembed('{listen}/show/e2'), jsonb_build_object('episode_id', tests.id('e2'),
  'episode_title', 'A <b> & ''c''', 'podcast_title', 'Fish & "Chips"', 'podcast_slug', 'show', 'has_list', false,
  'author_name', 'O''Neil <co>', 'author_url', 'https://casts.test/functions/v1/public/listen/show',
  'provider_url', 'https://casts.test/functions/v1/public', 'embed_url', 'https://casts.test/functions/v1/public'),
  'get_oembed returns facts of an episode');
select is(pg_temp.oembed('{listen}/show') - '{author_name,author_url,provider_url,embed_url}'::text[],
  '{"podcast_title": "Fish & \"Chips\"", "podcast_slug": "show", "has_list": true, "episode_id": null,
    "episode_title": null}', 'get_oembed returns the title of a podcast, and that its player has a list');
select is(pg_temp.oembed('{listen}/%D0%BF%D0%BE%D0%B5%D0%B7%D0%B4%D0%BA%D0%B8') ->> 'author_name', 'trips',
  'get_oembed returns the title of a podcast without an author as author_name');

-- URLs
select is(pg_temp.source(pg_temp.oembed(url)), coalesce(source, '/ep/' || tests.id('e2')),
  format('get_oembed finds the player of %s', what))
from (values
  ('{listen}/show/e2', null, 'an episode by its slug'),
  ('{listen}/show/' || tests.id('e2'), null, 'an episode by its id'),
  ('{listen}/show/e2/', null, 'a URL with a trailing slash'),
  ('{listen}/show/e2?utm_source=x&y=%20#more', null, 'a URL with query and fragment'),
  ('{listen}/show/%65%32', null, 'a URL with needless escapes'),
  ('http://CASTS.test:80/functions/v1/public/listen/show/e2', null, 'a URL with another scheme, case and port'),
  ('{embed}/ep/' || tests.id('e2'), null, 'a page of the player'),
  ('{listen}/show', '/show/show', 'a podcast'),
  ('{embed}/latest/show?x#t=1', '/latest/show', 'a page of the player of the latest episode'),
  ('{embed}/show/show?theme=dark', '/show/show', 'a page of the player of a podcast'),
  ('{listen}/%d0%bf%D0%BE%D0%B5%D0%B7%D0%B4%D0%BA%D0%B8', '/show/поездки', 'a slug in percent-encoding'),
  ('{listen}/поездки/море%2D1', '/ep/' || tests.id('море 1'), 'slugs in Cyrillic letters')) v (url, source, what);
select throws_ok(format('select pg_temp.oembed(%L)', url), 'PT404',
  'No player found for this URL; provide the URL of a listen page', format('get_oembed returns 404 for %s', what))
from (values
  ('{listen}/nope', 'an unknown podcast'), ('{listen}/show/nope', 'an unknown episode'),
  ('{listen}/show/draft', 'a draft'), ('{embed}/ep/' || tests.id('hidden'), 'the player of a draft'),
  ('{listen}/%D0%BF%D0%BB%D0%B0%D0%B2%D0%B0%D0%BD%D0%B8%D0%B5', 'a podcast without a published episode'),
  ('{listen}/show/e2/more', 'a longer path'), ('{listen}/', 'no podcast'), ('{listen}', 'the base of listen pages'),
  ('{listen}/trips/e2', 'the episode of another podcast'), ('{listen}ing/show', 'another path'),
  ('{embed}/ep', 'the player of no episode'), ('{embed}/ep/e2', 'the player of a slug'),
  ('{embed}/latest', 'the latest episode of no podcast'), ('{embed}/show', 'the player of no podcast'),
  ('{embed}/show/nope', 'the player of an unknown podcast'), ('{embed}/v1/podcasts/show', 'a route of the API'),
  ('https://casts.test.evil.example/functions/v1/public/listen/show', 'another host'),
  ('https://evil.example/?{listen}/show', 'a URL that contains one of ours'),
  ('ftp://casts.test/functions/v1/public/listen/show', 'another protocol'),
  ('https://x@casts.test/functions/v1/public/listen/show', 'a URL with a user'),
  ('{listen}/%FF%FE', 'bytes that are not UTF-8'), ('{listen}/a%00', 'an escaped NUL'), ('{listen}/show%2Fe2',
  'an escaped slash'), ('show', 'a text that is not a URL'), ('', 'an empty text'), (null, 'null'),
  ('{listen}/show?' || repeat('x', 2048), 'a URL of more than 2,048 characters')) v (url, what);

-- Limits
select throws_ok(format('select pg_temp.oembed(%L, %L, %L)', '{listen}/show', maxwidth, maxheight), 'PT400',
  'maxwidth and maxheight must be positive', format('get_oembed returns 400 for %s by %s pixels', maxwidth, maxheight))
from (values (0, 500), (500, -1)) v (maxwidth, maxheight);

-- Thumbnails
select is(pg_temp.oembed('{listen}/show/e2') ? 'thumbnail_url', false,
  'get_oembed returns no thumbnail of a podcast without a cover');
reset role;
update public.podcasts set cover_image_url = 'https://x.test/cover.jpg' where id = tests.id('show');
select is(pg_temp.oembed('{listen}/show') ? 'thumbnail_url', false,
  'get_oembed returns no thumbnail for a cover on another host, whose size is unknown');
do $$ begin perform tests.finish_image_upload('ola', 'cover', tests.store_image_object('cover')); end $$;
create function pg_temp.thumbnail(path text, maxwidth int default null, maxheight int default null) returns jsonb
language sql as $$
  select coalesce(jsonb_object_agg(t.key, t.value), '{}')
  from jsonb_each(pg_temp.oembed('{listen}/' || path, maxwidth, maxheight)) t where t.key like 'thumbnail%'
$$;
select is(pg_temp.thumbnail(path), jsonb_build_object('thumbnail_url', p.cover_image_url,
  'thumbnail_width', 1400, 'thumbnail_height', 1400),
  format('get_oembed returns the stored cover of the podcast for %s', path))
from public.podcasts p, unnest(array['show', 'show/e2']) path where p.id = tests.id('show');
select is(pg_temp.thumbnail('show', maxwidth, maxheight), '{}',
  format('get_oembed returns no thumbnail larger than %s by %s pixels', maxwidth, maxheight))
from (values (1399, null::int), (null, 1399)) v (maxwidth, maxheight);
select is(pg_temp.thumbnail('show', 1400, 1400) -> 'thumbnail_width', '1400',
  'get_oembed returns a thumbnail of exactly the maximal size');
do $$ begin perform tests.finish_image_upload('ola', 'episode_cover',
  tests.store_image_object('episode_cover', episode => 'e2'), episode => 'e2'); end $$;
select is(pg_temp.thumbnail('show/e2') ->> 'thumbnail_url', e.cover_image_url,
  'get_oembed prefers the cover of the episode') from public.episodes e where e.id = tests.id('e2');

create or replace function private.image_copies(_target_id uuid, _usage text) returns jsonb language sql as $$
  select case _usage when 'cover' then jsonb_agg(jsonb_build_object('url', 'https://x.test/' || v.size || v.type,
    'type', 'image/' || v.type, 'width', v.size, 'height', v.size)) else '[]' end
  from (values (160, 'webp'), (640, 'webp'), (640, 'jpeg')) v (size, type)
$$;
select is(pg_temp.thumbnail('show', maxwidth, maxheight), jsonb_build_object('thumbnail_url', 'https://x.test/' || file,
    'thumbnail_width', size, 'thumbnail_height', size),
  format('get_oembed returns the copy %s of a cover for at most %s by %s pixels', file, maxwidth, maxheight))
from (values (null::int, null::int, '640jpeg', 640), (640, 640, '640jpeg', 640), (639, 2000, '160webp', 160),
  (5000, 160, '160webp', 160)) v (maxwidth, maxheight, file, size);
select is(pg_temp.thumbnail('show', 159), '{}', 'get_oembed returns no copy of a cover that is too wide');
select is(pg_temp.thumbnail('show/e2') ->> 'thumbnail_width', '1400',
  'get_oembed prefers the original cover of the episode to copies of the podcast''s');

-- Callers and settings
select is(tests.value_as(who, $$ select pg_temp.oembed('{listen}/show') ->> 'podcast_slug' $$), 'show',
  format('get_oembed returns a player to %s', who))
from unnest(array['anon', 'ola', 'service']) who;
select private.set_setting('listen_url', 'https://front.test/shows/');
select is(pg_temp.source(pg_temp.oembed('https://front.test/shows/show/e2')), '/ep/' || tests.id('e2'),
  'get_oembed finds the pages of a front end');
select is(tests.result_of('anon', $$ select pg_temp.oembed('{listen}/show') $$), 'PT404',
  'get_oembed returns 404 for listen pages that are not in use');
select private.set_setting('pages_url', null);
select is(tests.result_of('anon', format('select pg_temp.oembed(%L)', url)), 'PT404',
  format('get_oembed returns 404 for %s without pages_url', url))
from unnest(array['https://front.test/shows/show/e2', '{embed}/latest/show']) url;

select * from tests.finish();
rollback;
