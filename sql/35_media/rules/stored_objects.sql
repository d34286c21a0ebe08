-- Stored objects: reads storage's own rows, because the platform allows no trigger on them.
-- A bucket that keeps versions has several rows of a name: the current one has no archived_at, and marks a deleted
-- object with is_delete_marker. Older versions of storage lack these columns, so both names are unqualified: there
-- they mean the columns of `absent`, which exclude no row. Postgres resolves them again when the table changes.

-- A folder is a range of storage's index (bucket_id, name collate "C"), in which '0' is the character after '/', and
-- 1114111 is the last character.
create function private.stored_objects(_bucket text, _folder text default null)
returns table (name text, bytes bigint, created_at timestamptz)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
  select o.name, (o.metadata ->> 'size')::bigint, o.created_at
  from (values (null::timestamptz, false)) absent (archived_at, is_delete_marker)
  cross join lateral (
    select s.name, s.metadata, s.created_at from storage.objects s
    where s.bucket_id = _bucket and archived_at is null and not is_delete_marker
      and s.name collate "C" >= coalesce(_folder || '/', '')
      and s.name collate "C" < coalesce(_folder || '0', chr(1114111))) o
  order by o.name collate "C";
end $$;
comment on function private.stored_objects is
  'Returns the current objects of a bucket, or of a folder in it, in the order of their names. Bytes are as storage '
  'measured them.';

create function private.stored_size(_path text, _bucket text default 'media') returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select o.bytes
    from (values (null::timestamptz, false)) absent (archived_at, is_delete_marker)
    cross join lateral (
      select (s.metadata ->> 'size')::bigint as bytes from storage.objects s
      where s.bucket_id = _bucket and s.name collate "C" = _path
        and archived_at is null and not is_delete_marker) o);
end $$;
comment on function private.stored_size is
  'Returns the bytes of a stored object as storage measured them; null if there is no object.';
