-- get_automation_stats: callers, exact counts, the days, and its index.
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
  pg_temp.add(1, 'running', '4 days', 'time.before_recording', 'send_webhook running'),
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

-- The boundary of the days
delete from automation_executions;
select pg_temp.add(1, 'completed', age) from unnest(array[interval '1 day', '1 day' - interval '1 microsecond',
  '1 day' + interval '1 microsecond']) age;
select is(pg_temp.stats(1) ->> 'total', '1', 'a day begins exactly 24 hours ago');
select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', tests.id('ola'))::text,
  true);
select is(private.get_automation_stats(tests.id('show'), 1, now() - interval '1 microsecond') #>> '{stats,total}', '2',
  'get_automation_stats counts the days before the given time');
select set_config('request.jwt.claims', '', true);

-- The index: one scan, of the podcast's executions
delete from automation_executions;
select pg_temp.add(300, 'completed', make_interval(days => n)) from generate_series(1, 10) n;
select pg_temp.add(3000, 'completed', make_interval(days => n), podcast => 'other') from generate_series(1, 10) n;
analyze automation_executions;
create function pg_temp.scans() returns bigint language sql as $$
  select pg_stat_get_xact_numscans('public.automation_executions_podcast_id_idx'::regclass)
$$;
create temp table before as select pg_temp.scans() as scans, s.seq_scan, s.seq_tup_read + s.idx_tup_fetch as rows
  from pg_stat_xact_user_tables s where s.relid = 'public.automation_executions'::regclass;
select is(pg_temp.stats(2) ->> 'total', '300', 'get_automation_stats counts among many executions');
select is(pg_temp.scans() - scans, 1::bigint, 'get_automation_stats scans automation_executions_podcast_id_idx once')
from before;
select is(s.seq_scan - before.seq_scan, 0::bigint, 'get_automation_stats does not scan the table')
from before, pg_stat_xact_user_tables s where s.relid = 'public.automation_executions'::regclass;
select cmp_ok(s.seq_tup_read + s.idx_tup_fetch - before.rows, '<=', 600::bigint,
  'get_automation_stats reads the executions of the days only')
from before, pg_stat_xact_user_tables s where s.relid = 'public.automation_executions'::regclass;

-- Retries
delete from automation_executions;
select pg_temp.add(2, 'failed', '1 hour', results => 'send_email completed, update_field failed');
update automation_executions set occurrence_id = tests.id('show');
select is(pg_temp.stats(1) -> 'by_action', '{"send_email": 1, "update_field": 1}',
  'get_automation_stats counts an action once if a retry has its result');

select * from tests.finish();
rollback;
