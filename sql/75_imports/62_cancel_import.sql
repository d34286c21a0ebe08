-- Cancels an import. Items in transfer may finish; waiting items, enqueued or between attempts, are skipped.
create function private.skip_waiting_items(import_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- A claim changes read_ct or vt: a message that a worker has claimed stays, and the worker acknowledges it. Messages
  -- locked by another transaction are skipped, because that transaction waits for the import's row.
  delete from pgmq.q_import_items d where d.msg_id in (
    select q.msg_id
    from public.podcast_import_items i
    join private.import_item_messages m on m.import_item_id = i.id
    join pgmq.q_import_items q on q.msg_id = m.msg_id
    where i.import_id = skip_waiting_items.import_id and i.status = 'pending'
      and (q.read_ct = 0 or q.vt = i.next_attempt_at)
    for update of q skip locked);
  update public.podcast_import_items i set
    status = 'skipped_canceled', error_message = 'The import was canceled', error_code = null, next_attempt_at = null
  where i.import_id = skip_waiting_items.import_id and i.status = 'pending';
end $$;
comment on function private.skip_waiting_items is
  'Skips the pending items of a canceled, locked import and deletes their messages.';

create function private.cancel_import(import_id uuid) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import public.podcast_imports := private.lock_import(cancel_import.import_id);
begin
  if import.status not in ('verification_required', 'preview', 'pending', 'running') then
    perform private.raise_invalid_import_state(import, 'it cannot be canceled');
  end if;
  update public.podcast_imports i set status = 'canceled' where i.id = import.id;
  if import.status = 'running' then
    perform private.skip_waiting_items(import.id);
  end if;
  return jsonb_build_object('status', 'canceled');
end $$;
comment on function private.cancel_import is
  'Implementation of cancel_import (security definer). Checks the role itself.';
grant execute on function private.cancel_import to authenticated;

create function public.cancel_import(import_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.cancel_import(cancel_import.import_id);
end $$;
comment on function public.cancel_import is
  'POST /api/imports/{id}/cancel: {status: canceled}. Items in transfer still become episodes; waiting items become '
  'skipped_canceled. Requires admin. 403, 404, 409 INVALID_IMPORT_STATE when it has finished.';
grant execute on function public.cancel_import to authenticated;
