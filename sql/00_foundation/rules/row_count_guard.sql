-- A limit of rows per parent. The trigger runs after the insert, so that a statement of many rows counts once. The lock
-- serializes the writers of a parent's rows, so that the second sees the rows of the first.
create function private.guard_row_count() returns trigger
language plpgsql security definer  -- the limit is about all rows
set search_path = ''
as $$
declare
  is_exceeded boolean;
  max_rows    int;
begin
  execute format('select pg_advisory_xact_lock(hashtextextended($1 || ''/'' || parent.id, 0))
    from (select distinct n.%I as id from new_rows n order by id) parent', tg_argv[0]) using tg_table_name;
  execute format('select exists (select from %1$I.%2$I r where r.%3$I in (select n.%3$I from new_rows n)
    group by r.%3$I having count(*) > %4$s)', tg_table_schema, tg_table_name, tg_argv[0], tg_argv[1])
    into is_exceeded;
  if is_exceeded then
    execute 'select ' || tg_argv[1] into max_rows;
    raise sqlstate 'PT409' using message = format(tg_argv[2], max_rows), hint = tg_argv[3];
  end if;
  return null;
end $$;
comment on function private.guard_row_count is
  'Trigger after an insert with the transition table new_rows. Arguments: the column that references the parent, the '
  'maximum number of rows or the call that returns it, the message with %s for that number, and the code of the PT409.';
