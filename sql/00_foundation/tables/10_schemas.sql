-- The platform's extensions, and a schema that PostgREST does not expose.
create extension if not exists pgmq;
create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists btree_gist with schema extensions;
create extension if not exists unaccent with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;

create schema private;
comment on schema private is
  'Helpers, trigger functions, side tables and the worker''s functions. PostgREST does not expose it.';
-- USAGE alone allows nothing: EXECUTE is granted per function, and tables are never granted.
revoke all on schema private from public;
grant usage on schema private to anon, authenticated, service_role;

-- Revokes what the platform grants by default, so that clients reach only what sql/ grants. private.install() repeats
-- it: schema diffs omit default privileges, and functions created before them are executable by PUBLIC.
create function private.revoke_default_privileges() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  function_name regprocedure;
begin
  alter default privileges for role postgres revoke execute on functions from public;
  alter default privileges for role postgres in schema public
    revoke all on tables from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public
    revoke all on sequences from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public
    revoke all on functions from anon, authenticated, service_role;

  for function_name in
    select p.oid::regprocedure
    from pg_catalog.pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      and exists (
        select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0
      )
      and not exists (select from pg_catalog.pg_depend d
        where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop
    execute format('revoke all on function %s from public', function_name);
  end loop;
end $$;
comment on function private.revoke_default_privileges is
  'Revokes the platform''s default privileges, and EXECUTE of PUBLIC on every function of public and private.';
select private.revoke_default_privileges();
