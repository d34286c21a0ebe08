-- Smaller copies of stored images, for pages, players and previews.

-- Each fits into a square, so that no ratio makes a large copy.
create function private.image_copy_forms() returns table (size int, content_type text)
language sql immutable parallel safe security invoker set search_path = ''
as $$ values (160, 'image/webp'), (640, 'image/webp'), (640, 'image/jpeg') $$;
comment on function private.image_copy_forms is
  'The copies of an image: the side in pixels of the square that holds each, and its type. An image that is smaller '
  'keeps its own size.';

create function private.image_copy_path(original_path text, size int, content_type text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  id    constant text := '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
  parts constant text[] := regexp_match(original_path,
    format('^podcasts/%1$s/(?:images/(?:cover|profile)|e/[^/]+/(?:images|chapters))/%1$s\.(?:jpg|png|webp)$', id));
begin
  return format('podcasts/%s/derived/%s/%s.%s', parts[1], parts[2], size, private.image_extension(content_type))
    where parts is not null;
end $$;
comment on function private.image_copy_path is
  'The path of a copy of an image; null if objects with the path of the original have none.';

create function private.max_edge_pixels() returns int
language sql immutable parallel safe security invoker set search_path = ''
return 9000000;
comment on function private.max_edge_pixels is
  'The pixels, 3000 × 3000, of an image that an edge function can decode within its CPU and memory.';

create function private.enqueue_image_copies(paths text[], at timestamptz default clock_timestamp()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  enqueued int;
begin
  select count(private.enqueue(
    case when m.width::bigint * m.height > private.max_edge_pixels()
      then 'large_images' else 'image_derivatives' end,
    jsonb_build_object('podcast_id', m.podcast_id, 'path', m.path, 'size', f.size, 'content_type', f.content_type),
    at => at)) into enqueued
  from private.media_objects m cross join private.image_copy_forms() f
  where m.path = any (paths) and private.takes_image_copies(m.usage) and m.released_at is null
    and not exists (
      select from private.media_copies c
      where c.path = private.image_copy_path(m.path, f.size, f.content_type));
  return enqueued;
end $$;
comment on function private.enqueue_image_copies is
  'Enqueues the missing copies of those of the objects that are live images, one message per copy. Returns how many.';

-- After: the lowest place that uploads, moved artwork, imports and the pictures of a file's chapters have in common.
create function private.copy_inserted_images() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  perform private.enqueue_image_copies(array(
    select n.path from new_rows n where private.takes_image_copies(n.usage)));
  return null;
end $$;
create trigger t900_copy_images after insert on private.media_objects
  referencing new table as new_rows for each statement execute function private.copy_inserted_images();

create function private.image_copies_json(_original_path text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('url', (select private.get_setting('media_url')) || '/' || c.path,
      'type', c.content_type, 'width', c.width, 'height', c.height) order by c.width, c.content_type desc)
    from private.media_copies c where c.original_path = _original_path), '[]');
end $$;
comment on function private.image_copies_json is
  'Returns [{url, type, width, height}], by width and WebP before JPEG, of the copies of an image; empty until they '
  'are made.';

create function private.image_copies(_target_id uuid, _usage text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.image_copies_json((
    select m.path from private.media_objects m
    where m.target_id = _target_id and m.usage = _usage and m.released_at is null));
end $$;
comment on function private.image_copies is
  'Returns the smaller copies, as image_copies_json does, of the stored image that a column references.';

create function private.image_url_copies(_url text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.image_copies_json(private.own_object_path(_url));
end $$;
comment on function private.image_url_copies is
  'Returns the smaller copies, as image_copies_json does, of the portrait or chapter''s image at a URL of ours; none '
  'of every other URL.';
