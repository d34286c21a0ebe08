-- Event triggers on schema changes, which only a superuser may create.

-- The owner of pgmq is postgres, as on the platform, not the superuser that installs it.
create function extensions.own_pgmq() returns event_trigger
language plpgsql security definer set search_path = ''
as $$
declare
  part record;
begin
  if not exists (
    select from pg_event_trigger_ddl_commands() c
    join pg_catalog.pg_extension e on e.oid = c.objid
    where e.extname = 'pgmq'
  ) then
    return;
  end if;
  execute 'alter schema pgmq owner to postgres';
  for part in
    select d.classid, d.objid, c.relkind, t.typtype, t.typrelid
    from pg_catalog.pg_depend d
    left join pg_catalog.pg_class c on c.oid = d.objid and d.classid = 'pg_catalog.pg_class'::regclass
    left join pg_catalog.pg_type t on t.oid = d.objid and d.classid = 'pg_catalog.pg_type'::regclass
    where d.refclassid = 'pg_catalog.pg_extension'::regclass and d.deptype = 'e'
      and d.refobjid = (select oid from pg_catalog.pg_extension where extname = 'pgmq')
  loop
    if part.relkind in ('r', 'p') then
      execute format('alter table %s owner to postgres', part.objid::regclass);
    elsif part.classid = 'pg_catalog.pg_proc'::regclass then
      execute format('alter function %s owner to postgres', part.objid::regprocedure);
    elsif part.typtype = 'c' and exists (
      select from pg_catalog.pg_class where oid = part.typrelid and relkind = 'c'
    ) then
      execute format('alter type %s owner to postgres', part.objid::regtype);
    end if;
  end loop;
end $$;
create event trigger own_pgmq on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.own_pgmq();

-- postgres may create policies and triggers on the services' tables, and change nothing else.
create function extensions.keep_services_schemas() returns event_trigger
language plpgsql set search_path = ''
as $$
declare
  changed record;
begin
  if current_user <> 'postgres' then
    return;
  end if;
  if tg_event = 'sql_drop' then
    select object_type, object_identity into changed
    from pg_event_trigger_dropped_objects()
    where schema_name in ('auth', 'storage', 'realtime') and original and object_type not in ('policy', 'trigger');
  else
    select object_type, object_identity into changed
    from pg_event_trigger_ddl_commands()
    where schema_name in ('auth', 'storage', 'realtime') and not in_extension
      and object_type not in ('policy', 'trigger');
  end if;
  if found then
    raise insufficient_privilege using
      message = format('must be owner of %s %s', changed.object_type, changed.object_identity);
  end if;
end $$;
create event trigger keep_services_schemas on ddl_command_end execute function extensions.keep_services_schemas();
create event trigger keep_services_objects on sql_drop execute function extensions.keep_services_schemas();

-- Reloads the schema cache of REST.
create function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql set search_path = ''
as $$
begin
  notify pgrst, 'reload schema';
end $$;
create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_ddl_watch();
