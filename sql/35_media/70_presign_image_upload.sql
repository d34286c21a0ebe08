-- Says where an image would go and what it may be, before any byte is sent.
create function private.uploadable_image_spec(image_type text) returns private.image_types
language plpgsql stable security invoker set search_path = ''
as $$
declare
  type private.image_types := private.image_spec(uploadable_image_spec.image_type);
begin
  if not type.is_uploadable then
    raise sqlstate 'PT400' using message = 'Invalid image type', detail = format('%s images are imported, not uploaded', type.name);
  end if;
  return type;
end $$;
comment on function private.uploadable_image_spec is 'The specification of an image type that is uploaded; PT400 otherwise.';
grant execute on function private.uploadable_image_spec to authenticated;

create function public.presign_image_upload(podcast_id uuid, image_type text, content_type text, filename text, episode_id uuid default null)
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  type      private.image_types := private.uploadable_image_spec(presign_image_upload.image_type);
  upload_id uuid := gen_random_uuid();
  path      text;
begin
  perform private.validate_image_format(type, presign_image_upload.content_type);
  perform private.require_image_target(presign_image_upload.podcast_id, type.name, presign_image_upload.episode_id);
  if coalesce(filename, '') = '' then
    raise sqlstate 'PT400' using message = 'filename is required';
  end if;
  path := private.image_path(presign_image_upload.podcast_id, type.name, presign_image_upload.episode_id, upload_id, presign_image_upload.content_type);
  return jsonb_build_object(
    'uploadId', upload_id,
    'uploadPath', path,
    'finalPath', path,
    'publicUrl', private.image_url(path),
    'maxSize', type.max_bytes,
    'dimensions', jsonb_build_object('width', type.recommended_width, 'height', type.recommended_height, 'minWidth', type.min_width, 'minHeight', type.min_height),
    'uploadEndpoint', '/api/media/upload/' || upload_id);
end $$;
comment on function public.presign_image_upload is
  'POST /api/media/presigned-url. The paths are advisory: the upload makes its own key. 400 image type, content type or filename, 403, 404, 409.';
grant execute on function public.presign_image_upload to authenticated;
