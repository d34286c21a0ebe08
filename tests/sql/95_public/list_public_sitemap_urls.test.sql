-- list_public_sitemap_urls: the pages of a podcast, in parts of 1,000 episodes.
begin;
select tests.start();

select tests.podcast(slug, 'ola') from unnest('{first,second,blocked,empty,gone}'::text[]) slug;
select tests.published_episode(slug || '-1', slug) from unnest('{first,second,blocked,gone}'::text[]) slug;
select tests.episode('draft', 'first');
update public.podcasts set created_at = '2026-01-01Z' where id = tests.id('first');
update public.podcasts set is_blocked = true where id = tests.id('blocked');
update public.episodes set published_at = '2026-03-01Z' where id = tests.id('first-1');

select private.set_setting('pages_url', '');
select throws_ok('select public.list_public_sitemap_urls(''first'')', 'PT404',
  'This installation has no domain for pages',
  'list_public_sitemap_urls returns 404 without a domain for pages');
select private.set_setting('pages_url', 'https://listen.test');
select is((select jsonb_agg(u -> 'url')
    from jsonb_array_elements(public.list_public_sitemap_urls('first') -> 'data') u),
  '["https://listen.test/listen/first", "https://listen.test/listen/first/first-1"]',
  'list_public_sitemap_urls returns the page of the podcast and those of its published episodes');
select is(public.list_public_sitemap_urls('first') #> '{data,1,lastModified}',
  (select to_jsonb(private.format_timestamp(e.updated_at)) from public.episodes e where e.id = tests.id('first-1')),
  'list_public_sitemap_urls returns when an episode changed');
select throws_ok(format('select public.list_public_sitemap_urls(%L)', slug), 'PT404', 'Podcast not found',
  format('list_public_sitemap_urls returns 404 for %s', slug))
from unnest('{blocked,empty,nope}'::text[]) slug;
select throws_ok('select public.list_public_sitemap_urls(''first'', 2)', 'PT404', 'Sitemap not found',
  'list_public_sitemap_urls returns 404 for a page after the last');
update public.episodes set is_blocked = true where id = tests.id('first-1');
select is(jsonb_array_length(public.list_public_sitemap_urls('first') -> 'data'), 1,
  'list_public_sitemap_urls omits blocked episodes');

-- Parts
create or replace function private.sitemap_size() returns int language sql immutable parallel safe as 'select 2';
select tests.published_episode('second-' || n, 'second') from generate_series(2, 5) n;
update public.episodes e set published_at = '2026-01-01Z'::timestamptz + substr(e.slug, 8)::int * interval '1 day'
where e.podcast_id = tests.id('second');
select is((select jsonb_agg(regexp_replace(u ->> 'url', '.*/', ''))
    from jsonb_array_elements(public.list_public_sitemap_urls('second', page) -> 'data') u), expected::jsonb,
  format('part %s of a sitemap has %s', page, expected))
from (values (1, '["second", "second-1", "second-2"]'), (2, '["second-3", "second-4"]'), (3, '["second-5"]'))
  v (page, expected);
select is(tests.result_of('anon', 'select public.list_public_sitemap_urls(''first'')'), 'ok 1',
  'anon calls list_public_sitemap_urls');

select * from tests.finish();
rollback;
