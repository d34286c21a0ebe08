-- Estimates the dates of items that have no valid date in the feed from their position between dated items, so that
-- subscribers do not get an old episode as a new one.
create function private.estimate_dates(import public.podcast_imports, last_build_date timestamptz) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  epoch        constant timestamptz := '1970-01-01Z';
  -- For a feed without past dates. A build date after the start of the import was generated for the request.
  base         constant timestamptz := case
    when last_build_date > epoch and last_build_date <= import.created_at then last_build_date
    else import.created_at - interval '1 day' end;
  oldest_first boolean;
  newest       timestamptz;
  step         interval;  -- from one item to the next
  estimated    int;
begin
  perform from public.podcast_import_items i where i.import_id = import.id and i.published_at is null;
  if not found then
    return 0;
  end if;
  select max(i.published_at) filter (where i.published_at <= import.created_at),
    coalesce(
      (array_agg(i.published_at order by i.position))[1]
        < (array_agg(i.published_at order by i.position desc))[1], false)
    into newest, oldest_first
  from public.podcast_import_items i where i.import_id = import.id and i.published_at is not null;
  step := case when oldest_first then interval '1 second' else interval '-1 second' end;

  with items as (  -- preceding: the number of dated items before this one, which identifies the gap
    select i.id, i.position, i.published_at, count(i.published_at) over (order by i.position) as preceding
    from public.podcast_import_items i where i.import_id = import.id
  ), undated as (
    select i.id, i.preceding, row_number() over (order by i.position) as nth,
      row_number() over (partition by i.preceding order by i.position) as n,
      count(*) over (partition by i.preceding) as size
    from items i where i.published_at is null
  )
  update public.podcast_import_items t set published_at = greatest(epoch, least(newest, date_trunc('second', case
    when newest is null then base - u.nth * interval '1 second'
    when before.published_at is null then after.published_at - (u.size - u.n + 1) * step
    when after.published_at is null then before.published_at + u.n * step
    else before.published_at
      + (after.published_at - before.published_at) * (u.n::double precision / (u.size + 1)) end)))
  from undated u
  left join items before on before.published_at is not null and before.preceding = u.preceding
  left join items after on after.published_at is not null and after.preceding = u.preceding + 1
  where t.id = u.id;
  get diagnostics estimated = row_count;
  return estimated;
end $$;
comment on function private.estimate_dates is
  'Dates the undated items of a staged import: between their neighbors in the feed''s order, and not after the newest '
  'past item. Without past dates the items are one second apart, before the last build date or a day before the '
  'import. Returns how many.';
