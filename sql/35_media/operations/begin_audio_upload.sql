-- Step of every upload before its bytes are stored, with their declared or measured number: makes all checks of
-- authorize_audio_upload too, so that an upload of declared length needs no other call.
create function public.begin_audio_upload(podcast_id uuid, episode_id uuid, content_type text, bytes bigint)
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  path text;
begin
  perform private.require_audio_target(
    begin_audio_upload.podcast_id, begin_audio_upload.episode_id, begin_audio_upload.content_type);
  perform private.require_upload_size(begin_audio_upload.bytes, 'max_audio_upload_bytes');
  perform private.require_allowance(
    begin_audio_upload.podcast_id, begin_audio_upload.episode_id, 'audio', begin_audio_upload.bytes);
  path := private.audio_path(begin_audio_upload.podcast_id, begin_audio_upload.episode_id, gen_random_uuid(),
    begin_audio_upload.content_type);
  return jsonb_build_object(
    'path', path,
    'publicUrl', private.get_setting('media_url') || '/' || path,
    'contentType', begin_audio_upload.content_type,
    'expectedAudioUrl', (select e.audio_url from public.episodes e where e.id = begin_audio_upload.episode_id));
end $$;
comment on function public.begin_audio_upload is
  'PUT /api/media/audio/upload, before the object is stored, with the declared or received bytes: {path, publicUrl, '
  'contentType, expectedAudioUrl}. 400 content type or empty, 403, 404, 409 allowance, 413 over the upload limit.';
grant execute on function public.begin_audio_upload to authenticated;
