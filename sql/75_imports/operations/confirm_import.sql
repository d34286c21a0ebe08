-- Starts a previewed import: the newest items up to a limit, or all items without one.
create function private.confirm_import(
  _import_id uuid, _apply_detected_episode_numbers boolean, _limit int, _apply_channel text[]) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import   public.podcast_imports := private.lock_import(_import_id);
  selected bigint;
  held     bigint;
  error    jsonb;
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
  if _limit is not null then  -- an offset of null would skip no row
    update public.podcast_import_items i set status = 'skipped_user_limit'
    where i.id in (
      select h.id from public.podcast_import_items h where h.import_id = import.id and h.status = 'pending'
      order by h.published_at desc nulls last, h.position offset _limit);
  end if;
  select count(*) filter (where i.status = 'pending'), count(*) filter (where i.status = 'skipped_user_limit')
    into selected, held
  from public.podcast_import_items i where i.import_id = import.id;
  error := private.dispatch_and_run_import(import, apply_numbers => _apply_detected_episode_numbers,
    _channel_fields => _apply_channel);
  return coalesce(error, jsonb_build_object(
    'status', (select i.status from public.podcast_imports i where i.id = import.id),
    'selectedCount', selected, 'heldCount', held));
end $$;
grant execute on function private.confirm_import to authenticated;

create function public.confirm_import(
  import_id uuid, apply_detected_episode_numbers boolean default false, "limit" int default null,
  apply_channel text[] default '{}') returns jsonb
language sql volatile security invoker set search_path = ''
return private.confirm_import(import_id, coalesce(apply_detected_episode_numbers, false), "limit",
  coalesce(apply_channel, '{}'));
comment on function public.confirm_import is
  'POST /api/imports/{id}/confirm: {status, selectedCount, heldCount}. The import is running, or finished when no '
  'item is pending. Selects the newest items up to the limit and holds the others. apply_channel names the fields of '
  'the channel that the podcast takes over. Requires admin. 400 NOT_IN_PREVIEW or INVALID_SELECTION, 403, 404, 409 '
  'also MANAGED_BY_HOSTING_MIGRATION, 500 without a queue, or DISPATCH_FAILED: the import stays in preview, and held '
  'items stay held.';
grant execute on function public.confirm_import to authenticated;
