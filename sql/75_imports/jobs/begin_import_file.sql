-- The worker begins the copy of a file.
create function private.begin_import_file(message jsonb) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  source record := private.import_file_source(message);
begin
  if source.url is null then
    return null;
  end if;
  perform private.require_writable_podcast(source.podcast_id);
  return jsonb_build_object('podcastId', source.podcast_id, 'episodeId', source.episode_id, 'url', source.url,
    'type', source.type, 'maxBytes', case message ->> 'kind' when 'cover' then (private.image_spec('cover')).max_bytes
      when 'image' then (private.image_spec('episode_cover')).max_bytes
      else private.get_setting('max_transcript_upload_bytes')::int end,
    'login', private.read_import_login(coalesce((message ->> 'import_id')::uuid, (
      select i.import_id from public.podcast_import_items i where i.id = (message ->> 'import_item_id')::uuid))),
    'paths', (
      select jsonb_object_agg(t, private.transcript_path(source.podcast_id, source.episode_id, path_id, t))
      from unnest(private.transcript_types()) t cross join (select gen_random_uuid() as path_id) i
      where message ->> 'kind' = 'transcript'));
end $$;
grant execute on function private.begin_import_file to service_role;
comment on function private.begin_import_file is
  'What the worker copies for a message of import_files: {podcastId, episodeId, url, type, maxBytes, login, paths}; a '
  'run stores a transcript at the path of its type. Null: there is nothing to do. PT409 when the podcast is pending '
  'deletion.';
