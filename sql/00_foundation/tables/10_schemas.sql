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

-- What is created from here on has only the grants that sql/ gives it. Older projects grant EXECUTE on new functions to
-- the API roles, and all grant it to PUBLIC. Each migration begins with the same statements, because schema diffs omit
-- them, and private.install() repeats them.
create function private.revoke_default_privileges() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  alter default privileges for role postgres revoke execute on functions from public;
  alter default privileges for role postgres in schema public
    revoke all on functions from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public
    revoke all on tables from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public
    revoke all on sequences from anon, authenticated, service_role;
end $$;
comment on function private.revoke_default_privileges is
  'Part of private.install(): revokes the platform''s default privileges for what postgres creates later.';
revoke all on function private.revoke_default_privileges from public;
select private.revoke_default_privileges();
