-- count_public_sitemaps: the number of indexes of sitemaps, for robots.txt.
begin;
select tests.start();

select tests.podcast(slug, 'ola') from unnest('{first,second,blocked,empty,gone}'::text[]) slug;
select tests.published_episode(slug || '-1', slug) from unnest('{first,second,blocked,gone}'::text[]) slug;
select tests.episode('draft', 'first');
update public.podcasts set created_at = '2026-01-01Z' where id = tests.id('first');
update public.podcasts set is_blocked = true where id = tests.id('blocked');
update public.episodes set published_at = '2026-03-01Z' where id = tests.id('first-1');

select private.set_setting('pages_url', '');
select is(public.count_public_sitemaps(), '{"pagesUrl": "", "indexes": 1}',
  'count_public_sitemaps returns no URL without a domain for pages');
select private.set_setting('pages_url', 'https://listen.test');
select is(public.count_public_sitemaps(), '{"pagesUrl": "https://listen.test", "indexes": 1}',
  'count_public_sitemaps returns the URL of pages');
create or replace function private.sitemap_size() returns int language sql immutable parallel safe as 'select 2';
-- a small index
select tests.published_episode('second-' || n, 'second') from generate_series(2, 5) n;
update public.episodes e set published_at = '2026-01-01Z'::timestamptz + substr(e.slug, 8)::int * interval '1 day'
where e.podcast_id = tests.id('second');
create temporary table scans as
  select coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as count from pg_stat_xact_user_tables
  where relid = 'public.episodes'::regclass;
select is(public.count_public_sitemaps() -> 'indexes', '3',
  'count_public_sitemaps counts the indexes of all podcasts, of which some stay out');
select results_eq($$
  select coalesce(seq_scan, 0) + coalesce(idx_scan, 0) from pg_stat_xact_user_tables
  where relid = 'public.episodes'::regclass $$, 'select count from scans', 'count_public_sitemaps reads no episodes');
select is(tests.result_of('anon', 'select public.count_public_sitemaps()'), 'ok 1', 'anon calls count_public_sitemaps');

select * from tests.finish();
rollback;
