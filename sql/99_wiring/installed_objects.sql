-- The objects outside our schemas that this installation had when private.install() ran. A restored backup, or a hand
-- in the dashboard, can lack some: nothing fails then, and nothing happens any longer.
create table private.installed_objects (
  kind text not null,
  name text not null,
  primary key (kind, name)
);
comment on table private.installed_objects is
  'What private.list_platform_objects() returned at the end of the last private.install().';
alter table private.installed_objects enable row level security;
-- No policy, no grant: the owner writes and reads it.

create function private.list_platform_objects() returns table (kind text, name text)
language plpgsql stable security invoker set search_path = ''  -- extensions can be missing
as $$
begin
  return query
    select 'extension', e.extname::text from pg_catalog.pg_extension e where e.extname <> 'plpgsql'
    union all
    select 'bucket', b.id from storage.buckets b
    union all
    select 'trigger', format('%s on %s', t.tgname, t.tgrelid::regclass)
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid
    join pg_catalog.pg_proc p on p.oid = t.tgfoid
    where p.pronamespace = 'private'::regnamespace and not t.tgisinternal and t.tgenabled <> 'D'
      and c.relnamespace::regnamespace::text in ('auth', 'pgmq', 'storage')
    union all
    select 'policy', format('%s on %s.%s', p.policyname, p.schemaname, p.tablename)
    from pg_catalog.pg_policies p where p.schemaname in ('storage', 'realtime')
    union all
    select 'publication', format('%s.%s in %s', t.schemaname, t.tablename, t.pubname)
    from pg_catalog.pg_publication_tables t where t.pubname = 'supabase_realtime' and t.schemaname = 'public'
    union all
    select 'frequent job', f.name from private.frequent_jobs f;
  if to_regclass('pgmq.meta') is not null then
    return query select 'queue', m.queue_name::text from pgmq.meta m;
  end if;
  if to_regclass('cron.job') is not null then
    return query select 'cron job', j.jobname::text from cron.job j
      where j.command like '%private.%' and j.jobname is not null;
  end if;
end $$;
comment on function private.list_platform_objects is
  'Extensions, queues, buckets, jobs, and what the product has on tables of other schemas: triggers that are not '
  'disabled, policies, and the realtime publication.';

create function private.record_installed_objects() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  delete from private.installed_objects i
  where not exists (select from private.list_platform_objects() p where (p.kind, p.name) = (i.kind, i.name));
  insert into private.installed_objects (kind, name)
  select p.kind, p.name from private.list_platform_objects() p on conflict do nothing;
end $$;
comment on function private.record_installed_objects is
  'Part of private.install(): records the platform objects that exist, for the installation report.';
