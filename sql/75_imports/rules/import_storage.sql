-- Whether an import fits: the audio of its pending items against the storage that the podcast's account has left.
create function private.rank_import_items(_import_id uuid, _item_ids uuid[] default null)
returns table (item_id uuid, is_chosen boolean, rank bigint, is_estimated boolean, total_bytes numeric)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  max_bytes constant bigint := private.max_audio_bytes();
begin
  return query
    with item as materialized (
      select i.id, i.published_at, i.position, _item_ids is null or i.id = any (_item_ids) as is_chosen,
        case when jsonb_typeof(i.parsed_payload #> '{enclosure,length}') = 'number'
          then nullif((i.parsed_payload #>> '{enclosure,length}')::numeric, 0) end as bytes,
        case when jsonb_typeof(i.parsed_payload -> 'durationSeconds') = 'number'
          then nullif((i.parsed_payload ->> 'durationSeconds')::numeric, 0) end as seconds
      from public.podcast_import_items i
      where i.import_id = _import_id and i.status = 'pending' and i.refresh_fields is null
    ), average as (
      select avg(i.bytes) as bytes, coalesce(sum(i.bytes) filter (where i.seconds > 0)
        / nullif(sum(i.seconds) filter (where i.bytes > 0), 0), 16000) as bytes_per_second  -- 128 kbit/s
      from item i
    )
    select i.id, i.is_chosen, row_number() over newest_first, i.bytes is null,
      sum(case
        when i.bytes > max_bytes then 0  -- it becomes skipped_oversize
        else coalesce(i.bytes, round(i.seconds * a.bytes_per_second), round(a.bytes), 0) end) over newest_first
    from item i cross join average a
    window newest_first as (order by i.is_chosen desc, i.published_at desc nulls last, i.position);
end $$;
comment on function private.rank_import_items is
  'The pending items of an import, the chosen ones first and the newest first, with the bytes of each and all before '
  'it. The size of an item without a length follows from its duration at the rate of the others, or is their average.';

create function private.free_storage_bytes(_podcast_id uuid) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select greatest(0, private.storage_allowance_bytes(p.owner_id) - private.account_used_bytes(p.owner_id))
    from public.podcasts p where p.id = _podcast_id);
end $$;
comment on function private.free_storage_bytes is
  'What the account of a podcast may still store, in bytes: its allowance without stored and staged bytes.';

create function private.import_storage(import public.podcast_imports) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  free_bytes constant bigint := private.free_storage_bytes(import.podcast_id);
begin
  return (
    select jsonb_build_object('neededBytes', coalesce(max(r.total_bytes), 0), 'freeBytes', free_bytes,
      'itemsWithoutLength', count(*) filter (where r.is_estimated),
      'newestThatFit', count(*) filter (where r.total_bytes <= free_bytes))
    from private.rank_import_items(import.id) r);
end $$;
comment on function private.import_storage is
  'What the pending items of an import need and how many of the newest fit: {neededBytes, freeBytes, '
  'itemsWithoutLength, newestThatFit}.';
