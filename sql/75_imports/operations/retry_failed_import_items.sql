-- Retries all failed items of an import.
create function private.retry_failed_import_items(_import_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import         public.podcast_imports := private.lock_import(_import_id);
  retry_statuses public.import_item_status[] := '{failed}';
  count          bigint;
  error          jsonb;
begin
  perform private.reject_hosting_migration(import);
  if import.status = 'canceled' then
    if import.started_at is null then
      perform private.raise_invalid_import_state(import, 'it was never confirmed. Resume it first');
    end if;
    retry_statuses := '{failed,skipped_canceled}';
  elsif import.status not in ('partial', 'failed') or import.staged_at is null then
    perform private.raise_invalid_import_state(import, 'it has no items to retry');
  end if;
  select count(*) into count from public.podcast_import_items i
  where i.import_id = import.id and (
    i.status = any (retry_statuses) or i.status = 'pending'
    or i.id in (select private.orphaned_items(import.id)));
  error := private.dispatch_and_run_import(import, retry_statuses);
  return coalesce(error, jsonb_build_object(
    'status', (select i.status from public.podcast_imports i where i.id = import.id), 'retriedCount', count));
end $$;
grant execute on function private.retry_failed_import_items to authenticated;

create function public.retry_failed_import_items(import_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_failed_import_items(import_id);
comment on function public.retry_failed_import_items is
  'POST /api/imports/{id}/retry-failed: {status, retriedCount}. Retries every failed item and, of a canceled import, '
  'also the skipped ones. Requires admin. 403, 404, 409 INVALID_IMPORT_STATE, MANAGED_BY_HOSTING_MIGRATION or '
  'IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: nothing changes.';
grant execute on function public.retry_failed_import_items to authenticated;
