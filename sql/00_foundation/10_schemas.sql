-- What the platform gives, and one schema of our own that PostgREST never exposes.
create extension if not exists pgmq;
create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;

create schema private;
comment on schema private is 'Everything that HTTP does not see: helpers, triggers, side tables, the worker''s functions.';
-- USAGE alone gives nothing: EXECUTE is granted function by function, tables never.
revoke all on schema private from public;
grant usage on schema private to anon, authenticated, service_role;

-- Takes back what the platform grants by default, so that clients reach only what sql/ grants. The migration tool does
-- not carry default privileges, and a function created before them is executable by PUBLIC: private.install() repeats
-- both.
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
      and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e')
  loop
    execute format('revoke all on function %s from public', function_name);
  end loop;
end $$;
comment on function private.revoke_default_privileges is
  'Revokes the platform''s default privileges, and EXECUTE of PUBLIC on every function of public and private.';
select private.revoke_default_privileges();
