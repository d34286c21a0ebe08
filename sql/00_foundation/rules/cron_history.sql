-- pg_cron records every run and never deletes one.
create function private.purge_cron_history(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  purged int;
begin
  delete from cron.job_run_details d where d.end_time < at - interval '3 days';
  get diagnostics purged = row_count;
  return purged;
end $$;
comment on function private.purge_cron_history is
  'Deletes records of cron runs that ended more than three days ago. Cron calls it daily. Returns how many.';
