-- Cursors of keyset-paginated lists, newest first: opaque to clients, the place after the last row that they have seen.
create function private.write_cursor(at timestamptz, id uuid) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select rtrim(translate(encode(convert_to(extract(epoch from $1)::text || ' ' || $2, 'UTF8'), 'base64'), E'+/\n', '-_'), '=')
$$;
comment on function private.write_cursor is 'The cursor of what comes after the row with this time and id.';

create function private.read_cursor(cursor text, out at timestamptz, out id uuid)
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
  raise sqlstate 'PT400' using message = 'cursor is not one that this API gave out';
end $$;
comment on function private.read_cursor is
  'The place that a cursor stands for: rows with (time, id) below it come next; without a cursor, all. PT400 when it is none.';
