-- Second step of an artwork import, after the fetch: checks the image and returns its path.
create function public.begin_artwork_import(
  content_type text, bytes bigint, image jsonb default null, image_type text default 'cover',
  podcast_id uuid default null
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  spec private.image_types;
begin
  perform private.require_user();
  spec := private.importable_image_spec(begin_artwork_import.image_type);
  if begin_artwork_import.podcast_id is not null then
    perform private.require_image_target(begin_artwork_import.podcast_id, spec.name, null);
  end if;
  perform private.validate_image(spec, begin_artwork_import.content_type, begin_artwork_import.bytes, image, 0.05);
  perform private.require_allowance(begin_artwork_import.podcast_id, null,
    case when begin_artwork_import.podcast_id is null then 'temporary' else spec.name end, begin_artwork_import.bytes);
  return jsonb_build_object('path', case when begin_artwork_import.podcast_id is null
    then format('imports/%s/%s.%s', auth.uid(), gen_random_uuid(),
      private.image_extension(begin_artwork_import.content_type))
    else private.image_path(begin_artwork_import.podcast_id, spec.name, null, gen_random_uuid(),
      begin_artwork_import.content_type) end);
end $$;
comment on function public.begin_artwork_import is
  'POST /api/media/import-artwork, after the fetch: checks the image (ratio within 5 %) and returns {path}. 400 type, '
  'size, dimensions or ratio, 403, 404, 409 allowance.';
grant execute on function public.begin_artwork_import to authenticated;
