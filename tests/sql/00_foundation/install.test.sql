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

-- delete_obsolete_rows
create temp table known as select key, value from private.settings where key <> 'test_color';
create temp table limits as select * from private.plan_limits;
insert into private.settings (key, kind, default_value, description)
values ('free', 'count', '1', 'Named as a plan that an install function names');
insert into private.plan_limits values ('free', 'max_obsolete_things', 1);
select set_config('castbase.installed', '', true), private.delete_obsolete_rows();
select ok(exists (select from private.settings where key = 'free')
  and exists (select from private.plan_limits where name = 'max_obsolete_things'),
  'delete_obsolete_rows deletes nothing in a transaction that installs nothing');
update private.plan_limits set max_count = 7 where name = 'max_podcasts_per_hour';
update limits set max_count = 7 where name = 'max_podcasts_per_hour';
insert into public.plans (code, name, is_paid, storage_gb_per_account) values ('plus', 'Plus', true, 1);
select private.set_plan_limit('plus', 'max_podcasts_per_hour', 8);
insert into limits values ('plus', 'max_podcasts_per_hour', 8);
select private.note_installed('setting', 'test_color'), private.install();
select set_eq('select key, value from private.settings', 'select key, value from known',
  'install deletes the settings that it does not install, and keeps the values of the others');
select set_eq('select * from private.plan_limits', 'select * from limits',
  'install deletes the plan limits that it does not install, and keeps what operators set');

select * from tests.finish();
rollback;
