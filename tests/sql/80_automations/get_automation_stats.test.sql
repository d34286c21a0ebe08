-- get_automation_stats: callers, exact counts, the days, and what it reads.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('other', 'otto'), tests.person('stranger');
select tests.access('get_automation_stats', $$ select public.get_automation_stats(tests.id('show')) $$,
  '42501: anon; PT403: stranger otto vic; 42501: service; ok 1: ola ada');
select is(tests.result_of('ola', $$ select public.get_automation_stats(gen_random_uuid()) $$), 'PT404',
  'get_automation_stats returns 404 for an unknown podcast');
create function pg_temp.stats(days int default null) returns jsonb language sql as $$
  select tests.value_as('ada', format('select public.get_automation_stats(tests.id(''show'')%s)',
    ', ' || days))::jsonb -> 'stats'
$$;
select is(tests.value_as('ada', $$ select public.get_automation_stats(tests.id('show')) $$)::jsonb,
  '{"stats": {"total": 0, "completed": 0, "failed": 0, "pending": 0, "by_trigger": {}, "by_action": {}}}',
  'get_automation_stats of a podcast without executions has zeros');
select is(tests.value_as('ada', format($$ select tests.describe_error(
    'select public.get_automation_stats(tests.id(''show''), %s)') $$, days)),
  case when days in ('1', '365') then 'none' else 'PT400 / days must be between 1 and 365' end,
  format('get_automation_stats checks %s days', days))
from unnest(array['0', '-1', '1', '365', '366', 'null']) days;

-- Executions of a podcast; the results are '<action type> <status>, …'
create function pg_temp.add(n int, status text, age interval, trigger_type text default 'booking.confirmed',
  results text default '', podcast text default 'show') returns void language sql as $$
  insert into automation_executions (podcast_id, rule_name, trigger_type, status, context_data, error_message,
    completed_at, created_at, action_results)
  select tests.id(podcast), 'A deleted rule', trigger_type::automation_trigger, status::automation_execution_status,
    '{}', 'x', case when status not in ('pending', 'running') then now() end, now() - age, (
      select coalesce(jsonb_agg(jsonb_build_object('action_id', u.n, 'action_type', split_part(u.r, ' ', 1),
        'status', split_part(u.r, ' ', 2))), '[]')
      from string_to_table(nullif(results, ''), ', ') with ordinality u (r, n))
  from generate_series(1, n)
$$;
select pg_temp.add(5, 'completed', '1 hour', results => 'send_email completed, send_webhook completed'),
  pg_temp.add(3, 'failed', '2 days', 'episode.published', 'update_field failed, send_email skipped'),
  pg_temp.add(2, 'pending', '3 days', 'episode.published', 'send_email rate_limited'),
  pg_temp.add(1, 'running', '4 days 2 hours', 'time.before_recording', 'send_webhook running'),
  pg_temp.add(4, 'canceled', '5 days', 'time.before_recording'),
  pg_temp.add(7, 'completed', '29 days', 'time.before_recording', 'send_email completed, send_email completed'),
  pg_temp.add(9, 'completed', '40 days', results => 'send_email completed'),
  pg_temp.add(50, 'completed', '1 hour', results => 'send_email completed', podcast => 'other');
select is(pg_temp.stats(), '{"total": 22, "completed": 12, "failed": 3, "pending": 3,
  "by_trigger": {"booking.confirmed": 5, "episode.published": 5, "time.before_recording": 12},
  "by_action": {"send_email": 21, "send_webhook": 6, "update_field": 3}}',
  'get_automation_stats counts statuses, triggers and actions of the last 30 days, without skipped actions');
select is(pg_temp.stats(4), '{"total": 10, "completed": 5, "failed": 3, "pending": 2,
  "by_trigger": {"booking.confirmed": 5, "episode.published": 5},
  "by_action": {"send_email": 7, "send_webhook": 5, "update_field": 3}}', 'get_automation_stats counts the given days');
select is(pg_temp.stats(365) ->> 'total', '31', 'get_automation_stats counts up to a year');
create temp table before_folds as select pg_temp.stats() as stats;
select is(private.fold_automation_counts(3), 3::bigint, 'fold_automation_counts folds at most so many changes');
select is(pg_temp.stats(), stats, 'get_automation_stats counts changes of which some are folded') from before_folds;
select is(private.fold_automation_counts(), 5::bigint,
  'fold_automation_counts returns the number of folded changes');
select is_empty('select from private.automation_count_changes', 'fold_automation_counts deletes the folded changes');
select is(pg_temp.stats(), stats, 'get_automation_stats counts folded changes') from before_folds;
select is(private.fold_automation_counts(), 0::bigint, 'fold_automation_counts may run again');
select pg_temp.add(1, 'completed', '1 hour');
select is(pg_temp.stats() ->> 'total', '23', 'get_automation_stats adds new changes to folded ones');
select private.fold_automation_counts();
select is(pg_temp.stats() ->> 'total', '23', 'fold_automation_counts adds to the counts of an hour');
delete from automation_executions;
select is(pg_temp.stats() ->> 'total', '23', 'get_automation_stats counts purged executions');

-- The boundary of the days
delete from private.automation_count_changes;
delete from private.automation_hourly_counts;
create function pg_temp.stats_at(at timestamptz, days int default 1) returns text language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', tests.id('ola'))::text,
    true);
  select private.get_automation_stats(tests.id('show'), days, at) #>> '{stats,total}'
$$;
create temp table clock as select date_trunc('hour', now(), 'UTC') - interval '1 day' as starts_at;
select pg_temp.add(1, 'completed', now() - (starts_at + after)) from clock,
  unnest(array[interval '0', '-1 microsecond', '59 minutes']) after;
select is(pg_temp.stats_at(now()), '2', 'get_automation_stats begins at the start of an hour');
select is(pg_temp.stats_at(starts_at + interval '1 day' - interval '1 microsecond'), '3',
  'get_automation_stats counts the days before the given time') from clock;
select is(pg_temp.stats_at(starts_at + interval '25 hours'), '0',
  'get_automation_stats ends the day of an execution an hour after 24 hours at the latest') from clock;
set local timezone = 'Asia/Kathmandu';
select pg_temp.add(1, 'completed', now() - (starts_at + interval '-1 microsecond')) from clock;
select is(pg_temp.stats_at(now()), '2', 'the time zone of a session changes no hour');
reset timezone;
select set_config('request.jwt.claims', '', true);

-- What it reads
select pg_temp.add(300, 'completed', make_interval(days => n)) from generate_series(1, 10) n;
select private.fold_automation_counts() > 0;
create temp table before as select s.seq_tup_read + s.idx_tup_fetch as rows from pg_stat_xact_user_tables s
  where s.relid = 'public.automation_executions'::regclass;
select is(pg_temp.stats(5) ->> 'total', '1504', 'get_automation_stats counts among many executions');
select is(s.seq_tup_read + s.idx_tup_fetch, before.rows, 'get_automation_stats reads no executions')
from before, pg_stat_xact_user_tables s where s.relid = 'public.automation_executions'::regclass;

-- Retries
delete from private.automation_count_changes;
delete from private.automation_hourly_counts;
delete from automation_executions;
select pg_temp.add(1, 'failed', '1 hour', results => 'send_email completed, update_field failed');
insert into automation_executions (podcast_id, rule_name, trigger_type, context_data, retry_of_id, action_results)
select podcast_id, rule_name, trigger_type, '{}', id, jsonb_build_array(action_results -> 0) from automation_executions;
select is(pg_temp.stats(1) -> 'by_action', '{"send_email": 1, "update_field": 1}',
  'get_automation_stats counts an action once if a retry has its result');
update automation_executions set action_results = action_results || jsonb_build_object('action_id', 2, 'action_type',
  'update_field', 'status', 'completed') where retry_of_id is not null;
select is(pg_temp.stats(1) -> 'by_action', '{"send_email": 1, "update_field": 2}',
  'get_automation_stats counts the actions that a retry runs');

select * from tests.finish();
rollback;
