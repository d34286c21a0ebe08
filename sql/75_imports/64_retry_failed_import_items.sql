-- Tries again what failed: all of it, or one item.
create function private.retry_failed_import_items(import_id uuid) returns jsonb
language plpgsql volatile security definer  -- imports have no write grants
set search_path = ''
as $$
declare
  import  public.podcast_imports := private.lock_import(retry_failed_import_items.import_id);
  retry_statuses public.import_item_status[] := '{failed}';
  count   bigint;
  refusal jsonb;
begin
  perform private.reject_hosting_migration(import);
  if import.status = 'canceled' then
    if import.started_at is null then
      perform private.raise_invalid_import_state(import, 'it was never confirmed, so resume it first');
    end if;
    retry_statuses := '{failed,skipped_canceled}';
  elsif import.status not in ('partial', 'failed') or import.staged_at is null then
    perform private.raise_invalid_import_state(import, 'nothing of it can be tried again');
  end if;
  select count(*) into count from public.podcast_import_items i
  where i.import_id = import.id and (i.status = any (retry_statuses) or i.status = 'pending' or i.id in (select private.orphaned_items(import.id)));
  refusal := private.dispatch_and_run_import(import, retry_statuses);
  return coalesce(refusal, jsonb_build_object(
    'status', (select i.status from public.podcast_imports i where i.id = import.id), 'retriedCount', count));
end $$;
comment on function private.retry_failed_import_items is 'retry_failed_import_items''s half behind the grants.';
grant execute on function private.retry_failed_import_items to authenticated;  -- checks the role itself

create function public.retry_failed_import_items(import_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.retry_failed_import_items(retry_failed_import_items.import_id);
end $$;
comment on function public.retry_failed_import_items is
  'POST /api/imports/{id}/retry-failed: {status, retriedCount}. Every failed item is tried again; of a canceled import also what was not done. Needs admin+. 403, 404, 409 INVALID_IMPORT_STATE, MANAGED_BY_HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: everything stays as it was.';
grant execute on function public.retry_failed_import_items to authenticated;

create function private.retry_import_item(import_id uuid, item_id uuid) returns jsonb
language plpgsql volatile security definer  -- imports have no write grants
set search_path = ''
as $$
declare
  import  public.podcast_imports := private.lock_import(retry_import_item.import_id);
  item    public.podcast_import_items;
  refusal jsonb;
begin
  perform private.reject_hosting_migration(import);
  select * into item from public.podcast_import_items i
  where i.id = retry_import_item.item_id and i.import_id = import.id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'This item is not one of the import''s';
  elsif import.status not in ('partial', 'failed', 'running') then
    perform private.raise_invalid_import_state(import, 'no item of it can be tried again');
  elsif item.status <> 'failed' then
    raise sqlstate 'PT409' using message = format('The item is %s; only one that failed is tried again', replace(item.status::text, '_', ' ')),
      hint = 'IMPORT_ITEM_NOT_FAILED';
  end if;
  refusal := private.dispatch_and_run_import(import, '{failed}', item.id);
  return coalesce(refusal, jsonb_build_object('importId', import.id, 'itemId', item.id, 'status', 'pending'));
end $$;
comment on function private.retry_import_item is 'retry_import_item''s half behind the grants.';
grant execute on function private.retry_import_item to authenticated;  -- checks the role itself

create function public.retry_import_item(import_id uuid, item_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.retry_import_item(retry_import_item.import_id, retry_import_item.item_id);
end $$;
comment on function public.retry_import_item is
  'POST /api/imports/{id}/items/{itemId}/retry: {importId, itemId, status: pending}. Needs admin+. 403, 404, 409 IMPORT_ITEM_NOT_FAILED (also for items held by the limit), INVALID_IMPORT_STATE, MANAGED_BY_HOSTING_MIGRATION, IMPORT_IN_FLIGHT with importId, 500 DISPATCH_FAILED: everything stays as it was.';
grant execute on function public.retry_import_item to authenticated;
