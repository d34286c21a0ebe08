begin;
select tests.start();
update private.frequent_jobs set is_active = false;  -- those of the product

-- schedule_job
select private.schedule_job('test_daily', '1 2 * * *');
select private.schedule_job('test_daily', '3 4 * * *');
select results_eq($$ select schedule, command, active from cron.job where jobname = 'test_daily' $$,
  $$ values ('3 4 * * *', 'select private.test_daily()', true) $$, 'schedule_job changes the schedule of a job');
select cron.alter_job(jobid, active => false) from cron.job where jobname = 'test_daily';
select private.schedule_job('test_daily', '3 4 * * *');
select is((select active from cron.job where jobname = 'test_daily'), false,
  'schedule_job leaves a job inactive that an operator deactivated');

create table private.test_runs (job text, of_tick timestamptz);
create function private.test_good() returns void language sql as $$
  insert into private.test_runs values ('good', now()) $$;
create function private.test_bad() returns void language sql as $$
  insert into private.test_runs values ('bad', now()); select 1 / 0 $$;
select private.schedule_job('test_bad', '5 seconds');
select private.schedule_job('test_good', '15 seconds');
select private.schedule_job('test_good', '10 seconds');
select private.schedule_job('test_slow', '* * * * *');
select results_eq($$ select name, schedule from private.list_scheduled_jobs() where name like 'test%' order by name $$,
  $$ values ('test_bad', '5 seconds'), ('test_daily', '3 4 * * *'), ('test_good', '10 seconds'),
    ('test_slow', '* * * * *') $$, 'list_scheduled_jobs lists frequent jobs and those of pg_cron with their schedules');
select throws_ok($$ select private.schedule_job('test_hasty', '2 seconds') $$, '23514', null,
  'schedule_job rejects a job that is more frequent than the ticks');

-- due_jobs
select is(private.due_jobs('5 seconds'), '{test_bad,test_good}',
  'due_jobs lists the jobs of seconds, the most frequent of new ones first');
select is(private.due_jobs('1 minute'), '{test_slow}', 'due_jobs lists the jobs of minutes for their tick');
update private.frequent_jobs set last_run_at = '2027-01-01 00:00:00Z' where name like 'test%';
select results_eq($$ select t.at, private.due_jobs('5 seconds', t.at) from (values
    (timestamptz '2027-01-01 00:00:02Z'), ('2027-01-01 00:00:04.98Z'), ('2027-01-01 00:00:07.4Z'),
    ('2027-01-01 00:00:09.98Z'), ('2027-01-01 00:05:00Z')) t (at) $$,
  $$ values (timestamptz '2027-01-01 00:00:02Z', '{}'::text[]), ('2027-01-01 00:00:04.98Z', '{test_bad}'),
    ('2027-01-01 00:00:07.4Z', '{test_bad}'), ('2027-01-01 00:00:09.98Z', '{test_bad,test_good}'),
    ('2027-01-01 00:05:00Z', '{test_bad,test_good}') $$,
  'a job is due at the tick nearest to its time, so that a tick that comes early does not skip it');
update private.frequent_jobs set is_active = false where name = 'test_bad';
select is(private.due_jobs('5 seconds', '2027-02-01Z'), '{test_good}', 'a job that an operator stopped is never due');
select private.schedule_job('test_bad', '5 seconds');
select is(private.due_jobs('5 seconds', '2027-02-01Z'), '{test_good}', 'schedule_job leaves a frequent job stopped');
update private.frequent_jobs set is_active = true where name = 'test_bad';

update private.frequent_jobs set last_run_at = '2026-12-01Z' where name = 'test_good';
select is(private.due_jobs('5 seconds', '2027-02-01Z'), '{test_good,test_bad}',
  'due_jobs lists the job first whose last run is longest ago, so that one that is always canceled stops no other');

-- start_job, run_job and report_failed_jobs
select private.start_job(name, '2027-01-01 00:01:00Z'), private.run_job(name, '2027-01-01 00:01:00Z')
from unnest(array['test_good', 'test_bad']) name;
select results_eq($$ select name, last_run_at, last_error, failed_at from private.frequent_jobs
    where name in ('test_good', 'test_bad') order by name $$,
  $$ values ('test_bad', timestamptz '2027-01-01 00:01:00Z', 'division by zero', timestamptz '2027-01-01 00:01:00Z'),
    ('test_good', '2027-01-01 00:01:00Z', null, null) $$, 'run_job records the outcome of a job');
select is((select array_agg(job) from private.test_runs), '{good}', 'run_job undoes what a failed job did');
select throws_ok($$ select private.report_failed_jobs('2027-01-01 00:01:00Z') $$, 'PT500',
  'test_bad: division by zero', 'report_failed_jobs fails with the error of each job that has just failed');
select lives_ok($$ select private.report_failed_jobs('2027-01-01 00:02:00Z') $$,
  'report_failed_jobs ignores an earlier failure');
create or replace function private.test_bad() returns void language sql as $$ select $$;
select private.start_job('test_bad', '2027-01-01 00:01:05Z'), private.run_job('test_bad', '2027-01-01 00:01:05Z');
select row_eq($$ select last_error, failed_at from private.frequent_jobs where name = 'test_bad' $$,
  row(null::text, timestamptz '2027-01-01 00:01:00Z'),
  'run_job clears the error and keeps the time of the last failure');

-- schedule_frequent_jobs
select set_eq($$ select jobname, schedule from cron.job where command like '%run_job%' and active $$,
  $$ values ('run_jobs_of_seconds', '5 seconds'), ('run_jobs_of_minutes', '* * * * *') $$,
  'private.install() schedules one cron job for the jobs of seconds and one for those of minutes');
select cron.schedule('test_good', '5 5 * * *', 'select private.test_good()');
select private.schedule_job('test_good', '10 seconds');
select is((select count(*) from cron.job where jobname = 'test_good'), 0::bigint,
  'schedule_job takes a job from pg_cron that has become frequent');
select cron.schedule('operator', '5 5 * * *', 'select 1');
select private.install();
select is_empty($$ select from private.list_scheduled_jobs() where name like 'test%' $$,
  'private.install() deletes jobs that no domain schedules now');
select is((select count(*) from cron.job where jobname = 'operator'), 1::bigint,
  'private.install() keeps the cron jobs of an operator');

select * from tests.finish();
rollback;
