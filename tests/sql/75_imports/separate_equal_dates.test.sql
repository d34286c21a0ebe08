-- private.separate_equal_dates: items of one date keep the feed's order in every list that sorts by date.
begin;
select tests.start();

select tests.podcast('show', 'ola');
-- Stages these GUIDs with these dates as one feed
create function pg_temp.stage(guids text[], dates text[], name text default 'one') returns void
  language plpgsql as $$
begin
  delete from public.podcast_imports;
  perform tests.import(name, 'show', 'pending');
  update public.podcast_imports set detection = null;
  perform private.stage_import_items(tests.id(name), (
    select jsonb_agg(jsonb_build_object('position', n, 'guid', g, 'pubDate', dates[least(n, cardinality(dates))]))
    from unnest(guids) with ordinality u (g, n)));
  perform private.finish_staging(tests.id(name), '{}', null, null);
end $$;
-- The items, newest first, each with its microseconds
create function pg_temp.listed() returns text language sql as $$
  select string_agg(guid || ' ' || extract(microsecond from published_at)::int % 1000000, ', '
    order by published_at desc, guid)
  from public.podcast_import_items $$;

select pg_temp.stage('{e,a,d,b,c}', '{2024-05-01T10:00:00Z}');
select is(pg_temp.listed(), 'e 4, a 3, d 2, b 1, c 0', 'separate_equal_dates keeps the order of a feed with one date');
select is((select count(distinct date_trunc('second', published_at)) from public.podcast_import_items), 1::bigint,
  'separate_equal_dates leaves items within their second, which the feed shows');
select pg_temp.stage('{c,b,a}', '{2024-05-03Z,2024-05-02Z,2024-05-01Z}');
select is(pg_temp.listed(), 'c 0, b 0, a 0', 'separate_equal_dates changes no date of a feed with distinct dates');
select pg_temp.stage('{d,c,b,a}', '{2024-05-03Z,2024-05-02Z,2024-05-02Z,2024-05-01Z}');
select is(pg_temp.listed(), 'd 0, c 1, b 0, a 0', 'separate_equal_dates changes equal dates only');
select pg_temp.stage('{a,b,c,d}', '{2024-05-01Z,2024-05-02Z,2024-05-02Z,2024-05-03Z}');
select is(pg_temp.listed(), 'd 0, c 1, b 0, a 0',
  'separate_equal_dates takes the later item of a feed from old to new as the newer one');
select pg_temp.stage('{c,b,a}', '{1970-01-01T00:00:00Z}');
select is(pg_temp.listed(), 'c 2, b 1, a 0', 'separate_equal_dates keeps the order of items of 1970-01-01');
select pg_temp.stage('{c,b,a}', array[null, null, '2024-05-01T00:00:00Z']);
select is(pg_temp.listed(), 'c 2, b 1, a 0',
  'separate_equal_dates keeps the order of items that have the date of another');

-- A later import of the feed
select pg_temp.stage('{c,b,a}', '{2024-05-01T10:00:00Z}');
select tests.published_episode(g, 'show') from unnest('{a,b,c}'::text[]) g;
delete from public.episodes;
insert into public.episodes (podcast_id, guid, title, status, published_at, first_published_at, audio_url,
  audio_file_size_bytes, audio_content_type)
select podcast_id, guid, guid, 'published', published_at, published_at, 'https://a.example/a.mp3', 1, 'audio/mpeg'
from public.podcast_import_items;
select pg_temp.stage('{e,d,c,b,a}', '{2024-05-01T10:00:00Z}', 'two');
select is(pg_temp.listed(), 'e 4, d 3, c 2, b 1, a 0',
  'separate_equal_dates places new items above the episodes of before');
select pg_temp.stage('{e,d,c}', '{2024-05-01T10:00:00Z}', 'three');
select is(pg_temp.listed(), 'e 4, d 3, c 2',
  'separate_equal_dates places new items above the episodes whose items have left the feed');
select pg_temp.stage('{d}', '{2024-05-01T10:00:00Z}', 'five');
select is(pg_temp.listed(), 'd 3',
  'separate_equal_dates places a single new item above the episodes whose items have left the feed');
update public.episodes set published_at = '2024-06-01Z' where guid in ('a', 'b', 'c');
select pg_temp.stage('{e,d,c}', '{2024-05-01T10:00:00Z}', 'four');
select is(pg_temp.listed(), 'e 2, d 1, c 0', 'separate_equal_dates ignores an episode that has another date now');

select * from tests.finish();
rollback;
