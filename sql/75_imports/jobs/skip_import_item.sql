-- Skips an item for a reason that a retry would not change.
create function private.skip_import_item(
  _import_item_id uuid, _status public.import_item_status default 'skipped_oversize', _error_message text default null,
  _msg_id bigint default null, _attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  item public.podcast_import_items := private.lock_import_item(_import_item_id);
begin
  return not private.is_superseded(item.id, _msg_id, _attempt)
    and private.close_import_item(item, _status, _error_message);
end $$;
grant execute on function private.skip_import_item to service_role;
comment on function private.skip_import_item is
  'Skips an item permanently. False, without a change, when it is closed, or another message or a later attempt works '
  'on it.';
