-- The file of a feed becomes ours, unless the podcaster has changed or deleted it since the import. Safe to repeat.
-- Locks as an upload of the same file. cron wakes the worker once for all files copied meanwhile, so that it renders
-- their feed together.
create function private.finish_import_transcript(
  message jsonb, _path text, _bytes bigint, _content_type text, _repairs text default null,
  at timestamptz default now()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  source record;
begin
  perform from public.episode_transcripts t where t.id = (message ->> 'transcript_id')::uuid for update;
  perform private.lock_object_for_finish(_path, at);
  if exists (select from private.media_objects m where m.path = _path) then
    return true;
  end if;
  perform from public.podcasts p where p.id = (message ->> 'podcast_id')::uuid for share;
  source := private.import_file_source(message);
  if source.url is null then
    return false;
  end if;
  perform private.require_writable_podcast(source.podcast_id);
  perform from public.episodes e where e.id = source.episode_id for update;
  perform private.require_path_in(format('podcasts/%s/e/%s/transcripts/', source.podcast_id, source.episode_id), _path);
  perform private.require_stored_size(_path, _bytes);
  insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type)
  select _path, p.owner_id, p.id, source.episode_id, 'transcript', _bytes, _content_type
  from public.podcasts p where p.id = source.podcast_id;
  perform private.leave_waking_to_cron(true);
  update public.episode_transcripts t set
    url = private.get_setting('media_url') || '/' || _path, bytes = _bytes, type = _content_type
  where t.id = (message ->> 'transcript_id')::uuid;
  perform private.leave_waking_to_cron(false);
  perform private.report_import_file(message, source.url);
  if _repairs is not null then
    perform private.add_import_item_warnings((message ->> 'import_item_id')::uuid, jsonb_build_array(jsonb_build_object(
      'code', 'TRANSCRIPT_REPAIRED', 'message', 'A transcript was repaired: ' || _repairs)));
  end if;
  return true;
end $$;
grant execute on function private.finish_import_transcript to service_role;
comment on function private.finish_import_transcript is
  'Makes a stored object the file of an imported transcript, and warns of its repairs. False: it is no longer needed '
  'and can be deleted. PT404, PT409 over the allowance or when the podcast is pending deletion, PT500 SIZE_MISMATCH, '
  'PT503.';

create function private.finish_import_chapters(message jsonb, chapters jsonb) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  source record := private.import_file_source(message);
begin
  perform private.lock_episode_chapters(source.episode_id) where source.url is not null;
  perform from public.podcasts p where p.id = (message ->> 'podcast_id')::uuid for share;
  source := private.import_file_source(message);
  if source.url is null then
    return false;
  end if;
  perform private.require_writable_podcast(source.podcast_id);
  perform private.leave_waking_to_cron(true);
  if chapters <> '[]' then  -- an empty document replaces nothing
    delete from public.episode_chapters c where c.episode_id = source.episode_id;
    perform private.insert_episode_chapters(source.episode_id, chapters);
  end if;
  update public.episodes e set chapters_url = null where e.id = source.episode_id and e.chapters_url = source.url;
  perform private.leave_waking_to_cron(false);
  perform private.report_import_file(message, source.url);
  return true;
end $$;
grant execute on function private.finish_import_chapters to service_role;
comment on function private.finish_import_chapters is
  'Makes the chapters of an imported document, in the form of set_episode_chapters, those of its episode. False: the '
  'podcaster has changed them. PT404, PT409 when the podcast is pending deletion.';

create function private.finish_import_image(
  message jsonb, _path text, _bytes bigint, _content_type text, image jsonb, at timestamptz default now())
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  type   constant text := case message ->> 'kind' when 'cover' then 'cover' else 'episode_cover' end;
  source record;
begin
  perform private.lock_object_for_finish(_path, at);
  if exists (select from private.media_objects m where m.path = _path) then
    return true;
  end if;
  perform from public.podcasts p where p.id = (message ->> 'podcast_id')::uuid for no key update;
  source := private.import_file_source(message);
  perform from public.episodes e where e.id = source.episode_id for update;
  source := private.import_file_source(message);
  if source.url is null then
    return false;
  end if;
  perform private.require_writable_podcast(source.podcast_id);
  perform private.require_path_in(private.image_folder(source.podcast_id, type, source.episode_id), _path);
  perform private.require_stored_size(_path, _bytes);
  perform private.leave_waking_to_cron(true);
  perform private.set_image(source.podcast_id, type, source.episode_id, _path, _bytes, _content_type, image, at);
  perform private.leave_waking_to_cron(false);
  perform private.report_import_file(message, source.url);
  return true;
end $$;
grant execute on function private.finish_import_image to service_role;
comment on function private.finish_import_image is
  'Makes a stored object the cover of the podcast or of an episode. False: the podcaster has set another one since the '
  'import, and the object can be deleted. PT404, PT409 over the allowance or when the podcast is pending deletion, '
  'PT500 SIZE_MISMATCH, PT503.';
