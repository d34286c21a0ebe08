-- Pages of lists. A cursor is opaque to clients; those of lists by time encode the last row of a page.
create function private.encode_cursor(at timestamptz, id uuid) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return rtrim(
    translate(encode(convert_to(extract(epoch from at)::text || ' ' || id, 'UTF8'), 'base64'), E'+/\n', '-_'), '=');
end $$;
comment on function private.encode_cursor is 'Encodes the time and id of the last row of a page.';

create function private.raise_invalid_cursor() returns void
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  raise sqlstate 'PT400' using message = 'Invalid cursor; pass the cursor of the previous page';
end $$;
comment on function private.raise_invalid_cursor is 'PT400: no page returned this cursor.';

create function private.decode_cursor(cursor text, out at timestamptz, out id uuid)
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  decoded text;
begin
  at := 'infinity';
  id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  if cursor is null then
    return;
  end if;
  decoded := convert_from(decode(translate(cursor, '-_', '+/') || repeat('=', -length(cursor) & 3), 'base64'), 'UTF8');
  at := to_timestamp(0) + split_part(decoded, ' ', 1)::numeric * interval '1 second';
  id := split_part(decoded, ' ', 2)::uuid;
exception when others then
  perform private.raise_invalid_cursor();
end $$;
comment on function private.decode_cursor is
  'Decodes a cursor: the next page has the rows with (time, id) below it. Null starts at the newest row. PT400 if '
  'invalid.';

create function private.require_page_size(page_size int, max_page_size int) returns void
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if page_size is null or page_size not between 1 and max_page_size then
    raise sqlstate 'PT400' using message = format('limit must be between 1 and %s', max_page_size);
  end if;
end $$;
comment on function private.require_page_size is 'PT400 unless limit, the rows of a page, is in its range.';
grant execute on function private.require_page_size to authenticated;  -- public functions run as their caller

create function private.pagination_json(last_cursor text, has_more boolean) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('nextCursor', case when has_more then last_cursor end, 'hasMore', has_more);
end $$;
comment on function private.pagination_json is
  'The pagination {nextCursor, hasMore} of a page, by the cursor of its last row.';
