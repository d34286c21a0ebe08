-- Items that the feed dates in the future: the preview warns of them, and the confirmation decides.
create function private.warn_of_future_dates(import public.podcast_imports, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  warning constant jsonb := jsonb_build_object('code', 'DATE_IN_FUTURE', 'message',
    'An episode is dated in the future; it is published with the newest past date unless you schedule it');
  warned  int;
begin
  update public.podcast_import_items i set warnings = i.warnings || warning
  where i.import_id = import.id and i.status = 'pending' and i.published_at > at;
  get diagnostics warned = row_count;
  return case when warned > 0 then jsonb_build_array(warning || jsonb_build_object('count', warned)) else '[]' end;
end $$;
comment on function private.warn_of_future_dates is
  'Adds DATE_IN_FUTURE to the pending items that are dated later than at, and returns the warning of their import.';

-- Duplicates count too, so that a later import of the feed continues above the episodes that it has already.
create function private.date_future_items(import public.podcast_imports) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.podcast_import_items t set published_at = f.published_at
  from (
    select i.id, row_number() over (order by i.published_at, i.position desc) * interval '1 microsecond' + (
      select coalesce(max(p.published_at), import.created_at - interval '1 day')
      from public.podcast_import_items p
      where p.import_id = import.id and p.published_at <= import.started_at) as published_at
    from public.podcast_import_items i
    where i.import_id = import.id and i.published_at > import.started_at
  ) f
  where t.id = f.id and t.status = 'pending' and t.refresh_fields is null;
end $$;
comment on function private.date_future_items is
  'Dates the new items that are dated later than the confirmation: in their order, microseconds above the newest '
  'past date of the feed, or above the day before the import.';
