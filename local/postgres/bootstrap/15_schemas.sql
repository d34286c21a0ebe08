-- Schemas, their privileges, and default privileges. Later files create the services' tables.
create schema extensions authorization postgres;
create schema auth;
create schema storage;
create schema realtime;
create schema vault;

grant all on schema public to postgres;
grant usage on schema public to anon, authenticated, service_role;
grant usage on schema extensions to anon, authenticated, service_role;
grant all on schema extensions to dashboard_user;
grant usage on schema auth, storage, realtime to postgres, anon, authenticated, service_role;
grant all on schema auth to supabase_auth_admin, dashboard_user;
grant all on schema storage to supabase_storage_admin, dashboard_user;
grant all on schema realtime to supabase_realtime_admin, dashboard_user;
grant usage on schema extensions, public to supabase_auth_admin, supabase_storage_admin;

-- The default privileges of auto_expose_new_tables = false
alter default privileges for role postgres in schema public
  grant truncate, references, trigger, maintain on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant update on sequences to anon, authenticated, service_role;
do $$
declare kind text;
begin
  foreach kind in array array['tables', 'functions', 'sequences'] loop
    execute format('alter default privileges for role postgres in schema public grant all on %s to postgres', kind);
    execute format('alter default privileges for role supabase_admin in schema public
      grant all on %s to postgres, anon, authenticated, service_role', kind);
  end loop;
end $$;

create extension pg_stat_statements with schema extensions;
create extension pgcrypto with schema extensions;
create extension "uuid-ossp" with schema extensions;
create extension supabase_vault with schema vault;

create publication supabase_realtime;
alter publication supabase_realtime owner to postgres;
