-- A trigger on the queue (private.install() creates it): when private.fail_job schedules a retry, it writes the error
-- to the message's headers. The item then shows the error and the time of the retry.
create function private.postpone_import_item() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item public.podcast_import_items;
begin
  if pg_input_is_valid(new.message ->> 'import_item_id', 'uuid') then
    item := private.lock_import_item((new.message ->> 'import_item_id')::uuid);
  end if;
  if item.status is null or item.status not in ('pending', 'processing')
     or private.is_superseded(item.id, new.msg_id, new.read_ct) then
    return null;
  end if;
  if exists (select from public.podcast_imports i where i.id = item.import_id and i.status = 'canceled') then
    -- the next claim acknowledges the message
    perform private.close_import_item(item, 'skipped_canceled', 'The import was canceled');
  else
    update public.podcast_import_items i set
      status = 'pending', error_code = null, next_attempt_at = new.vt,
      error_message = coalesce(nullif(new.headers ->> 'last_error', ''), 'The last attempt failed')
    where i.id = item.id;
  end if;
  return null;
end $$;
