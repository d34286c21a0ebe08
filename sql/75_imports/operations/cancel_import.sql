-- Cancels an import. Items in transfer may finish; waiting items, enqueued or between attempts, are skipped.
create function private.cancel_import(_import_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import public.podcast_imports := private.lock_import(_import_id);
begin
  if import.status > 'running' then
    perform private.raise_invalid_import_state(import, 'it cannot be canceled');
  end if;
  perform private.cancel_locked_import(import);
  return jsonb_build_object('status', 'canceled');
end $$;
grant execute on function private.cancel_import to authenticated;

create function public.cancel_import(import_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.cancel_import(import_id);
comment on function public.cancel_import is
  'POST /api/imports/{id}/cancel: {status: canceled}. Items in transfer still become episodes; waiting items become '
  'skipped_canceled. Requires admin. 403, 404, 409 INVALID_IMPORT_STATE when it has finished.';
grant execute on function public.cancel_import to authenticated;
