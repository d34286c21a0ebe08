-- Copies of an image, as the service: each is stored before the end of its job records it.
create function private.begin_image_copy(_path text, _size int, _content_type text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select c.path from private.media_objects m
    cross join lateral (select private.image_copy_path(m.path, _size, _content_type) as path) c
    where m.path = _path and m.released_at is null and m.copies_ended_at is null
      and not exists (select from private.media_copies stored where stored.path = c.path));
end $$;
grant execute on function private.begin_image_copy to service_role;
comment on function private.begin_image_copy is
  'The path at which to store a copy of an image; null if the copy is stored, the image is no longer in use, or it '
  'cannot be decoded.';

-- Locks the original, so that it is not deleted meanwhile, and of two last copies one sees the other.
create function private.finish_image_copy(
  _path text, _copy_path text, _content_type text, _width int, _height int, at timestamptz default now())
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from private.media_objects m where m.path = _path for no key update;
  if not found then
    return false;
  end if;
  insert into private.media_copies (path, original_path, content_type, width, height)
  values (_copy_path, _path, _content_type, _width, _height)
  on conflict on constraint media_copies_pkey do nothing;
  update private.media_objects m set copies_ended_at = at
  where m.path = _path and m.copies_ended_at is null
    and (select count(*) from private.media_copies c where c.original_path = _path)
      = (select count(*) from private.image_copy_forms());
  return true;
end $$;
grant execute on function private.finish_image_copy to service_role;
comment on function private.finish_image_copy is
  'Records a stored copy of an image. False if the image was deleted meanwhile; the caller then deletes the copy. Safe '
  'to repeat.';

create function private.reject_image_copies(_path text, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.media_objects m set copies_ended_at = at where m.path = _path and m.copies_ended_at is null;
end $$;
grant execute on function private.reject_image_copies to service_role;
comment on function private.reject_image_copies is
  'Records that an image cannot be decoded, so that enqueue_missing_image_copies leaves it out.';
