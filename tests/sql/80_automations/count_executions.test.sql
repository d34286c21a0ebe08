-- count_executions: the counts equal a recount after random changes, and end with the podcast.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto');
select tests.rule(r, split_part(r, ' ', 1), 'booking.confirmed') from unnest(array['show 1', 'show 2', 'other 1']) r;
create function pg_temp.one(variadic choices text[]) returns text language sql as $$
  select choices[1 + floor(random() * cardinality(choices))]
$$;
create function pg_temp.results() returns jsonb language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('action_id', n, 'action_type',
    pg_temp.one('send_email', 'send_webhook', 'update_field'), 'status',
    pg_temp.one('completed', 'failed', 'skipped', 'rate_limited', 'running'))), '[]')
  from generate_series(1, floor(random() * 4)::int) n
$$;

-- What the statistics keep: deleted executions, and without the results with which a retry begins
create temp table kept as select e.*, 0 as sign from automation_executions e;
create function pg_temp.change() returns void language plpgsql as $$
declare
  changed record;
begin
  case floor(random() * 7)
    when 0, 1 then
      insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, context_data, action_results,
        created_at)
      select r.podcast_id, r.id, r.name, pg_temp.one('booking.confirmed', 'episode.published')::automation_trigger,
        '{}', pg_temp.results(), now() - random() * interval '5 hours'
      from automation_rules r, generate_series(1, 3) where random() < 0.5;
    when 2, 3 then
      update automation_executions e set status = s.status, action_results = pg_temp.results()
        || case when e.retry_of_id is null then '[]' else e.action_results end,
        completed_at = case when s.status in ('completed', 'failed', 'canceled') then now() end, error_message = 'x'
      from (
        select o.id, pg_temp.one('running', 'completed', 'failed', 'canceled')::automation_execution_status as status
        from automation_executions o where o.status in ('pending', 'running') and random() < 0.3) s
      where s.id = e.id;
    when 4 then
      with retried as (
        insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, context_data, retry_of_id,
          action_results, created_at)
        select f.podcast_id, f.rule_id, f.rule_name, f.trigger_type, '{}', f.id, f.action_results, f.created_at
        from automation_executions f where f.status = 'failed' and random() < 0.3
          and not exists (select from automation_executions r where r.retry_of_id = f.id)
        returning *
      )
      insert into kept select r.*, -1 from retried r;
    when 5 then
      with deleted as (
        delete from automation_executions e where e.completed_at is not null and random() < 0.2 returning *
      )
      insert into kept select d.*, 1 from deleted d;
    else
      perform private.fold_automation_counts(1 + floor(random() * 20)::int);
  end case;
end $$;

create view pg_temp.counts (podcast_id, rule_id, pending, running, completed, failed, canceled) as
  select podcast_id, rule_id, sum(pending), sum(running), sum(completed), sum(failed), sum(canceled)
  from (
    select podcast_id, rule_id, pending, running, completed, failed, canceled from private.automation_execution_counts
    union all
    select podcast_id, rule_id, pending, running, completed, failed, canceled from private.automation_count_changes) c
  group by podcast_id, rule_id having sum(pending + running + completed + failed + canceled) > 0;
create view pg_temp.recount (podcast_id, rule_id, pending, running, completed, failed, canceled) as
  select podcast_id, rule_id, count(*) filter (where status = 'pending'), count(*) filter (where status = 'running'),
    count(*) filter (where status = 'completed'), count(*) filter (where status = 'failed'),
    count(*) filter (where status = 'canceled')
  from automation_executions group by podcast_id, rule_id;
create view pg_temp.statistics (podcast_id, hour, trigger_type, pending, running, completed,
  failed, canceled, emails, webhooks, updates) as
  select podcast_id, hour, trigger_type, sum(pending), sum(running), sum(completed), sum(failed), sum(canceled),
    sum(emails), sum(webhooks), sum(updates)
  from (
    select podcast_id, hour, trigger_type, pending, running, completed, failed, canceled, emails, webhooks, updates
    from private.automation_hourly_counts
    union all
    select podcast_id, hour, trigger_type, pending, running, completed, failed, canceled, emails, webhooks, updates
    from private.automation_count_changes where hour is not null) c
  group by podcast_id, hour, trigger_type;
create view pg_temp.restatistics (podcast_id, hour, trigger_type, pending, running, completed,
  failed, canceled, emails, webhooks, updates) as
  select podcast_id, date_trunc('hour', created_at, 'UTC'), trigger_type,
    sum((status = 'pending' and sign > 0)::int), sum((status = 'running' and sign > 0)::int),
    sum((status = 'completed' and sign > 0)::int), sum((status = 'failed' and sign > 0)::int),
    sum((status = 'canceled' and sign > 0)::int),
    sum(sign * (select count(*) from jsonb_array_elements(action_results) r
      where r ->> 'action_type' = 'send_email' and r ->> 'status' <> 'skipped')),
    sum(sign * (select count(*) from jsonb_array_elements(action_results) r
      where r ->> 'action_type' = 'send_webhook' and r ->> 'status' <> 'skipped')),
    sum(sign * (select count(*) from jsonb_array_elements(action_results) r
      where r ->> 'action_type' = 'update_field' and r ->> 'status' <> 'skipped'))
  from (
    select *, 1 as sign from automation_executions
    union all
    select * from kept) e
  group by 1, 2, 3;

select count(pg_temp.change()) from generate_series(1, 300);
select cmp_ok((select count(*) from automation_executions), '>', 0::bigint, 'the random changes leave executions');
select cmp_ok((select count(*) from kept where sign = 1), '>', 0::bigint, 'the random changes delete executions');
select cmp_ok((select count(*) from kept where sign = -1), '>', 0::bigint, 'the random changes retry executions');
select set_eq('select * from pg_temp.counts', 'select * from pg_temp.recount',
  'the counts of executions equal a recount after random changes');
select set_eq('select * from pg_temp.statistics', 'select * from pg_temp.restatistics',
  'the statistics equal a recount after random changes, with the executions that were deleted');
select private.fold_automation_counts() > 0;
select set_eq('select * from pg_temp.counts', 'select * from pg_temp.recount',
  'the counts of executions equal a recount after a fold of all changes');
select set_eq('select * from pg_temp.statistics', 'select * from pg_temp.restatistics',
  'the statistics equal a recount after a fold of all changes');
select is_empty($$ select from private.automation_execution_counts
    where least(pending, running, completed, failed, canceled) < 0 $$, 'no folded count of executions is negative');
select is_empty($$ select from private.automation_hourly_counts
    where least(pending, running, completed, failed, canceled, emails, webhooks, updates) < 0 $$,
  'no folded count of an hour is negative');

-- Deletion of a rule, and purges
delete from automation_rules where id = tests.id('show 1');
select set_eq('select * from pg_temp.counts', 'select * from pg_temp.recount',
  'the deletion of a rule moves its executions to the counts of deleted rules');
select private.fold_automation_counts() > 0;
select isnt_empty($$ select from private.automation_execution_counts where rule_id = tests.id('show 1') $$,
  'the counts of a deleted rule are zeros at first');
select private.purge_automations();
select is_empty($$ select from private.automation_execution_counts where rule_id = tests.id('show 1') $$,
  'purge_automations deletes the zeros of a deleted rule');
select private.purge_automations(date_trunc('hour', now(), 'UTC') + interval '366 days' - interval '4 hours 1 second');
select is((select min(hour) >= date_trunc('hour', now(), 'UTC') - interval '4 hours'
    from private.automation_hourly_counts), true, 'purge_automations deletes the statistics of 366 days ago');

-- Deletion of a podcast
insert into automation_executions (podcast_id, rule_name, trigger_type, context_data)
select tests.id(name), 'x', 'booking.confirmed', '{}' from unnest(array['show', 'other']) name;
delete from podcasts where id = tests.id('show');
select results_eq($$ select distinct c.podcast_id from (
    select podcast_id from private.automation_execution_counts
    union all
    select podcast_id from private.automation_hourly_counts) c $$, $$ values (tests.id('other')) $$,
  'the deletion of a podcast deletes its counts and keeps those of others');
select results_eq('select distinct podcast_id from private.automation_count_changes', $$ values (tests.id('other')) $$,
  'the deletion of a podcast deletes its changes and keeps those of others');

select * from tests.finish();
rollback;
