-- purge_automations: which executions and usage it deletes.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.rule('greet', 'show', 'booking.confirmed');
create function pg_temp.add(status text, age interval, n int default 1) returns void language sql as $$
  insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, status, context_data, error_message,
    completed_at, created_at)
  select tests.id('show'), tests.id('greet'), status, 'booking.confirmed', status::automation_execution_status, '{}',
    'x', case when status not in ('pending', 'running') then now() end, now() - age from generate_series(1, n)
$$;
select pg_temp.add(s::text, age) from unnest(enum_range(null::automation_execution_status)) s,
  unnest(array[interval '90 days', interval '90 days' - interval '1 microsecond']) age;
insert into private.automation_usage (podcast_id, action_type, used_at, units)
select tests.id('show'), 'send_email', now() - age, 1
from unnest(array[interval '0', '1 hour', interval '2 hours' - interval '1 microsecond', '2 hours', '3 hours']) age;

select is(private.purge_automations(), 3, 'purge_automations returns the number of executions that it deleted');
select results_eq(
  $$ select e.status::text, count(*) from automation_executions e group by e.status order by e.status $$,
  $$ values ('pending', 2::bigint), ('running', 2), ('completed', 1), ('failed', 1), ('canceled', 1) $$,
  'purge_automations deletes ended executions after 90 days, and none that waits');
select is((select count(*) from private.automation_usage), 3::bigint,
  'purge_automations deletes usage after two hours');
select is(private.purge_automations(), 0, 'a second run of purge_automations deletes nothing');
select is(private.purge_automations(now() + interval '1 microsecond'), 3,
  'purge_automations deletes what is due later');

select private.set_setting('automation_execution_retention_days', '7');
select pg_temp.add('completed', '7 days'), pg_temp.add('completed', '6 days');
select is(private.purge_automations(), 1, 'the setting automation_execution_retention_days changes the retention');

-- Retries, and batches
delete from automation_executions;
select pg_temp.add('failed', '8 days'), pg_temp.add('completed', '6 days');
update automation_executions r set retry_of_id = f.id from automation_executions f
where r.status = 'completed' and f.status = 'failed';
select private.purge_automations();
select results_eq($$ select e.status::text, e.retry_of_id from automation_executions e $$,
  $$ values ('completed', null::uuid) $$, 'purge_automations keeps the retry of an execution that it deletes');
select pg_temp.add('completed', '10 days', 5001);
select is(private.purge_automations(), 5000, 'purge_automations deletes at most 5,000 executions per run');
select is(private.purge_automations(), 1, 'purge_automations deletes the others with the next run');
select is((select count(*) from cron.job j where j.jobname = 'purge_automations' and j.schedule = '*/10 * * * *'
  and j.active), 1::bigint, 'cron calls purge_automations every ten minutes');

select * from tests.finish();
rollback;
