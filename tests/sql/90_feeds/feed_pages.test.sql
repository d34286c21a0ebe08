-- Pages of a feed: store_feed_document replaces them with the document, get_feed_gzip returns one.
begin;
select tests.start();

select tests.podcast('show'), tests.publish_daily_episodes('show', 5);
create temp table item as
  select s.item as id, e.slug from private.get_feed_for_rendering(tests.id('show'), 1) o,
    private.store_feed_items(tests.id('show'), o.version, o.context_hash, (
      select jsonb_agg(jsonb_build_object('episode_id', e.id, 'episode_updated_at', e.updated_at, 'crc32', 1,
        'uncompressed_bytes', 2, 'findings', '[]'::jsonb, 'deflated', encode(e.slug::bytea, 'base64'),
        'digest', encode(e.slug::bytea, 'base64')))
      from public.episodes e)) s join public.episodes e on e.id = s.episode_id;

-- Stores a document of the items e5 to e1 with two items per page, of which page 2 and later are these
create function pg_temp.write(pages int[], page_size int default 2, version bigint default tests.feed_version(),
  suffix text default '') returns boolean language sql as $$
  select private.store_feed_document(tests.id('show'), version,
    jsonb_build_object('etag', 'first', 'last_modified', '2026-01-01T00:00:00Z', 'digest', suffix,
      'uncompressed_bytes', 10, 'gzip_bytes', 20, 'findings', '[]'::jsonb, 'page_size', page_size,
      'links', encode('[1]', 'base64'), 'pages', (
        select coalesce(jsonb_agg(jsonb_build_object('page', n, 'etag', 'page ' || n, 'uncompressed_bytes', 10 * n,
          'gzip_bytes', 20 * n, 'links', encode(('[' || n || suffix || ']')::bytea, 'base64'),
          'tail', encode(('>' || n)::bytea, 'base64'))), '[]')
        from unnest(pages) n)),
    '<', array(select i.id from item i order by i.slug desc), '>1')
$$;
create function pg_temp.served() returns text[] language sql as $$
  select array_agg(concat_ws(' ', f.etag, f.uncompressed_bytes, f.gzip_bytes, convert_from(f.gzip, 'UTF8'))
    order by page)
  from generate_series(0, 5) page, private.get_feed_gzip(tests.id('show'), page) f
$$;

select is(tests.feed_version(), 0::bigint, 'a podcast has no feed document before its first rendering');
select ok(pg_temp.write('{2,3}', version => 0), 'store_feed_document returns true for a document with pages');
select is(pg_temp.served(), '{"first 10 20 <[1]e5e4>1","page 2 20 40 <[2]e3e2>2","page 3 30 60 <[3]e1>3"}',
  'get_feed_gzip returns the head, links, items and tail of each page, and no other page');
select is((select etag from private.get_feed_gzip(tests.id('show'))), 'first',
  'get_feed_gzip returns the first page by default');
select is((select count(*) from private.feed_items), 5::bigint, 'store_feed_document keeps the items of all pages');
select is(pg_temp.write('{2}', version => 7, suffix => 'old'), false,
  'store_feed_document returns false for a document with pages and another version');
select is(cardinality(pg_temp.served()), 3, 'store_feed_document keeps all pages for another version');
select throws_ok($$ select pg_temp.write('{2,2}', suffix => 'new') $$, '23505', null,
  'store_feed_document rejects a page that occurs twice');
select throws_ok($$ select pg_temp.write('{1}', suffix => 'new') $$, '23514', null,
  'store_feed_document rejects a later page with the number 1');
select is(pg_temp.served(), '{"first 10 20 <[1]e5e4>1","page 2 20 40 <[2]e3e2>2","page 3 30 60 <[3]e1>3"}',
  'store_feed_document changes neither the document nor its pages if a page is rejected');
select pg_temp.write('{2}', 3, suffix => 'b');
select is(pg_temp.served(), '{"first 10 20 <[1]e5e4e3>1","page 2 20 40 <[2b]e2e1>2"}',
  'store_feed_document replaces all pages');
select private.confirm_feed_document(tests.id('show'), tests.feed_version(), '[]');
select is(cardinality(pg_temp.served()), 2, 'confirm_feed_document keeps the pages');
select pg_temp.write('{}', null);
select is(pg_temp.served(), '{"first 10 20 <[1]e5e4e3e2e1>1"}',
  'store_feed_document without a page size deletes the later pages');

select * from tests.finish();
rollback;
