-- Items of a feed with one date keep the feed's order: their dates differ by microseconds, which no feed shows, so that
-- every list that sorts by date has this order.
create function private.separate_equal_dates(import public.podcast_imports) returns void
language plpgsql volatile security invoker set search_path = ''
set enable_seqscan = off  -- as private.episode_guid_exists
as $$
declare
  microsecond  constant interval := '1 microsecond';
  oldest_first constant boolean := (
    select coalesce((array_agg(i.published_at order by i.position))[1]
      < (array_agg(i.published_at order by i.position desc))[1], false)
    from public.podcast_import_items i where i.import_id = import.id);
begin
  with ranked as (  -- n: 0 for the oldest of a date
    select i.id, i.guid, i.published_at, count(*) over (partition by i.published_at) as size,
      row_number() over (partition by i.published_at
        order by case when oldest_first then i.position else -i.position end) - 1 as n
    from public.podcast_import_items i where i.import_id = import.id
  ), gone as materialized (  -- episodes with a date of the feed whose items have left it: older than all of its items
    select d.published_at, e.published_at - d.published_at + microsecond as shift
    from (select distinct r.published_at from ranked r) d
    cross join lateral (
      select e.published_at from public.episodes e
      where e.podcast_id = import.podcast_id and e.status = 'published'
        and e.published_at >= d.published_at and e.published_at < d.published_at + interval '1 second'
        and not exists (
          select from public.podcast_import_items i where i.import_id = import.id and md5(i.guid) = md5(e.guid))
      order by e.published_at desc limit 1) e
  ), equal as materialized (
    select r.id, r.guid, r.published_at, r.n from ranked r
    where r.size > 1 or r.published_at in (select g.published_at from gone g)
  ), shifted as (
    select s.published_at, max(s.shift) as shift
    from (  -- a feed that has fewer of its old items counts from a later one
      select q.published_at, e.published_at - q.published_at - q.n * microsecond as shift
      from equal q join public.episodes e on e.podcast_id = import.podcast_id and e.guid = q.guid
      where e.published_at >= q.published_at and e.published_at < q.published_at + interval '1 second'
      union all
      select g.published_at, g.shift from gone g) s
    group by s.published_at
  )
  update public.podcast_import_items t set
    published_at = q.published_at + q.n * microsecond + greatest(s.shift, interval '0')
  from equal q left join shifted s on s.published_at = q.published_at
  where t.id = q.id and (q.n > 0 or s.shift > interval '0');
end $$;
comment on function private.separate_equal_dates is
  'Adds microseconds to the equal dates of a staged import, in the feed''s order and above those of the episodes that '
  'the podcast has of them.';
