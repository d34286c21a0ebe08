-- Items that do not become episodes: the worker says so, or nobody lived to say it.
-- Who is told of another message or attempt that is at the item says nothing: their own is one of the past.
create function private.skip_import_item(
  import_item_id uuid, status public.import_item_status default 'skipped_oversize', error_message text default null, msg_id bigint default null,
  attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item public.podcast_import_items := private.lock_import_item(skip_import_item.import_item_id);
begin
  return not private.is_superseded(item.id, skip_import_item.msg_id, skip_import_item.attempt)
    and private.close_import_item(item, skip_import_item.status, skip_import_item.error_message);
end $$;
comment on function private.skip_import_item is 'The item is left out, for a reason that no further attempt would change. False when it had ended, or another message than `msg_id` or a later attempt is at it.';

create function private.fail_import_item(
  import_item_id uuid, error_message text, error_code text default null, msg_id bigint default null, attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item public.podcast_import_items := private.lock_import_item(fail_import_item.import_item_id);
begin
  return not private.is_superseded(item.id, fail_import_item.msg_id, fail_import_item.attempt)
    and private.close_import_item(item, 'failed', coalesce(nullif(fail_import_item.error_message, ''), 'Nobody said why'), fail_import_item.error_code);
end $$;
comment on function private.fail_import_item is 'The item failed for good; a podcaster may have it tried again. False when it had ended, or another message than `msg_id` or a later attempt is at it.';

-- However a message is parked, its item says so, unless it was given to another message meanwhile; a trigger, so that nothing that parks has to know of imports.
-- private.install() puts it on the dead-letter queue.
create function private.fail_import_item_on_dead_letter() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item_id uuid;
  parked  bigint;
begin
  if pg_input_is_valid(new.message #>> '{message,import_item_id}', 'uuid') then
    item_id := (new.message #>> '{message,import_item_id}')::uuid;
    parked := case jsonb_typeof(new.message -> 'msg_id') when 'number' then (new.message ->> 'msg_id')::bigint end;
    perform private.fail_import_item(item_id, new.message ->> 'error', msg_id => parked, error_code => 'RETRIES_EXHAUSTED');
  end if;
  return null;
end $$;

-- private.fail_job writes the error into the headers of a message that comes back: the item shows it, and when it is
-- retried. private.install() puts this trigger on the queue.
create function private.postpone_import_item() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item public.podcast_import_items;
begin
  if pg_input_is_valid(new.message ->> 'import_item_id', 'uuid') then
    item := private.lock_import_item((new.message ->> 'import_item_id')::uuid);
  end if;
  if item.status is null or item.status not in ('pending', 'processing') or private.is_superseded(item.id, new.msg_id, new.read_ct) then
    return null;
  end if;
  if exists (select from public.podcast_imports i where i.id = item.import_id and i.status = 'canceled') then
    perform private.close_import_item(item, 'skipped_canceled', 'The import was canceled');  -- the next claim acknowledges the message
  else
    update public.podcast_import_items i set status = 'pending', error_code = null, next_attempt_at = new.vt,
      error_message = coalesce(nullif(new.headers ->> 'last_error', ''), 'The last attempt failed')
    where i.id = item.id;
  end if;
  return null;
end $$;
