-- list_public_sitemaps: the sitemaps of public podcasts, in parts of 1,000 episodes.
begin;
select tests.start();

select tests.podcast(slug, 'ola') from unnest('{first,second,blocked,empty,gone}'::text[]) slug;
select tests.published_episode(slug || '-1', slug) from unnest('{first,second,blocked,gone}'::text[]) slug;
select tests.episode('draft', 'first');
update public.podcasts set created_at = '2026-01-01Z' where id = tests.id('first');
update public.podcasts set is_blocked = true where id = tests.id('blocked');
create function pg_temp.feed(podcast text, modified timestamptz) returns void language sql as $$
  insert into private.feed_documents (podcast_id, etag, last_modified, digest, uncompressed_bytes, gzip_bytes, head,
    links, items, tail, findings, checked_at)
  values (tests.id(podcast), 'e', modified, 'd', 1, 1, '', '', '{}', '', '[]', modified)
$$;
select pg_temp.feed('first', '2026-03-01Z'), pg_temp.feed('second', '2026-01-06Z');

select private.set_setting('pages_url', '');
select throws_ok('select public.list_public_sitemaps()', 'PT404', 'This installation has no domain for pages',
  'list_public_sitemaps returns 404 without a domain for pages');
select private.set_setting('pages_url', 'https://listen.test');
select is(public.list_public_sitemaps() -> 'data' -> 0,
  '{"url": "https://listen.test/sitemap/first.xml", "lastModified": "2026-03-01T00:00:00.000Z"}',
  'list_public_sitemaps returns the oldest podcast first, with the time of its feed');
select set_eq($$ select regexp_replace(s ->> 'url', '.*/', '')
  from jsonb_array_elements(public.list_public_sitemaps() -> 'data') s $$,
  array['first.xml', 'second.xml', 'gone.xml'],
  'list_public_sitemaps omits podcasts that are blocked or have no published episode');
select throws_ok('select public.list_public_sitemaps(2)', 'PT404', 'Sitemap not found',
  'list_public_sitemaps returns 404 for a page after the last');
create temporary table scans as
  select coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as count from pg_stat_xact_user_tables
  where relid = 'public.episodes'::regclass;
select throws_ok('select public.list_public_sitemaps(1000000)', 'PT404', 'Sitemap not found',
  'list_public_sitemaps returns 404 for the largest page');
select results_eq($$
  select coalesce(seq_scan, 0) + coalesce(idx_scan, 0) from pg_stat_xact_user_tables
  where relid = 'public.episodes'::regclass $$, 'select count from scans',
  'list_public_sitemaps does not walk the podcasts for a page that cannot exist');

-- Parts
create or replace function private.sitemap_size() returns int language sql immutable parallel safe as 'select 2';
select tests.published_episode('second-' || n, 'second') from generate_series(2, 5) n;
create function pg_temp.sitemaps(page int) returns text language sql as $$
  select string_agg(regexp_replace(s ->> 'url', '.*/', '') || coalesce(' ' || left(s ->> 'lastModified', 10), ''), ', '
    order by n)
  from jsonb_array_elements(public.list_public_sitemaps(page) -> 'data') with ordinality s (s, n)
$$;
update public.podcasts p set created_at = '2026-01-01Z'::timestamptz + o.n * interval '1 day'
from unnest('{second,blocked,empty,gone}'::text[]) with ordinality o (slug, n) where p.id = tests.id(o.slug);
select is(pg_temp.sitemaps(1), 'first.xml 2026-03-01, second.xml, second.xml?page=2, second.xml?page=3 2026-01-06',
  'list_public_sitemaps lists the parts of a podcast, of which only the last changes with a new episode');
select is(pg_temp.sitemaps(3) ~ '^gone.xml', true, 'list_public_sitemaps continues on the next page');
select is(public.list_public_sitemaps(2), '{"data": []}',
  'a page of blocked and empty podcasts is empty, because pages count all podcasts');
select is(tests.result_of('anon', 'select public.list_public_sitemaps()'), 'ok 1', 'anon calls list_public_sitemaps');

select * from tests.finish();
rollback;
