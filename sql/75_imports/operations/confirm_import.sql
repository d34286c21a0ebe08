-- Starts a previewed import: all items, or the newest of those that are chosen, up to a limit or to the storage left.
create function private.require_import_selection(
  _import_id uuid, _item_ids uuid[], _status public.import_item_status) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  wrong uuid;
begin
  if cardinality(_item_ids) > 25000 then
    raise sqlstate 'PT400' using message = 'At most 25,000 items can be selected', hint = 'INVALID_SELECTION';
  end if;
  select s.id into wrong from unnest(_item_ids) s (id)
  where not exists (
    select from public.podcast_import_items i
    where i.id = s.id and i.import_id = _import_id and i.status = _status)
  limit 1;
  if found then
    raise sqlstate 'PT400' using hint = 'INVALID_SELECTION', message = format('%s of this import: %s',
      case _status when 'pending' then 'Not a pending item' else 'Not a duplicate' end, coalesce(wrong::text, 'null'));
  end if;
end $$;
comment on function private.require_import_selection is
  'PT400 INVALID_SELECTION for more than 25,000 ids, or naming one that is not an item of the import with this '
  'status.';

create function private.select_refreshes(
  import public.podcast_imports, fields text[], _item_ids uuid[], at timestamptz) returns bigint
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  wrong text;
  count bigint;
begin
  if cardinality(fields) = 0 and _item_ids is not null then
    raise sqlstate 'PT400' using message = 'Name the fields to refresh', hint = 'INVALID_SELECTION';
  end if;
  select name into wrong from unnest(fields) name
  where name is null or name <> all (private.refresh_fields()) limit 1;
  if found then
    raise sqlstate 'PT400' using hint = 'INVALID_SELECTION',
      message = format('%s cannot be refreshed', coalesce(left(wrong, 100), 'A field null')),
      detail = 'Fields: ' || array_to_string(private.refresh_fields(), ', ');
  end if;
  perform private.require_import_selection(import.id, _item_ids, 'skipped_duplicate');
  update public.podcast_import_items i set refresh_fields = null
  where i.import_id = import.id and i.refresh_fields is not null;  -- of a confirmation that was not dispatched
  if cardinality(fields) = 0 then
    return 0;
  end if;
  fields := array(select name from unnest(private.refresh_fields()) name where name = any (fields));  -- each once
  update public.podcast_import_items i set refresh_fields = fields
  where i.id in (
    select r.item_id from private.list_refreshes(import, fields, _item_ids, has_values => false, at => at) r);
  get diagnostics count = row_count;
  return count;
end $$;
comment on function private.select_refreshes is
  'Marks the duplicates, all or some, whose episode differs in these fields, for dispatch_and_run_import. Returns how '
  'many. PT400 INVALID_SELECTION.';

create function private.confirm_import(
  _import_id uuid, _apply_detected_episode_numbers boolean, _limit int, _apply_channel text[],
  _future_items public.import_future_items, _item_ids uuid[], _fits_storage boolean, _refresh_fields text[],
  _refresh_item_ids uuid[], at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import     public.podcast_imports := private.lock_import(_import_id);
  free_bytes constant bigint := private.free_storage_bytes(import.podcast_id);
  selected   bigint;
  held       bigint;
  refreshed  bigint;
  error      jsonb;
begin
  perform private.reject_hosting_migration(import);
  if import.status <> 'preview' then
    raise sqlstate 'PT400' using hint = 'NOT_IN_PREVIEW', message = format(
      'Only an import in preview can be confirmed; this one is %s', replace(import.status::text, '_', ' '));
  elsif _apply_detected_episode_numbers and import.detection ->> 'pattern' is null then
    raise sqlstate 'PT400' using message = 'No episode numbers were detected', hint = 'INVALID_SELECTION';
  elsif _limit < 0 then
    raise sqlstate 'PT400' using message = 'limit must be a non-negative integer, or null for all';
  end if;
  perform private.require_import_selection(import.id, _item_ids, 'pending');
  if _limit is not null or _item_ids is not null or _fits_storage then
    update public.podcast_import_items i set status = 'skipped_user_limit'
    where i.id in (
      select r.item_id from private.rank_import_items(import.id, _item_ids) r
      where not r.is_chosen or r.rank > _limit
        or _fits_storage and r.total_bytes > free_bytes);
  end if;
  select count(*) filter (where i.status = 'pending'), count(*) filter (where i.status = 'skipped_user_limit')
    into selected, held
  from public.podcast_import_items i where i.import_id = import.id;
  refreshed := private.select_refreshes(import, _refresh_fields, _refresh_item_ids, at);
  error := private.dispatch_and_run_import(import, apply_numbers => _apply_detected_episode_numbers,
    _channel_fields => _apply_channel, _future_items => _future_items);
  return coalesce(error, jsonb_build_object(
    'status', (select i.status from public.podcast_imports i where i.id = import.id),
    'selectedCount', selected, 'heldCount', held, 'refreshCount', refreshed));
end $$;
grant execute on function private.confirm_import to authenticated;

create function public.confirm_import(
  import_id uuid, apply_detected_episode_numbers boolean default false, "limit" int default null,
  apply_channel text[] default '{}', future_items public.import_future_items default 'publish',
  item_ids uuid[] default null, fits_storage boolean default false, refresh_fields text[] default '{}',
  refresh_item_ids uuid[] default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.confirm_import(import_id, coalesce(apply_detected_episode_numbers, false), "limit",
  coalesce(apply_channel, '{}'), coalesce(future_items, 'publish'), item_ids, coalesce(fits_storage, false),
  coalesce(refresh_fields, '{}'), refresh_item_ids);
comment on function public.confirm_import is
  'POST /api/imports/{id}/confirm: {status, selectedCount, heldCount, refreshCount}. The import is running, or '
  'finished when no item is pending. Selects the newest of the items item_ids (default all), up to the limit and, with '
  'fits_storage, to the storage left, and holds the others. apply_channel names the fields of the channel that the '
  'podcast takes over; future_items publishes (with the newest past date) or schedules the items that are dated in the '
  'future; refresh_fields names those that existing episodes take over from their items refresh_item_ids (default '
  'all): get_import_refresh shows them before. Requires admin. 400 NOT_IN_PREVIEW or INVALID_SELECTION, 403, 404, 409 '
  'also MANAGED_BY_HOSTING_MIGRATION, 500 without a queue, or DISPATCH_FAILED: the import stays in preview, and held '
  'items stay held.';
grant execute on function public.confirm_import to authenticated;
