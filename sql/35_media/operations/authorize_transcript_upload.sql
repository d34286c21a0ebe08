-- First step of a transcript's upload, before the body: checks the caller and returns how many bytes to read.
create function public.authorize_transcript_upload(
  podcast_id uuid, episode_id uuid, content_type text, language text default null, rel text default null
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_transcript_target(authorize_transcript_upload.podcast_id,
    authorize_transcript_upload.episode_id, authorize_transcript_upload.content_type,
    authorize_transcript_upload.language, authorize_transcript_upload.rel);
  return jsonb_build_object(
    'maxBytes', private.get_setting('max_transcript_upload_bytes')::bigint,
    'contentType', private.normalize_transcript_type(authorize_transcript_upload.content_type));
end $$;
comment on function public.authorize_transcript_upload is
  'PUT /api/media/transcript/upload, before the body: {maxBytes, contentType}. 400 content type, language or rel, 403, '
  '404, 409.';
grant execute on function public.authorize_transcript_upload to authenticated;
