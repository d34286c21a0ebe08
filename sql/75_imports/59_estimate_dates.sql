-- Dates of items that the feed leaves undated or dates unreadably: from their place between dated items, so that subscribers
-- never meet an old episode as a new one.
create function private.estimate_dates(import public.podcast_imports, last_build_date timestamptz) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  epoch        constant timestamptz := '1970-01-01Z';
  -- of a feed without any date of the past; a build date that the server makes up at each request, or never set, is none
  base         constant timestamptz := case when last_build_date > epoch and last_build_date <= import.created_at then last_build_date
    else import.created_at - interval '1 day' end;
  oldest_first boolean;
  newest       timestamptz;
  estimated    int;
begin
  perform from public.podcast_import_items i where i.import_id = import.id and i.published_at is null;
  if not found then
    return 0;
  end if;
  select coalesce((array_agg(i.published_at order by i.position))[1] < (array_agg(i.published_at order by i.position desc))[1], false),
    max(i.published_at) filter (where i.published_at <= import.created_at)
    into oldest_first, newest
  from public.podcast_import_items i where i.import_id = import.id and i.published_at is not null;

  with items as (  -- `above`: how many dated items stand before this place, and thereby which gap it is in
    select i.id, i.position, i.published_at, count(i.published_at) over (order by i.position) as above
    from public.podcast_import_items i where i.import_id = import.id
  ), undated as (
    select i.id, i.above, row_number() over (order by i.position) as nth,
      row_number() over (partition by i.above order by i.position) as n, count(*) over (partition by i.above) as size
    from items i where i.published_at is null
  )
  update public.podcast_import_items t set published_at = greatest(epoch, least(newest, date_trunc('second', case
    when newest is null then base - u.nth * interval '1 second'
    when before.published_at is null then after.published_at + (u.size - u.n + 1) * interval '1 second' * case when oldest_first then -1 else 1 end
    when after.published_at is null then before.published_at - u.n * interval '1 second' * case when oldest_first then -1 else 1 end
    else before.published_at + (after.published_at - before.published_at) * (u.n::double precision / (u.size + 1)) end)))
  from undated u
  left join items before on before.published_at is not null and before.above = u.above
  left join items after on after.published_at is not null and after.above = u.above + 1
  where t.id = u.id;
  get diagnostics estimated = row_count;
  return estimated;
end $$;
comment on function private.estimate_dates is
  'Dates the undated items of a staged import: between their neighbours in the feed''s order and no later than the newest item of the past; of a feed without past dates below its last build date, or a day before the import started, one second apart. Returns how many.';
