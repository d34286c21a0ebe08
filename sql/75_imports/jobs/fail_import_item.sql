-- Fails an item. An admin can retry it.
create function private.fail_import_item(
  _import_item_id uuid, _error_message text, _error_code text default null, _msg_id bigint default null,
  _attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item public.podcast_import_items := private.lock_import_item(_import_item_id);
begin
  return not private.is_superseded(item.id, _msg_id, _attempt)
    and private.close_import_item(item, 'failed', coalesce(nullif(_error_message, ''), 'Unknown error'), _error_code);
end $$;
grant execute on function private.fail_import_item to service_role;
comment on function private.fail_import_item is
  'Fails an item. False, without a change, when it is closed, or another message or a later attempt works on it.';

-- A trigger on the dead-letter queue (private.install() creates it), so that every dead letter fails its item, unless
-- the item has another message by now.
create function private.fail_import_item_on_dead_letter() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item_id uuid;
  msg_id  bigint;
begin
  if pg_input_is_valid(new.message #>> '{message,import_item_id}', 'uuid') then
    item_id := (new.message #>> '{message,import_item_id}')::uuid;
    msg_id := case jsonb_typeof(new.message -> 'msg_id') when 'number' then (new.message ->> 'msg_id')::bigint end;
    perform private.fail_import_item(
      item_id, new.message ->> 'error', _msg_id => msg_id, _error_code => 'RETRIES_EXHAUSTED');
  end if;
  return null;
end $$;
