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

-- Nobody may call a function that nobody granted (the platform's default is PUBLIC). Repeated by private.install(),
-- because schema diffs do not carry default privileges.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;
