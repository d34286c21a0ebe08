-- Turns an item whose audio is stored into an episode. Locks as every upload: the objects, the podcast, the item, then
-- the media ledger and the account, and at the end the import, whose counters change.
create function private.finish_import_item(
  _import_item_id uuid, _path text, _bytes bigint, _content_type text, _duration_seconds int default null,
  image jsonb default null, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  cover   constant jsonb := case when image ? 'path' then image end;
  item    public.podcast_import_items;
  folder  text;
begin
  perform private.lock_object_for_finish(_path, at);
  if cover is not null then
    perform private.lock_object_for_finish(cover ->> 'path', at);
  end if;
  item := private.lock_import_item(_import_item_id, _completes => true);
  if item.id is null then
    raise sqlstate 'PT404' using message = 'The import no longer exists';
  elsif item.status in ('pending', 'processing') then
    folder := format('podcasts/%s/e/%s/', item.podcast_id, item.id);
    perform private.require_path_in(folder || 'audio/', _path);
    if cover is not null then
      perform private.require_path_in(folder || 'images/', cover ->> 'path');
    end if;
    if private.episode_guid_exists(item) then
      perform private.close_import_item(item, 'skipped_duplicate', 'An episode with this GUID already exists');
    else
      perform private.require_stored_size(_path, _bytes);
      if cover is not null then
        perform private.require_stored_size(cover ->> 'path', (cover ->> 'bytes')::bigint);
      end if;
      if image ? 'warning' then
        perform private.add_import_item_warnings(item.id, jsonb_build_array(image -> 'warning'));
      end if;
      perform private.create_imported_episode(item, _path, _bytes, _content_type, _duration_seconds, image, at);
      update public.podcast_import_items i set
        status = 'completed', episode_id = item.id, error_message = null, error_code = null, next_attempt_at = null
      where i.id = item.id;
      delete from private.import_transfers t where t.import_item_id = item.id;
      return jsonb_build_object('status', 'completed', 'episodeId', item.id, 'isKept', true);
    end if;
    select * into item from public.podcast_import_items i where i.id = item.id;
  end if;
  return jsonb_build_object('status', item.status, 'episodeId', item.episode_id,
    'isKept', exists (select from private.media_objects m where m.path = _path));
end $$;
grant execute on function private.finish_import_item to service_role;
comment on function private.finish_import_item is
  'Creates the episode of an item with its stored objects: {status, episodeId, isKept}. image is null, {path, bytes, '
  'contentType, width, height}, {warning} when the artwork was skipped, or {isPending: true} when import_files tries '
  'it again. Safe to repeat. isKept is false when the '
  'item was closed in another way: its objects can be deleted. PT404, PT409 over the storage allowance or when the '
  'podcast is pending deletion, PT500 SIZE_MISMATCH.';
