-- The schema of the factories. `supabase test db` and tests/pgtap.ts run the files of this folder first; they may run
-- again.
create extension if not exists pgtap with schema extensions;
drop schema if exists tests cascade;
create schema tests;
grant usage on schema tests to anon, authenticated, service_role;
alter default privileges in schema tests grant execute on functions to anon, authenticated, service_role;

-- The functions of public and private, except those of extensions, with schema and body.
create view tests.functions as
  select p.*, n.nspname, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('public', 'private') and p.proname <> 'declared_grants'  -- its body names the others
    and not exists (select from pg_depend d
      where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

-- Begins a test file, in its transaction: an installation without any users, podcasts, objects and messages.
create function tests.start() returns void language plpgsql as $$
declare
  queue text;
begin
  perform no_plan();
  if exists (select from auth.users) then  -- a stack that is in use
    delete from public.podcasts;
    delete from private.podcast_tombstones;
    delete from auth.users;
    delete from private.media_objects;
    delete from private.rate_limits;
    delete from private.events;
    delete from public.notification_deliveries;  -- those to addresses
    delete from private.resend_events;
    delete from private.email_suppressions;
    delete from vault.secrets where name = 'worker_secret';
    perform set_config('storage.allow_delete_query', 'true', true);
    delete from storage.objects;
    perform set_config('storage.allow_delete_query', 'false', true);
    for queue in select meta.queue_name from pgmq.meta loop
      execute format('delete from pgmq.%I', 'q_' || queue);
      perform set_config('castbase.worker_woken_' || queue, '', true);  -- by these deletions
    end loop;
    delete from net.http_request_queue;
    delete from private.plan_limits;
    perform private.install_accounts(), private.install_podcasts(), private.install_lifecycle(),
      private.install_imports();
  end if;
  update private.settings set value = null;
  perform private.set_setting('public_url', 'https://casts.test'),
    private.set_setting('pages_url', '{public_api_url}');
end $$;

-- Ends a test file: the plan and the diagnostics of failed tests.
create function tests.finish() returns setof text language plpgsql as $$
begin
  perform set_config('role', 'postgres', true);
  return query select finish();
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the schema of the factories is created']);
