-- The cancellation of imports, by an admin or because their podcast is pending deletion.
create function private.skip_waiting_items(_import_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- A message that a worker has claimed stays, and the worker acknowledges it. Messages locked by another transaction
  -- are skipped, because that transaction waits for the import's row.
  delete from pgmq.q_import_items d where d.msg_id in (
    select q.msg_id
    from public.podcast_import_items i
    join private.import_item_messages m on m.import_item_id = i.id
    join pgmq.q_import_items q on q.msg_id = m.msg_id
    where i.import_id = _import_id and i.status = 'pending'
      and private.message_state(q.read_ct, q.headers) = 'waiting'
    for update of q skip locked);
  update public.podcast_import_items i set
    status = 'skipped_canceled', error_message = 'The import was canceled', error_code = null, next_attempt_at = null
  where i.import_id = _import_id and i.status = 'pending';
end $$;
comment on function private.skip_waiting_items is
  'Skips the pending items of a canceled, locked import and deletes their messages.';

create function private.cancel_locked_import(import public.podcast_imports) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.podcast_imports i set status = 'canceled' where i.id = import.id;
  if import.status = 'running' then
    perform private.skip_waiting_items(import.id);
  end if;
end $$;
comment on function private.cancel_locked_import is 'Cancels a locked import in flight and skips its waiting items.';

-- After: a podcast that is neither active nor paused has no import in flight. Its row is locked before the import, in
-- the common order.
create function private.cancel_import_of_podcast() returns trigger
language plpgsql security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import public.podcast_imports;
begin
  select * into import from public.podcast_imports i
  where i.podcast_id = new.id and i.status <= 'running'
  for no key update;
  if found then
    perform private.cancel_locked_import(import);
  end if;
  return null;
end $$;
create trigger t500_cancel_import after update of status on public.podcasts
  for each row when (new.status not in ('active', 'paused')) execute function private.cancel_import_of_podcast();
