-- The progress of an item's audio: saved after each chunk, read by the next run.
create function private.save_import_transfer(
  _import_item_id uuid, _path text, _content_type text, _upload_url text, _received_bytes bigint,
  _total_bytes bigint default null, _source_etag text default null, _msg_id bigint default null,
  _attempt int default null
) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.podcast_import_items i
  where i.id = _import_item_id and i.status = 'processing' for key share;
  if not found or private.is_superseded(_import_item_id, _msg_id, _attempt) then
    return false;
  end if;
  insert into private.import_transfers as t (
    import_item_id, path, content_type, upload_url, received_bytes, max_received_bytes, total_bytes, source_etag)
  values (
    _import_item_id, _path, _content_type, _upload_url, _received_bytes, _received_bytes, _total_bytes, _source_etag)
  on conflict on constraint import_transfers_pkey do update set
    path = excluded.path, content_type = excluded.content_type, upload_url = excluded.upload_url,
    received_bytes = excluded.received_bytes,
    max_received_bytes = greatest(t.max_received_bytes, excluded.received_bytes),
    total_bytes = excluded.total_bytes, source_etag = excluded.source_etag;
  return true;
end $$;
grant execute on function private.save_import_transfer to service_role;
comment on function private.save_import_transfer is
  'Saves the progress of an item''s audio. False, without a change, when the item is not in progress, or another '
  'message or a later attempt works on it.';

create function private.delete_import_transfer(import_item_id uuid) returns void
language sql volatile security invoker set search_path = ''
as $$ delete from private.import_transfers t where t.import_item_id = $1 $$;
grant execute on function private.delete_import_transfer to service_role;
comment on function private.delete_import_transfer is
  'Deletes the progress of an item that does not become an episode. A restarted transfer keeps its row, because '
  'max_received_bytes bounds its runs.';
