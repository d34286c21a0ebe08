-- Retention: jobs delete what has become old.
create function private.delete_old_rows(
  table_name regclass, time_column text, until timestamptz, max_rows int default null, condition text default 'true')
returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  deleted int;
begin
  execute format('delete from %1$s d where d.ctid = any (array(
      select o.ctid from %1$s o where o.%2$I <= $1 and %3$s order by o.%2$I limit $2 for update skip locked))',
    table_name, time_column, condition) using until, max_rows;
  get diagnostics deleted = row_count;
  return deleted;
end $$;
comment on function private.delete_old_rows is
  'Deletes the rows of a table with a time of `until` or before, and a condition on the row o: the oldest first, at '
  'most max_rows (null: all), none that is locked. Returns how many.';
