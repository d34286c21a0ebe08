-- store_feed_items, store_feed_document and confirm_feed_document: what they keep, and renderings that overlap.
begin;
select tests.start();

select tests.podcast('show'), tests.podcast('夜 行'), tests.publish_daily_episodes('show', 3);
select tests.episode('draft', 'show');

create function pg_temp.store(variadic episodes text[]) returns text[] language sql as $$
  with stored as (
    select s.* from private.get_feed_for_rendering(tests.id('show'), 1) o,
      private.store_feed_items(tests.id('show'), o.version, o.context_hash, (
      select jsonb_agg(jsonb_build_object('episode_id', e.id, 'episode_updated_at', e.updated_at, 'crc32', 1,
        'uncompressed_bytes', 2, 'findings', '[]'::jsonb,
        'deflated', encode(convert_to(e.title, 'UTF8'), 'base64'), 'digest',
        encode(convert_to(e.title, 'UTF8'), 'base64')))
      from public.episodes e where e.slug = any (episodes))) s)
  select array_agg(s.item::text order by e.published_at desc) from stored s
    join public.episodes e on e.id = s.episode_id
$$;
create function pg_temp.write(dated timestamptz, items bigint[], version bigint default tests.feed_version())
  returns boolean language sql as $$
  select private.store_feed_document(tests.id('show'), version,
    jsonb_build_object('etag', 'tag', 'last_modified', dated, 'digest', 'words', 'uncompressed_bytes', 9, 'gzip_bytes',
    9, 'findings', '[]'::jsonb),
    convert_to('<', 'UTF8'), items, convert_to('>', 'UTF8'))
$$;
create function pg_temp.served() returns text language sql as $$
  select convert_from(gzip, 'UTF8') from private.get_feed_gzip(tests.id('show'))
$$;

create temp table first_items as select pg_temp.store('e1', 'e2', 'e3')::bigint[] as ids;
select is(tests.stale_episodes(), '{}', 'store_feed_items makes its items fresh');
select is((select items from private.get_feed_for_rendering(tests.id('show'), 1)), (select ids from first_items),
  'get_feed_for_rendering returns stored items in the feed''s order');
select is(cardinality((select array(select jsonb_array_elements(stale))
  from private.get_feed_for_rendering(tests.id('show'), 2))), 3,
  'another version of the item format makes all items stale');

select pg_temp.write(date_trunc('second', clock_timestamp()) - interval '1 minute', (select ids from first_items));
select is(pg_temp.served(), '<e3e2e1>', 'get_feed_gzip returns the document''s head, items and tail');
select is((select wait_ms from private.get_feed_for_rendering(tests.id('show'), 1)), 0,
  'get_feed_for_rendering returns wait_ms 0 when the document is a minute old');
update public.episodes set title = 'e2, revised' where id = tests.id('e2');
select is(tests.stale_episodes(), '{e2}', 'a changed episode makes its own item stale only');
select pg_temp.store('e2');
select is(pg_temp.served(), '<e3e2e1>', 'store_feed_items does not change the served document');
select pg_temp.write(date_trunc('second', clock_timestamp()),
  (select items from private.get_feed_for_rendering(tests.id('show'), 1)));
select is(pg_temp.served(), '<e3e2, revisede1>', 'store_feed_document serves the new item');
select is((select count(*) from private.feed_items where podcast_id = tests.id('show')), 3::bigint,
  'store_feed_document deletes items that it no longer lists');
select ok((select f.wait_ms = 0 and f.last_modified > d.last_modified or f.wait_ms between 1 and 1000
  and f.last_modified = d.last_modified
  from private.get_feed_for_rendering(tests.id('show'), 1) f,
    private.feed_documents d where d.podcast_id = tests.id('show')),
    'get_feed_for_rendering returns a wait until the next second for a document of this second');
update public.episodes set summary = 'other words that its item does not show' where id = tests.id('e3');
select is(tests.stale_episodes(), '{e3}', 'an episode is stale after any change, even one that its item does not show');
select is(pg_temp.store('e3'), array[(select ids[1] from first_items)::text],
  'store_feed_items keeps an item that was rendered unchanged');
select throws_ok($$ select pg_temp.write('2026-01-01 00:00:00.5Z', '{}') $$, '23514', null,
  'store_feed_document rejects a last_modified with fractions of a second');

-- Renderings that overlap: the later one stores nothing over the first
create function pg_temp.store_at(version bigint) returns bigint language sql as $$
  select count(*) from private.store_feed_items(tests.id('show'), version, 'context', (
    select jsonb_agg(jsonb_build_object('episode_id', e.id, 'episode_updated_at', e.updated_at, 'crc32', 1,
      'uncompressed_bytes', 2, 'deflated', '', 'digest', '', 'findings', '[]'::jsonb))
    from public.episodes e where e.id = tests.id('e1')))
$$;
create temp table before_race as select tests.feed_version() as version, pg_temp.served() as served,
  (select array_agg(i.id order by i.id) from private.feed_items i) as items;
select ok(private.confirm_feed_document(tests.id('show'), (select version from before_race), '[]'),
  'confirm_feed_document returns true for the current version');
select is(tests.feed_version(), (select version + 1 from before_race), 'confirm_feed_document raises the version');
select is((select array_agg(i.id order by i.id) from private.feed_items i), (select items from before_race),
  'confirm_feed_document keeps the items');
select is(pg_temp.store_at((select version from before_race)), 0::bigint,
  'store_feed_items returns no rows for an earlier version');
select is((select array_agg(i.id order by i.id) from private.feed_items i), (select items from before_race),
  'store_feed_items stores nothing for an earlier version');
select is(pg_temp.write('2027-01-01Z', '{}', (select version from before_race)), false,
  'store_feed_document returns false for an earlier version');
select is(pg_temp.write('2027-01-01Z', '{}', 0), false,
  'store_feed_document returns false for version 0 when a document exists');
select is(pg_temp.served(), (select served from before_race),
  'store_feed_document changes no document for an earlier version');
select is(private.confirm_feed_document(tests.id('show'), (select version from before_race), '[]'), false,
  'confirm_feed_document returns false for an earlier version');
select ok(pg_temp.write('2027-01-01Z', (select items from private.get_feed_for_rendering(tests.id('show'), 1))),
  'store_feed_document returns true for the current version');
select is(tests.feed_version(), (select version + 2 from before_race), 'store_feed_document raises the version');
select is(private.store_feed_document(tests.id('夜 行'), 1, '{}', '', '{}', ''), false,
  'store_feed_document returns false for a version when no document exists');
select is(private.confirm_feed_document(gen_random_uuid(), 0, '[]'), false,
  'confirm_feed_document returns false for a podcast that does not exist');
select is(private.store_feed_document(gen_random_uuid(), 0, '{}', '', '{}', ''), false,
  'store_feed_document returns false for a podcast that does not exist');
select is(private.lock_feed_document(tests.id('夜 行'), 0), true,
  'lock_feed_document returns true for version 0 while there is no document');

delete from public.podcasts where id = tests.id('show');
select is(pg_temp.store_at(1), 0::bigint, 'store_feed_items returns no rows after its podcast was deleted');

select * from tests.finish();
rollback;
