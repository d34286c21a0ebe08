-- Second step of an image upload, with the received bytes: checks the image and returns its path.
create function public.begin_image_upload(
  podcast_id uuid, image_type text, content_type text, bytes bigint, image jsonb default null,
  episode_id uuid default null
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  spec       private.image_types;
  episode_id uuid;
begin
  perform private.require_user();
  spec := private.uploadable_image_spec(begin_image_upload.image_type);
  episode_id := case when private.is_image_of_episode(spec.name) then begin_image_upload.episode_id end;
  perform private.validate_image_format(spec, begin_image_upload.content_type);
  perform private.require_image_target(begin_image_upload.podcast_id, spec.name, episode_id);
  perform private.validate_image(spec, begin_image_upload.content_type, begin_image_upload.bytes, image, 0.02);
  perform private.require_allowance(begin_image_upload.podcast_id, episode_id, spec.name, begin_image_upload.bytes,
    replaced_bytes => case spec.name when 'chapter' then 0 end);
  return jsonb_build_object('path', private.image_path(
    begin_image_upload.podcast_id, spec.name, episode_id, gen_random_uuid(), begin_image_upload.content_type));
end $$;
comment on function public.begin_image_upload is
  'PUT /api/media/upload: the checks, with the received bytes and what they contain ({type, width, '
  'height}, null if not an image). 400 type, size, dimensions or ratio, 403, 404, 409 allowance.';
grant execute on function public.begin_image_upload to authenticated;
