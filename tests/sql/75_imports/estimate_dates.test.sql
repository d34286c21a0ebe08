-- private.estimate_dates: the dates of undated items, from their position in the feed.
begin;
select tests.start();

select tests.podcast('show', 'ola');
-- Items a, b, c … with these dates, staged as one feed; gives their dates in the feed's order
create function pg_temp.dated(dates timestamptz[], last_build text default null) returns timestamptz[]
  language plpgsql as $$
begin
  delete from public.podcast_imports;
  perform tests.import('one', 'show', 'pending');
  update public.podcast_imports set created_at = '2024-06-01T12:00:00Z', detection = null;
  perform private.stage_import_items(tests.id('one'), (
    select jsonb_agg(jsonb_build_object('position', n * 3, 'guid', n::text, 'pubDate', d))
    from unnest(dates) with ordinality u (d, n)));
  perform private.finish_staging(tests.id('one'), jsonb_build_object('lastBuildDate', last_build), null, null);
  return (select array_agg(date_trunc('second', published_at) order by position) from public.podcast_import_items);
end $$;
create function pg_temp.z(variadic days text[]) returns timestamptz[]
  language sql as $$ select array_agg((d || 'Z')::timestamptz order by n) from unnest(days) with ordinality u (d, n) $$;

select is(pg_temp.dated(pg_temp.z(variadic dates), built), pg_temp.z(variadic expected), 'estimate_dates ' || what)
from (values
  ('{2024-05-09,2024-05-05,2024-05-01}'::text[], null, '{2024-05-09,2024-05-05,2024-05-01}'::text[],
    'keeps the dates of dated items'),
  ('{2024-05-09,null,2024-05-01}', null, '{2024-05-09,2024-05-05,2024-05-01}',
    'dates an undated item midway between its neighbors'),
  ('{2024-05-09,null,null,null,2024-05-01}', null, '{2024-05-09,2024-05-07,2024-05-05,2024-05-03,2024-05-01}',
    'dates several undated items evenly between their neighbors, in the feed''s order'),
  ('{2024-05-01,null,2024-05-09}', null, '{2024-05-01,2024-05-05,2024-05-09}',
    'dates an undated item of a feed from old to new between its neighbors'),
  ('{null,null,2024-05-09,2024-05-01}', null, '{2024-05-09,2024-05-09,2024-05-09,2024-05-01}',
    'dates undated items above the newest dated one no newer than it'),
  ('{null,null,2024-05-01,2024-05-09,2024-04-01}', null,
    '{2024-05-01T00:00:02,2024-05-01T00:00:01,2024-05-01,2024-05-09,2024-04-01}',
    'dates undated items above the first dated one a second apart while a newer one exists'),
  ('{2024-05-09,2024-05-01,null,null}', null, '{2024-05-09,2024-05-01,2024-04-30T23:59:59,2024-04-30T23:59:58}',
    'dates undated items below the oldest dated one a second apart below it'),
  ('{null,null,2024-05-01,2024-05-09,null}', null,
    '{2024-04-30T23:59:58,2024-04-30T23:59:59,2024-05-01,2024-05-09,2024-05-09}',
    'keeps the order and newest date of a feed from old to new with undated ends'),
  ('{null,2024-05-01,null}', null, '{2024-05-01,2024-05-01,2024-04-30T23:59:59}',
    'treats a feed with one date as newest first'),
  ('{2030-01-01,null,2024-05-01,null}', null, '{2030-01-01,2024-05-01,2024-05-01,2024-04-30T23:59:59}',
    'dates an undated item below a future one no newer than the newest past item'),
  ('{2030-01-01,null,2029-01-01,null}', null, '{2030-01-01,2024-05-31T11:59:59,2029-01-01,2024-05-31T11:59:58}',
    'dates items of a feed with only future dates below the day before the import started'),
  ('{2024-05-01,1970-01-01,null}', null, '{2024-05-01,1970-01-01,1970-01-01}', 'dates no item before 1970'),
  ('{null,null,null}', '2023-01-10T10:00:00Z', '{2023-01-10T09:59:59,2023-01-10T09:59:58,2023-01-10T09:59:57}',
    'dates a feed without dates below its last build date, one second apart'),
  ('{null,null}', null, '{2024-05-31T11:59:59,2024-05-31T11:59:58}',
    'dates a feed without dates and build date below the day before its import started'))
  v (dates, built, expected, what);
select is(pg_temp.dated(pg_temp.z(null, null), built), pg_temp.z('2024-05-31T11:59:59', '2024-05-31T11:59:58'),
  'estimate_dates ignores the build date ' || built)
from unnest('{2024-06-01T12:00:01Z,1970-01-01T00:00:00Z}'::text[]) built;
select ok((select every(d between '2024-04-30' and '2024-05-01') and count(distinct d) = 2000
  from unnest(pg_temp.dated(array_fill(null::timestamptz, array[2000]), '2024-05-01T00:00:00Z')) d),
  'estimate_dates gives each item of a long feed a distinct date');
select is(private.estimate_dates(i, null), 0, 'estimate_dates changes nothing when every item is dated')
from public.podcast_imports i;

select * from tests.finish();
rollback;
