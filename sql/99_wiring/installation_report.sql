-- What an operator has to know, as facts: npm run doctor, GET /api/health/report and GET /api/metrics judge and render
-- them. It reads catalogs, statistics and small tables, and of large ones what an index gives: it may run every minute.
create function private.report_jobs(at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  frequent constant jsonb := (
    select coalesce(jsonb_agg(jsonb_build_object('name', f.name, 'periodSeconds', extract(epoch from f.period)::int,
      'isActive', f.is_active, 'lastRunAt', private.format_timestamp(f.last_run_at), 'lastError', f.last_error,
      'failedAt', private.format_timestamp(f.failed_at)) order by f.name), '[]')
    from private.frequent_jobs f);
begin
  if to_regclass('cron.job') is null then
    return frequent;
  end if;
  return frequent || (
    select coalesce(jsonb_agg(jsonb_build_object('name', j.jobname, 'schedule', j.schedule, 'isActive', j.active,
      'lastRunAt', private.format_timestamp(r.last_run_at), 'lastError', r.last_error,
      'failedAt', private.format_timestamp(r.failed_at), 'failuresOfDay', coalesce(r.failures, 0)) order by j.jobname),
      '[]')
    from cron.job j
    left join lateral (
      select max(d.start_time) as last_run_at, max(d.start_time) filter (where d.status = 'failed') as failed_at,
        count(*) filter (where d.status = 'failed' and d.start_time > report_jobs.at - interval '1 day') as failures,
        (array_agg(case d.status when 'failed' then left(d.return_message, 500) end order by d.start_time desc))[1] as
          last_error
      from cron.job_run_details d where d.jobid = j.jobid
    ) r on true
    where j.command like '%private.%');
end $$;
comment on function private.report_jobs is
  'Scheduled jobs with their last run and failure, for get_installation_report: those of seconds and minutes with '
  'periodSeconds, the others with their schedule.';

create function private.report_deliveries(at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object(
    'open', (
      select coalesce(jsonb_agg(to_jsonb(o)), '[]')
      from (
        select d.channel, d.status, count(*) as count,
          extract(epoch from greatest(interval '0', at - min(d.due_at)))::int as "oldestDueSeconds"
        from public.notification_deliveries d where d.status in ('pending', 'queued') and d.due_at <= at
        group by 1, 2 order by 1, 2) o),
    'ofDay', (
      select coalesce(jsonb_agg(to_jsonb(r)), '[]')
      from (
        select d.channel, d.status, count(*) as count from public.notification_deliveries d
        where d.created_at > at - interval '1 day' group by 1, 2 order by 1, 2) r));
end $$;
comment on function private.report_deliveries is
  'Deliveries that are due, and those created within a day, by channel and status, for get_installation_report.';

create function private.report_database(at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object(
    'version', current_setting('server_version'),
    'sizeBytes', pg_database_size(current_database()),
    'startedAt', private.format_timestamp(pg_postmaster_start_time()),
    'maxConnections', current_setting('max_connections')::int,
    'connections', (
      select coalesce(jsonb_agg(to_jsonb(c)), '[]')
      from (
        select coalesce(a.usename::text, a.backend_type) as role, coalesce(nullif(a.application_name, ''), '-') as
          application, count(*) as count
        from pg_catalog.pg_stat_activity a where a.backend_type = 'client backend' group by 1, 2 order by 1, 2
        limit 50) c),
    'oldestTransactionSeconds', (
      select coalesce(extract(epoch from max(at - a.xact_start))::int, 0)
      from pg_catalog.pg_stat_activity a where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()),
    'waitingForLocks', (
      select count(*) from pg_catalog.pg_stat_activity a where a.wait_event_type = 'Lock'),
    'tables', (
      select coalesce(jsonb_agg(to_jsonb(t)), '[]')
      from (
        select format('%s.%s', s.schemaname, s.relname) as "table", pg_total_relation_size(s.relid) as bytes,
          s.n_live_tup as rows, s.n_dead_tup as "deadRows"
        from pg_catalog.pg_stat_user_tables s where s.schemaname in ('public', 'private', 'pgmq', 'cron', 'net')
        order by 2 desc limit 25) t));
end $$;
comment on function private.report_database is
  'The server, its connections and its 25 largest tables, for get_installation_report.';

create function private.report_wake_ups(at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if to_regclass('net._http_response') is null then
    return '{"accepted": 0, "refused": 0, "lastRefusal": "pg_net is missing"}';
  end if;
  return (
    select jsonb_build_object('accepted', count(*) filter (where r.status_code between 200 and 299),
      'refused', count(*) filter (where r.status_code not between 200 and 299 or r.error_msg is not null),
      'lastRefusal', (array_agg(concat_ws(' ', r.status_code, left(coalesce(r.error_msg, r.content), 200))
        order by r.created desc) filter (where r.status_code not between 200 and 299 or r.error_msg is not null))[1])
    from net._http_response r where r.created > at - interval '10 minutes');
end $$;
comment on function private.report_wake_ups is
  'Whether the worker accepted the requests of the last ten minutes that wake it, for get_installation_report.';

create function private.report_worker_secret(functions_digest text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  secret text;
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    select s.decrypted_secret into secret from vault.decrypted_secrets s where s.name = 'worker_secret';
  end if;
  return jsonb_build_object('hasSecret', secret is not null, 'isSecretEqual',
    case when functions_digest is not null then
      coalesce(encode(sha256(convert_to(secret, 'UTF8')), 'hex') = functions_digest, false) end);
end $$;
comment on function private.report_worker_secret is
  'Whether Vault has the secret of the worker, and whether it is the one of this digest (null: not asked), for '
  'get_installation_report.';

create function private.last_migration() returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  version text;
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select max(m.version) from supabase_migrations.schema_migrations m' into version;
  end if;
  return version;
end $$;
comment on function private.last_migration is
  'The newest migration that was pushed; null in a database without a record of them.';

create function private.get_installation_report(
  _worker_secret_digest text default null, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- the service has no grant on what it reads
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'timestamp', private.format_timestamp(at),
    'database', private.report_database(at),
    'migration', private.last_migration(),
    'missingObjects', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', o.kind, 'name', o.name) order by o.kind, o.name), '[]')
      from (select * from private.installed_objects except select * from private.list_platform_objects()) o),
    'grants', jsonb_build_object(
      'undeclared', (
        select coalesce(jsonb_agg(format('%s on %s to %s', g.privilege, g.name, g.grantee) order by g.name), '[]')
        from (
          select * from private.api_grants a where a.grantee is not null
            and (a.name like 'private.%' or a.name in (select d.name from private.declared_grants() d))
          except select * from private.declared_grants() limit 100) g),
      'missing', (
        select coalesce(jsonb_agg(format('%s on %s to %s', g.privilege, g.name, g.grantee) order by g.name), '[]')
        from (
          select * from private.declared_grants() d where d.grantee is not null
          except select * from private.api_grants limit 100) g)),
    'queues', private.list_queues(),
    'jobs', private.report_jobs(at),
    'wakeUps', private.report_wake_ups(at) || private.report_worker_secret(_worker_secret_digest),
    'settings', (
      select jsonb_object_agg(s.key, s.resolved_value)
      from private.settings s where s.kind in ('url', 'choice', 'email', 'host_patterns') or s.resolved_value is null),
    'deliveries', private.report_deliveries(at),
    'imports', (
      select coalesce(jsonb_object_agg(i.status, i.count), '{}')
      from (
        select i.status, count(*) as count from public.podcast_imports i
        where i.status in ('pending', 'running') or i.updated_at > at - interval '1 day' group by 1) i),
    'calendars', (
      select coalesce(jsonb_agg(to_jsonb(c)), '[]')
      from (
        select n.provider, count(*) as connections, count(*) filter (where n.status = 'failing') as failing,
          count(*) filter (where n.status = 'revoked') as revoked,
          count(*) filter (where n.status in ('active', 'failing') and r.access_expires_at < at - interval '1 day') as
            expired
        from public.calendar_connections n left join private.calendar_credentials r on r.connection_id = n.id
        group by 1 order by 1) c),
    'billing', jsonb_build_object(
      'offeredPrices', (select count(*) from public.plan_prices p where p.is_offered),
      'unknownPrices', (select count(*) from private.unknown_prices)),
    'stoppedSenders', (select count(*) from private.email_senders s where s.state = 'stopped'),
    'estimatedRows', (
      select jsonb_object_agg(c.relname, greatest(0, c.reltuples::bigint)) from pg_catalog.pg_class c
      where c.oid = any (array['public.profiles', 'public.podcasts', 'public.episodes']::regclass[])));
end $$;
grant execute on function private.get_installation_report to service_role;
comment on function private.get_installation_report is
  'GET /api/health/report and /api/metrics, npm run doctor: the state of the installation. {timestamp, database, '
  'migration, missingObjects, grants, queues, jobs, wakeUps, settings, deliveries, imports, calendars, billing, '
  'stoppedSenders, estimatedRows}. _worker_secret_digest, in hex, is compared with the secret in Vault.';
