-- Retries one failed item of an import.
create function private.retry_import_item(_import_id uuid, _item_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import public.podcast_imports := private.lock_import(_import_id);
  item   public.podcast_import_items;
  error  jsonb;
begin
  perform private.reject_hosting_migration(import);
  select * into item from public.podcast_import_items i
  where i.id = _item_id and i.import_id = import.id;  -- not locked, because it may be in progress
  if not found then
    raise sqlstate 'PT404' using message = 'Item not found in this import';
  elsif import.status not in ('partial', 'failed', 'running') then
    perform private.raise_invalid_import_state(import, 'its items cannot be retried');
  elsif item.status <> 'failed' then
    raise sqlstate 'PT409' using hint = 'IMPORT_ITEM_NOT_FAILED',
      message = format('The item is %s; only failed items can be retried', replace(item.status::text, '_', ' '));
  end if;
  error := private.dispatch_and_run_import(import, '{failed}', item.id);
  return coalesce(error, jsonb_build_object('importId', import.id, 'itemId', item.id, 'status', 'pending'));
end $$;
grant execute on function private.retry_import_item to authenticated;

create function public.retry_import_item(import_id uuid, item_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_import_item(import_id, item_id);
comment on function public.retry_import_item is
  'POST /api/imports/{id}/items/{itemId}/retry: {importId, itemId, status: pending}. Requires admin. 403, 404, 409 '
  'IMPORT_ITEM_NOT_FAILED (also for items held by the limit), INVALID_IMPORT_STATE, MANAGED_BY_HOSTING_MIGRATION or '
  'IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: nothing changes.';
grant execute on function public.retry_import_item to authenticated;
