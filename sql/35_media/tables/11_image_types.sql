-- Image types and their limits. private.install() writes the rows.
create table private.image_types (
  name               text primary key,
  formats            text[] not null,   -- MIME types
  max_bytes          int not null,
  min_width          int not null,      -- pixels
  min_height         int not null,
  recommended_width  int not null,
  recommended_height int not null,
  aspect_ratio       numeric,           -- width divided by height; null: any
  is_uploadable      boolean not null,  -- by presigned-url and upload
  is_importable      boolean not null,  -- by import-artwork and move-artwork
  constraint sizes_are_positive check (least(max_bytes, min_width, min_height, aspect_ratio) > 0),
  constraint recommended_size_meets_minimum
    check (recommended_width >= min_width and recommended_height >= min_height)
);
comment on table private.image_types is 'The limits of each image type.';
alter table private.image_types enable row level security;
-- No policy, no grant.

create function private.image_spec(_name text) returns private.image_types
language plpgsql stable security definer  -- clients may not read the table
set search_path = ''
as $$
declare
  found_type private.image_types;
begin
  select * into found_type from private.image_types t where t.name = _name;
  if not found then
    raise sqlstate 'PT400' using message = 'Invalid image type',
      detail = 'One of: ' || (select string_agg(t.name, ', ' order by t.name) from private.image_types t);
  end if;
  return found_type;
end $$;
comment on function private.image_spec is 'Returns the limits of an image type. PT400 for an unknown type.';
grant execute on function private.image_spec to authenticated;

create function private.uploadable_image_spec(_image_type text) returns private.image_types
language plpgsql stable security invoker set search_path = ''
as $$
declare
  spec private.image_types := private.image_spec(_image_type);
begin
  if not spec.is_uploadable then
    raise sqlstate 'PT400' using message = 'Invalid image type',
      detail = format('Images of type %s cannot be uploaded directly', spec.name);
  end if;
  return spec;
end $$;
comment on function private.uploadable_image_spec is
  'Returns the limits of an image type that clients upload. PT400 for other types.';
grant execute on function private.uploadable_image_spec to authenticated;

create function private.importable_image_spec(_image_type text) returns private.image_types
language plpgsql stable security invoker set search_path = ''
as $$
declare
  spec private.image_types := private.image_spec(_image_type);
begin
  if not spec.is_importable then
    raise sqlstate 'PT400' using message = 'Invalid image type',
      detail = format('Images of type %s cannot be imported', spec.name);
  end if;
  return spec;
end $$;
comment on function private.importable_image_spec is
  'Returns the limits of an image type that clients import. PT400 for other types.';
grant execute on function private.importable_image_spec to authenticated;

create function private.image_extension(content_type text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case content_type when 'image/jpeg' then 'jpg' when 'image/png' then 'png' when 'image/webp' then 'webp' end;
comment on function private.image_extension is
  'Returns the extension of an accepted image MIME type; null for others.';
grant execute on function private.image_extension to authenticated;

create function private.validate_image_format(spec private.image_types, _content_type text) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if _content_type = any (spec.formats) is not true then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = format('Accepted for %s: %s', spec.name, array_to_string(spec.formats, ', '));
  end if;
end $$;
comment on function private.validate_image_format is 'PT400 unless the image type accepts this format.';
grant execute on function private.validate_image_format to authenticated;

-- The checks of an image, in the order in which they are reported. `image` is what the bytes contain:
-- {type, width, height}, or null if they are not an image that browsers show.
create function private.validate_image(
  spec private.image_types, _content_type text, bytes bigint, image jsonb, aspect_tolerance numeric
) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  width  bigint := (image ->> 'width')::bigint;
  height bigint := (image ->> 'height')::bigint;
begin
  perform private.validate_image_format(spec, _content_type);
  if bytes > spec.max_bytes then
    raise sqlstate 'PT400' using message = 'File too large', hint = 'FILE_TOO_LARGE',
      detail = jsonb_build_object('maxBytes', spec.max_bytes)::text;
  end if;
  if coalesce(bytes, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  if image ->> 'type' is distinct from _content_type then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = format('Declared as %s, but the data is %s', _content_type,
        coalesce(image ->> 'type', 'not a JPEG, PNG or WebP image'));
  end if;
  if (width >= spec.min_width and height >= spec.min_height) is not true then
    raise sqlstate 'PT400' using message = 'Image dimensions too small', hint = 'DIMENSIONS_TOO_SMALL',
      detail = format('%s × %s pixels; images of type %s must be at least %s × %s',
        width, height, spec.name, spec.min_width, spec.min_height);
  end if;
  -- not for a type that takes any ratio
  if abs(width - spec.aspect_ratio * height) > aspect_tolerance * spec.aspect_ratio * height then
    raise sqlstate 'PT400' using message = 'Invalid aspect ratio', hint = 'INVALID_ASPECT_RATIO',
      detail = format('%s × %s pixels; images of type %s must have an aspect ratio of %s:1 (±%s%%)', width, height,
        spec.name, trim_scale(spec.aspect_ratio), trim_scale(aspect_tolerance * 100));
  end if;
end $$;
comment on function private.validate_image is
  'PT400 unless an image meets its type: format, size, actual format of the data, minimum dimensions, aspect ratio '
  'within the tolerance (0.02 for uploads, 0.05 for imports).';
grant execute on function private.validate_image to authenticated;

create function private.takes_image_copies(usage text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return $1 in ('cover', 'episode_cover', 'profile', 'chapter');
comment on function private.takes_image_copies is
  'Whether objects of this usage have copies. Artwork without a podcast gets them when it becomes an image.';
