-- The progress of an item's audio: saved after each chunk, read by the next run.
create function private.save_import_transfer(
  import_item_id uuid, path text, content_type text, upload_url text, received_bytes bigint,
  total_bytes bigint default null, source_etag text default null, msg_id bigint default null, attempt int default null)
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.podcast_import_items i
  where i.id = save_import_transfer.import_item_id and i.status = 'processing' for key share;
  if not found or private.is_superseded(
       save_import_transfer.import_item_id, save_import_transfer.msg_id, save_import_transfer.attempt) then
    return false;
  end if;
  insert into private.import_transfers as t (
    import_item_id, path, content_type, upload_url, received_bytes, max_received_bytes, total_bytes, source_etag)
  values (
    save_import_transfer.import_item_id, save_import_transfer.path, save_import_transfer.content_type,
    save_import_transfer.upload_url, save_import_transfer.received_bytes, save_import_transfer.received_bytes,
    save_import_transfer.total_bytes, save_import_transfer.source_etag)
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
