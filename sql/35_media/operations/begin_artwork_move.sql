-- First step of moving temporary artwork to a podcast: the service copies it under the podcast and then releases the
-- source. The target path keeps the source's name, so that a repetition finds the copy of the first attempt.
create function private.temporary_artwork(source_path text) returns private.media_objects
language plpgsql stable security definer  -- clients may not read the ledger
set search_path = ''
as $$
declare
  source private.media_objects;
begin
  if source_path ~ '^imports/[0-9a-f-]{36}/[0-9a-f-]{36}\.(jpg|png|webp)$' is not true then
    raise sqlstate 'PT404' using message = 'Artwork not found';
  elsif not starts_with(source_path, format('imports/%s/', auth.uid())) then
    raise sqlstate 'PT403' using message = 'This artwork belongs to another user';
  end if;
  select * into source from private.media_objects m
  where m.path = source_path and m.usage = 'temporary' and m.account_id = auth.uid() and m.released_at is null;
  return source;
end $$;
comment on function private.temporary_artwork is
  'Returns live temporary artwork of the caller; null if it no longer exists. PT404 for a path that no import has, '
  'PT403 for another user''s artwork.';
grant execute on function private.temporary_artwork to authenticated;  -- returns the caller's own rows only

create function private.current_image_url(_podcast_id uuid, image_type text, _path text) returns text
language plpgsql stable security definer  -- clients may not read the ledger
set search_path = ''
as $$
begin
  perform private.require_role(_podcast_id, 'admin');
  return (
    select private.podcast_image_url(p, image_type)
    from public.podcasts p join private.media_objects m on m.target_id = p.id
    where p.id = _podcast_id and m.path = _path and m.released_at is null);
end $$;
comment on function private.current_image_url is
  'Returns the podcast''s image URL if this object is its current image, or null. Requires admin.';
grant execute on function private.current_image_url to authenticated;  -- checks the role itself

create function public.begin_artwork_move(source_path text, podcast_id uuid, image_type text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  spec   private.image_types;
  source private.media_objects;
  path   text;
  url    text;
begin
  perform private.require_user();
  spec := private.importable_image_spec(begin_artwork_move.image_type);
  perform private.require_image_target(begin_artwork_move.podcast_id, spec.name, null);
  source := private.temporary_artwork(begin_artwork_move.source_path);
  path := format('podcasts/%s/images/%s/%s', begin_artwork_move.podcast_id, spec.name,
    substring(begin_artwork_move.source_path from '[^/]+$'));
  if source.path is null then
    url := private.current_image_url(begin_artwork_move.podcast_id, spec.name, path);
    if url is not null then
      return jsonb_build_object('path', path, 'publicUrl', url, 'alreadyMoved', true);
    end if;
    raise sqlstate 'PT404' using message = 'Artwork not found';
  end if;
  perform private.validate_image(spec, source.content_type, source.bytes,
    jsonb_build_object('type', source.content_type, 'width', source.width, 'height', source.height), 0.05);
  return jsonb_build_object('path', path, 'contentType', source.content_type, 'alreadyMoved', false);
end $$;
comment on function public.begin_artwork_move is
  'POST /api/media/move-artwork, before the copy: {path, contentType, alreadyMoved}. 400 image type, or an image that '
  'does not meet it, 403, 404, 409.';
grant execute on function public.begin_artwork_move to authenticated;
