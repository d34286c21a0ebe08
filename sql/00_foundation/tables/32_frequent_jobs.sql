-- Jobs of every few seconds and of every minute. Each run of pg_cron is a connection, and two lines in the log while
-- cron.log_statement is on. So one job of pg_cron starts those of seconds, and one those of minutes.
create table private.frequent_jobs (
  name        text primary key,                -- of its function in private
  period      interval not null,
  is_active   boolean not null default true,   -- operators can stop a job
  last_run_at timestamptz,
  last_error  text,                            -- of the last run; null if it succeeded
  failed_at   timestamptz,                     -- the last run that failed
  constraint period_is_up_to_a_minute check (period between interval '5 seconds' and interval '1 minute')
);
comment on table private.frequent_jobs is
  'Jobs of every few seconds and of every minute, which pg_cron starts together, with the outcome of their last run.';
alter table private.frequent_jobs enable row level security;  -- no policies: operators read it as postgres
