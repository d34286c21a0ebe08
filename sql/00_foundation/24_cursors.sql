-- Cursors of keyset-paginated lists, newest first: opaque to clients, they encode the last row of a page.
create function private.encode_cursor(at timestamptz, id uuid) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return rtrim(
    translate(encode(convert_to(extract(epoch from at)::text || ' ' || id, 'UTF8'), 'base64'), E'+/\n', '-_'), '=');
end $$;
comment on function private.encode_cursor is 'Encodes the time and id of the last row of a page.';

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
  raise sqlstate 'PT400' using message = 'Invalid cursor';
end $$;
comment on function private.decode_cursor is
  'Decodes a cursor: the next page has the rows with (time, id) below it. Null starts at the newest row. PT400 if '
  'invalid.';
