-- First step of an upload of unknown length, before the body: checks the caller and returns how many bytes to read.
create function public.authorize_audio_upload(podcast_id uuid, episode_id uuid, content_type text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_audio_target(
    authorize_audio_upload.podcast_id, authorize_audio_upload.episode_id, authorize_audio_upload.content_type);
  return jsonb_build_object('maxBytes', private.get_setting('max_audio_upload_bytes')::bigint);
end $$;
comment on function public.authorize_audio_upload is
  'PUT /api/media/audio/upload without Content-Length, before the body: {maxBytes}. 400 content type, 403, 404, 409.';
grant execute on function public.authorize_audio_upload to authenticated;
