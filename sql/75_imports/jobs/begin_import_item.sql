-- The worker begins an item; the result may tell it to skip the item and acknowledge the message.
create function private.is_item_canceled(item public.podcast_import_items, _attempt int) returns boolean
language plpgsql volatile security invoker set search_path = ''  -- sees what others committed before the item's lock
as $$
begin
  -- An item in progress at attempt 1 is a transfer that another run continues: it may finish, unless the podcast's
  -- deletion canceled the import, because a podcast pending deletion gets no episode.
  return exists (
    select from public.podcast_imports i join public.podcasts p on p.id = i.podcast_id
    where i.id = item.import_id and i.status = 'canceled'
      and (item.status = 'pending' or _attempt > 1 or p.status = 'pending_deletion'));
end $$;
comment on function private.is_item_canceled is
  'Whether an item''s import was canceled, so that this run may not continue.';

create function private.import_item_ending(
  item public.podcast_import_items, _attempt int,
  out status public.import_item_status, out error_message text, out error_code text)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if private.is_item_canceled(item, _attempt) then
    status := 'skipped_canceled';
    error_message := 'The import was canceled';
  elsif private.episode_guid_exists(item) then
    status := 'skipped_duplicate';
    error_message := 'An episode with this GUID already exists';
  elsif item.refresh_fields is not null then
    status := 'skipped_duplicate';
    error_message := 'The episode that it would refresh no longer exists';
  elsif private.is_guid_too_long(item.guid) then
    status := 'failed';
    error_message := 'The GUID exceeds 1,000 characters';
    error_code := 'GUID_TOO_LONG';
  end if;
end $$;
comment on function private.import_item_ending is
  'Why an open item cannot become an episode: the status that it gets, and its error. Nulls if it can.';

create function private.begin_import_item(
  _import_item_id uuid, _attempt int, _msg_id bigint default null, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  path_id constant uuid := gen_random_uuid();
  item    public.podcast_import_items;
  closes  boolean;  -- decides the locks
  ending  record;
  podcast public.podcasts;
begin
  select * into item from public.podcast_import_items i where i.id = _import_item_id;
  closes := (private.import_item_ending(item, _attempt)).status is not null;
  perform private.lock_refreshed_episode(item) where item.refresh_fields is not null;
  item := private.lock_import_item(_import_item_id, closes);
  if item.id is null then
    return jsonb_build_object('skip', 'not_found');
  elsif item.status not in ('pending', 'processing') then
    return jsonb_build_object('skip', item.status);
  elsif private.is_superseded(item.id, _msg_id, _attempt) then
    return jsonb_build_object('skip', 'superseded');  -- another run works on the item
  end if;
  if closes then
    ending := private.import_item_ending(item, _attempt);
    if ending.status is not null then
      perform private.close_import_item(item, ending.status, ending.error_message, ending.error_code);
      perform private.refresh_imported_episode(item, at)
      where ending.status = 'skipped_duplicate' and item.refresh_fields is not null;
      return jsonb_build_object('skip', ending.status);
    end if;
  elsif private.is_item_canceled(item, _attempt) then
    perform private.raise_item_has_changed();
  end if;
  select * into podcast from public.podcasts p where p.id = item.podcast_id;
  if item.status = 'pending' and item.next_attempt_at is null then
    -- An admin retried the item: its earlier progress does not bound the new runs.
    update private.import_transfers t set max_received_bytes = t.received_bytes
    where t.import_item_id = item.id and t.max_received_bytes <> t.received_bytes;
  end if;
  update public.podcast_import_items i set
    status = 'processing', attempts = _attempt, error_message = null, error_code = null, next_attempt_at = null
  where i.id = item.id;
  if _msg_id is not null then
    insert into private.import_item_messages as m (import_item_id, msg_id) values (item.id, _msg_id)
    on conflict on constraint import_item_messages_pkey do update set msg_id = excluded.msg_id
    where m.msg_id <> excluded.msg_id;
  end if;
  return jsonb_build_object(
    'podcastId', item.podcast_id, 'importId', item.import_id, 'itemId', item.id,
    -- The item's id becomes the episode's: object paths are known before the episode, and it is created once.
    'episodeId', item.id, 'guid', item.guid, 'title', item.title, 'payload', item.parsed_payload,
    'transfer', (
      select jsonb_build_object('path', t.path, 'contentType', t.content_type, 'uploadUrl', t.upload_url,
        'receivedBytes', t.received_bytes, 'maxReceivedBytes', t.max_received_bytes, 'totalBytes', t.total_bytes,
        'etag', t.source_etag,
        'storedBytes', private.stored_size(t.path))
      from private.import_transfers t where t.import_item_id = item.id),
    'remainingAllowanceBytes', greatest(0,
      private.storage_allowance_bytes(podcast.owner_id) - private.account_used_bytes(podcast.owner_id)),
    'maxBytes', private.max_audio_bytes(),
    'maxImageBytes', (select t.max_bytes from private.image_types t where t.name = 'episode_cover'),
    'login', private.read_import_login(item.import_id),
    'audioPaths', (
      select jsonb_object_agg(t, private.audio_path(item.podcast_id, item.id, path_id, t))
      from unnest(private.audio_types()) t));
end $$;
grant execute on function private.begin_import_item to service_role;
comment on function private.begin_import_item is
  'Marks an item as in progress: {podcastId, importId, itemId, episodeId, guid, title, payload, transfer, '
  'remainingAllowanceBytes, maxBytes, maxImageBytes, login, audioPaths}; a run stores the audio at the path of '
  'its type. Or {skip: reason}: it is closed, closes now, does not exist, or another message or a later attempt works '
  'on it (superseded).';
