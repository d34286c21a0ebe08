-- What kinds of images there are, and what each may be (contract, Image type specification). Rows by private.install().
create table private.image_types (
  name       text primary key,
  formats    text[] not null,      -- MIME types
  max_bytes  int not null,
  min_width  int not null,         -- pixels
  min_height int not null,
  width      int not null,         -- recommended
  height     int not null,
  ratio      numeric not null,     -- width by height
  uploaded   boolean not null,     -- by presigned-url and upload
  imported   boolean not null,     -- by import-artwork and move-artwork
  constraint sizes_are_positive check (least(max_bytes, min_width, min_height, ratio) > 0),
  constraint recommended_is_allowed check (width >= min_width and height >= min_height)
);
comment on table private.image_types is 'The specification of each image type.';
alter table private.image_types enable row level security;
-- No policy, no grant.

create function private.image_type(name text) returns private.image_types
language plpgsql stable security definer  -- callers may not read the table
set search_path = ''
as $$
declare
  found_type private.image_types;
begin
  select * into found_type from private.image_types t where t.name = image_type.name;
  if not found then
    raise sqlstate 'PT400' using message = 'Invalid image type',
      detail = 'One of: ' || (select string_agg(t.name, ', ' order by t.name) from private.image_types t);
  end if;
  return found_type;
end $$;
comment on function private.image_type is 'The specification of an image type; PT400 when there is none of that name.';
grant execute on function private.image_type to authenticated;

create function private.image_extension(content_type text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case content_type when 'image/jpeg' then 'jpg' when 'image/png' then 'png' when 'image/webp' then 'webp' end;
end $$;
comment on function private.image_extension is 'The extension of an accepted image MIME type (contract, Audio and image formats); null for others.';
grant execute on function private.image_extension to authenticated;

create function private.require_image_format(type private.image_types, content_type text) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if require_image_format.content_type = any (type.formats) is not true then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = format('Accepted for %s: %s', type.name, array_to_string(type.formats, ', '));
  end if;
end $$;
comment on function private.require_image_format is 'PT400 unless images of this type may have this format.';
grant execute on function private.require_image_format to authenticated;

-- The contract's checks of an image, in its order and words. `image` is what the bytes are: {type, width, height}, or
-- null when they are no image that browsers show.
create function private.require_image(type private.image_types, content_type text, bytes bigint, image jsonb, tolerance numeric) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  width  bigint := (image ->> 'width')::bigint;
  height bigint := (image ->> 'height')::bigint;
begin
  perform private.require_image_format(type, require_image.content_type);
  if bytes > type.max_bytes then
    raise sqlstate 'PT400' using message = 'File too large', hint = 'FILE_TOO_LARGE',
      detail = jsonb_build_object('maxBytes', type.max_bytes)::text;
  end if;
  if coalesce(bytes, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  if image ->> 'type' is distinct from require_image.content_type then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = format('Declared as %s, but the bytes are %s', require_image.content_type,
        coalesce(image ->> 'type', 'no JPEG, PNG or WebP image'));
  end if;
  if (width >= type.min_width and height >= type.min_height) is not true then
    raise sqlstate 'PT400' using message = 'Image dimensions too small', hint = 'DIMENSIONS_TOO_SMALL',
      detail = format('%s x %s pixels; a %s needs at least %s x %s', width, height, type.name, type.min_width, type.min_height);
  end if;
  if abs(width - type.ratio * height) > tolerance * type.ratio * height then
    raise sqlstate 'PT400' using message = 'Invalid aspect ratio', hint = 'INVALID_ASPECT_RATIO',
      detail = format('%s x %s pixels; a %s needs a ratio of %s:1, give or take %s %%', width, height, type.name,
        trim_scale(type.ratio), trim_scale(tolerance * 100));
  end if;
end $$;
comment on function private.require_image is
  'PT400 unless an image fits its type: format, size, the bytes'' own format, minimum dimensions, aspect ratio within the tolerance (0.02 uploads, 0.05 imports).';
grant execute on function private.require_image to authenticated;
