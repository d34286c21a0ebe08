-- Returns the upload endpoint and limits of an audio upload before any byte is sent.
create function public.presign_audio_upload(
  podcast_id uuid, episode_id uuid, content_type text, filename text, file_size bigint
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  upload_id uuid := gen_random_uuid();
  path      text;
begin
  perform private.require_audio_target(
    presign_audio_upload.podcast_id, presign_audio_upload.episode_id, presign_audio_upload.content_type);
  perform private.require_declared_upload(filename, file_size);
  perform private.require_upload_size(file_size, 'max_audio_upload_bytes');
  path := private.audio_path(presign_audio_upload.podcast_id, presign_audio_upload.episode_id, upload_id,
    presign_audio_upload.content_type);
  return jsonb_build_object(
    'uploadId', upload_id,
    'uploadPath', path,
    'finalPath', path,
    'publicUrl', private.get_setting('media_url') || '/' || path,
    'maxSize', private.max_audio_bytes(),
    'acceptedTypes', to_jsonb(private.audio_types()),
    'uploadEndpoint', '/api/media/audio/upload/' || upload_id);
end $$;
comment on function public.presign_audio_upload is
  'POST /api/media/audio/presigned-url. The paths are advisory; the upload creates its own. 400, 403, 404, 409, 413.';
grant execute on function public.presign_audio_upload to authenticated;
