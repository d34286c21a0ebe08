-- Returns the upload endpoint and limits of a transcript's upload before any byte is sent.
create function public.presign_transcript_upload(
  podcast_id uuid, episode_id uuid, content_type text, filename text, file_size bigint
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  upload_id uuid := gen_random_uuid();
  path      text;
begin
  perform private.require_transcript_target(presign_transcript_upload.podcast_id,
    presign_transcript_upload.episode_id, presign_transcript_upload.content_type, null, null);
  perform private.require_declared_upload(filename, file_size);
  perform private.require_upload_size(file_size, 'max_transcript_upload_bytes');
  path := private.transcript_path(presign_transcript_upload.podcast_id, presign_transcript_upload.episode_id,
    upload_id, private.normalize_transcript_type(presign_transcript_upload.content_type));
  return jsonb_build_object(
    'uploadId', upload_id,
    'uploadPath', path,  -- null for chapters, which become rows
    'finalPath', path,
    'publicUrl', coalesce(private.get_setting('media_url') || '/' || path,
      format('%s/%s.json', private.chapters_base_url(), presign_transcript_upload.episode_id)),
    'maxSize', private.get_setting('max_transcript_upload_bytes')::bigint,
    'acceptedTypes', to_jsonb(private.transcript_types() || 'application/json+chapters'::text),
    'uploadEndpoint', '/api/media/transcript/upload/' || upload_id);
end $$;
comment on function public.presign_transcript_upload is
  'POST /api/media/transcript/presigned-url. The paths are advisory; the upload creates its own. 400, 403, 404, 409, '
  '413.';
grant execute on function public.presign_transcript_upload to authenticated;
