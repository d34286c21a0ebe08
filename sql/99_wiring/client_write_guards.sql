-- The triggers of private.guard_client_write, on each table and for each verb that grants let clients write.
create function private.guard_client_writes() returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  writable record;
begin
  for writable in
    select c.oid, c.relname as name, sum(v.bit) as bits, string_agg(v.verb, ' or ' order by v.bit) as verbs
    from pg_catalog.pg_class c cross join (values ('insert', 4), ('delete', 8), ('update', 16)) v (verb, bit)
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and exists (
      select from unnest(array['anon', 'authenticated']) r (role)
      where case v.verb when 'delete' then has_table_privilege(r.role, c.oid, v.verb)
        else has_any_column_privilege(r.role, c.oid, v.verb) end)
    group by c.oid
  loop
    continue when exists (  -- no lock on a table that has them
      select from pg_catalog.pg_trigger t
      where t.tgrelid = writable.oid and t.tgname = 't000_guard_client_rows' and t.tgtype & 28 = writable.bits);
    execute format($trigger$
      create or replace trigger t000_guard_client_statement before %1$s on public.%2$I
        for each statement when (current_user in ('anon', 'authenticated'))
        execute function private.guard_client_write();
      create or replace trigger t000_guard_client_rows before %1$s on public.%2$I
        for each row when (current_user in ('anon', 'authenticated'))
        execute function private.guard_client_write();
    $trigger$, writable.verbs, writable.name);
  end loop;
end $$;
comment on function private.guard_client_writes is
  'Part of private.install(): guards each table that clients write with private.guard_client_write.';
