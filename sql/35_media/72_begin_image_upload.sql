-- First half of an image upload, as the caller. Before the bytes: may they come, and how many?
create function public.authorize_image_upload(podcast_id uuid, image_type text, content_type text, episode_id uuid default null) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  type private.image_types := private.uploadable_image_spec(authorize_image_upload.image_type);
begin
  perform private.validate_image_format(type, authorize_image_upload.content_type);
  perform private.require_image_target(authorize_image_upload.podcast_id, type.name, authorize_image_upload.episode_id);
  return jsonb_build_object('maxBytes', type.max_bytes);
end $$;
comment on function public.authorize_image_upload is 'PUT /api/media/upload, before the body: the most bytes to read. 400 image type or format, 403, 404, 409.';
grant execute on function public.authorize_image_upload to authenticated;

-- With the bytes: may this image stay, and under which key?
create function public.begin_image_upload(
  podcast_id uuid, image_type text, content_type text, bytes bigint, image jsonb default null, episode_id uuid default null
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  type       private.image_types := private.uploadable_image_spec(begin_image_upload.image_type);
  episode_id uuid := case when type.name = 'episode_cover' then begin_image_upload.episode_id end;
begin
  perform private.validate_image_format(type, begin_image_upload.content_type);
  perform private.require_image_target(begin_image_upload.podcast_id, type.name, episode_id);
  perform private.validate_image(type, begin_image_upload.content_type, begin_image_upload.bytes, image, 0.02);
  perform private.require_allowance(begin_image_upload.podcast_id, episode_id, type.name, begin_image_upload.bytes);
  return jsonb_build_object('path',
    private.image_path(begin_image_upload.podcast_id, type.name, episode_id, gen_random_uuid(), begin_image_upload.content_type));
end $$;
comment on function public.begin_image_upload is
  'PUT /api/media/upload: the contract''s checks, with the bytes received and what they are ({type, width, height}, null for no image). 400 type, size, dimensions or ratio, 403, 404, 409 allowance.';
grant execute on function public.begin_image_upload to authenticated;
