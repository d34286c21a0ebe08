-- The services own their tables and functions; the project may use them.
do $$
declare
  found record;
begin
  for found in
    select n.nspname as schema, format('alter table %I.%I owner to %I', n.nspname, c.relname, owner.name) as command
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (select format('supabase_%s_admin', n.nspname) as name) owner
    where n.nspname in ('auth', 'storage', 'realtime') and c.relkind in ('r', 'p', 'v')
    union all
    select n.nspname, format('alter routine %s owner to %I', p.oid::regprocedure, owner.name)
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    cross join lateral (select format('supabase_%s_admin', n.nspname) as name) owner
    where n.nspname in ('auth', 'storage', 'realtime')
    union all
    select n.nspname, format('alter type %s owner to %I', t.oid::regtype, owner.name)
    from pg_type t
    join pg_namespace n on n.oid = t.typnamespace
    cross join lateral (select format('supabase_%s_admin', n.nspname) as name) owner
    where n.nspname in ('auth', 'storage', 'realtime') and t.typtype = 'e'
  loop
    execute found.command;
  end loop;
end $$;

grant all on all tables in schema auth, storage, realtime to postgres, dashboard_user;
grant all on all sequences in schema auth, storage, realtime to postgres, dashboard_user;
grant all on all routines in schema auth, storage, realtime to postgres, dashboard_user;
grant all on all tables in schema storage to anon, authenticated, service_role;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
