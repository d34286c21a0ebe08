-- Scheduled jobs: a function of private without arguments each, called on time by pg_cron.
create function private.schedule_job(_name text, _schedule text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  frequent constant interval := case when _schedule = '* * * * *' then interval '1 minute'
    when _schedule ~ '^\d+ seconds$' then _schedule::interval end;
begin
  if frequent is null then
    perform private.schedule_statement(_name, _schedule, format('select private.%I()', _name));
    return;
  end if;
  perform private.note_installed('frequent_job', _name);
  perform cron.unschedule(j.jobid) from cron.job j where j.jobname = _name;
  insert into private.frequent_jobs as f (name, period) values (_name, frequent)
  on conflict (name) do update set period = excluded.period where f.period <> excluded.period;
end $$;
comment on function private.schedule_job is
  'Schedules the function of this name: `N seconds`, or a schedule of pg_cron. It keeps whether the job is active.';

create function private.schedule_statement(_name text, _schedule text, statement text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.note_installed('job', _name);
  perform cron.schedule(_name, _schedule, statement)
  where not exists (
    select from cron.job j where (j.jobname, j.schedule, j.command) = (_name, _schedule, statement));
end $$;
comment on function private.schedule_statement is 'Schedules a statement as the cron job of this name.';

create function private.list_scheduled_jobs() returns table (name text, schedule text, is_active boolean)
language plpgsql stable security invoker set search_path = ''  -- a view would depend on pg_cron, which can be dropped
as $$
begin
  return query
    select f.name, case when f.period = interval '1 minute' then '* * * * *'
        else extract(epoch from f.period)::int || ' seconds' end, f.is_active
    from private.frequent_jobs f
    union all
    select j.jobname, j.schedule, j.active from cron.job j where j.command = format('select private.%I()', j.jobname);
end $$;
comment on function private.list_scheduled_jobs is 'All scheduled jobs with their schedule, as pg_cron writes it.';

create function private.schedule_frequent_jobs() returns void
language plpgsql volatile security invoker set search_path = ''
as $schedule$
declare
  -- Commits: a job holds no lock while the others run, and one that is canceled has had its turn
  statement constant text := $do$do $$
declare
  started constant timestamptz := now();
  job     text;
begin
  foreach job in array private.due_jobs(%1$L, started) loop
    perform private.start_job(job, started);
    commit;
    perform private.run_job(job, started);
    commit;
  end loop;
  perform private.report_failed_jobs(started);
end $$$do$;
begin
  perform private.schedule_statement('run_jobs_of_seconds', '5 seconds', format(statement, '5 seconds'));
  perform private.schedule_statement('run_jobs_of_minutes', '* * * * *', format(statement, '1 minute'));
end $schedule$;
comment on function private.schedule_frequent_jobs is 'Schedules the two cron jobs that run private.frequent_jobs.';

create function private.due_jobs(_tick interval, at timestamptz default now()) returns text[]
language sql stable security invoker set search_path = ''
as $$
  select coalesce(array_agg(f.name order by f.last_run_at nulls first, f.period, f.name), '{}')
  from private.frequent_jobs f
  where f.is_active and (f.period < interval '1 minute') = (_tick < interval '1 minute')
    and (f.last_run_at is null or f.last_run_at + f.period <= at + _tick / 2);  -- ticks vary by milliseconds
$$;
comment on function private.due_jobs is
  'The jobs that the tick at `at` has to run, those first whose last run is longest ago. A job is due at the tick '
  'nearest to its time.';

create function private.start_job(_name text, at timestamptz default now()) returns void
language sql volatile security invoker set search_path = ''
as $$
  update private.frequent_jobs f set last_run_at = at where f.name = _name;
$$;
comment on function private.start_job is 'Notes that a frequent job has its turn at the tick `at`.';

create function private.run_job(_name text, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  failure text;
begin
  perform set_config('lock_timeout', '5s', true);  -- it is tried again at its next turn, and the others run
  begin
    execute format('select private.%I()', _name);
  exception when others then
    get stacked diagnostics failure = message_text;
    raise warning '% failed: %', _name, failure;
  end;
  update private.frequent_jobs f
  set last_error = failure, failed_at = case when failure is null then f.failed_at else at end
  where f.name = _name;
end $$;
comment on function private.run_job is 'Runs a frequent job. Its error, which is logged, leaves the other jobs alone.';

create function private.report_failed_jobs(at timestamptz default now()) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  failures constant text := (select string_agg(format('%s: %s', f.name, f.last_error), '; ' order by f.name)
    from private.frequent_jobs f where f.failed_at = at);
begin
  if failures is not null then
    raise sqlstate 'PT500' using message = failures;
  end if;
end $$;
comment on function private.report_failed_jobs is
  'Fails if a job has failed in the tick at `at`, so that pg_cron records its run as failed.';
