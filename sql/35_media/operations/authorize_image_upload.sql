-- First step of an image upload, before the body: checks the caller and returns how many bytes to read.
create function public.authorize_image_upload(
  podcast_id uuid, image_type text, content_type text, episode_id uuid default null
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  spec private.image_types;
begin
  perform private.require_user();
  spec := private.uploadable_image_spec(authorize_image_upload.image_type);
  perform private.validate_image_format(spec, authorize_image_upload.content_type);
  perform private.require_image_target(
    authorize_image_upload.podcast_id, spec.name, authorize_image_upload.episode_id);
  return jsonb_build_object('maxBytes', spec.max_bytes);
end $$;
comment on function public.authorize_image_upload is
  'PUT /api/media/upload, before the body: {maxBytes}. 400 image type or format, 403, 404, 409.';
grant execute on function public.authorize_image_upload to authenticated;
