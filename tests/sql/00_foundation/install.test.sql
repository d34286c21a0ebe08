-- What private.install() and the functions of each rows.sql write
begin;
select tests.start();

-- install_setting
select private.install_setting('test_color', 'choice', 'red', 'A color', _choices => '{red,blue}');
select private.set_setting('test_color', 'blue');
select private.install_setting('test_color', 'choice', 'green', 'Another color', _can_be_empty => true,
  _choices => '{green,blue}');
select row_eq($$ select kind::text, can_be_empty, choices, value, default_value, description from private.settings
  where key = 'test_color' $$,
  row('choice'::text, true, '{green,blue}'::text[], 'blue'::text, 'green'::text, 'Another color'::text),
  'install_setting updates all of a setting but its value');
create temp table writes (operation text);
create function pg_temp.note_write() returns trigger language plpgsql as $$
begin insert into writes values (tg_op); return null; end $$;
create trigger t999_note after insert or update or delete on private.settings
  for each statement execute function pg_temp.note_write();
select private.install_setting('test_color', 'choice', 'green', 'Another color', _can_be_empty => true,
  _choices => '{green,blue}');
select is_empty('select from writes', 'install_setting does not write a setting that is as declared');

-- install_queue
select private.install_queue('test_queue', 3, '1 second', '1 minute', 'A test', _max_concurrency => 2);
update private.queues set is_paused = true where name = 'test_queue';
select private.install_queue('test_queue', 4, '2 seconds', '1 hour', 'Another test');
select row_eq($$ select max_attempts, backoff_base, backoff_max, max_concurrency, description, is_paused
  from private.queues where name = 'test_queue' $$,
  row(4, interval '2 seconds', interval '1 hour', null::int, 'Another test'::text, true),
  'install_queue updates all of a queue but whether it is paused');
select set_eq($$ select queue_name::text from pgmq.meta where queue_name like 'test\_%' $$,
  array['test_queue', 'test_queue_dlq'], 'install_queue creates the queue and its dead-letter queue');

-- schedule_job
select private.schedule_job('test_job', '1 2 * * *');
select private.schedule_job('test_job', '3 4 * * *');
select results_eq($$ select schedule, command, active from cron.job where jobname = 'test_job' $$,
  $$ values ('3 4 * * *', 'select private.test_job()', true) $$, 'schedule_job changes the schedule of a job');
select cron.alter_job(jobid, active => false) from cron.job where jobname = 'test_job';
select private.schedule_job('test_job', '3 4 * * *');
select is((select active from cron.job where jobname = 'test_job'), false,
  'schedule_job leaves a job inactive that an operator deactivated');

-- delete_obsolete_rows
insert into private.plan_limits values ('free', 'max_obsolete_things', 1);
create temp table known as select key from private.settings where key <> 'test_color';
create temp table limits as select * from private.plan_limits where name <> 'max_obsolete_things';
select private.delete_obsolete_rows();
select set_eq('select key from private.settings', 'select key from known',
  'delete_obsolete_rows deletes the settings that no domain installs');
select set_eq('select * from private.plan_limits', 'select * from limits',
  'delete_obsolete_rows deletes the plan limits that no domain installs');

select * from tests.finish();
rollback;
