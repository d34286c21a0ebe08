-- Returns the upload endpoint and limits of an image upload before any byte is sent.
create function public.presign_image_upload(
  podcast_id uuid, image_type text, content_type text, filename text, episode_id uuid default null
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  spec      private.image_types;
  upload_id uuid := gen_random_uuid();
  path      text;
begin
  perform private.require_user();
  spec := private.uploadable_image_spec(presign_image_upload.image_type);
  perform private.validate_image_format(spec, presign_image_upload.content_type);
  perform private.require_image_target(presign_image_upload.podcast_id, spec.name, presign_image_upload.episode_id);
  if coalesce(filename, '') = '' then
    raise sqlstate 'PT400' using message = 'filename is required';
  end if;
  path := private.image_path(presign_image_upload.podcast_id, spec.name, presign_image_upload.episode_id, upload_id,
    presign_image_upload.content_type);
  return jsonb_build_object(
    'uploadId', upload_id,
    'uploadPath', path,
    'finalPath', path,
    'publicUrl', private.image_url(path),
    'maxSize', spec.max_bytes,
    'dimensions', jsonb_build_object('width', spec.recommended_width, 'height', spec.recommended_height,
      'minWidth', spec.min_width, 'minHeight', spec.min_height),
    'uploadEndpoint', '/api/media/upload/' || upload_id);
end $$;
comment on function public.presign_image_upload is
  'POST /api/media/presigned-url. The paths are advisory; the upload creates its own. 400 image type, content type or '
  'filename, 403, 404, 409.';
grant execute on function public.presign_image_upload to authenticated;
