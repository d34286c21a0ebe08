-- list_automation_executions: callers, fields, filters and pages.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'),
  tests.podcast('other', 'otto'), tests.rule('greet', 'show', 'booking.confirmed'),
  tests.rule('thank', 'show', 'episode.published'), tests.rule('theirs', 'other', 'booking.confirmed');
create function pg_temp.execution(name text, rule text, status automation_execution_status, age interval) returns uuid
language sql as $$
  insert into automation_executions (id, podcast_id, rule_id, rule_name, trigger_type, occurrence_key, status,
    context_data, action_results, error_message, started_at, completed_at, next_attempt_at, created_at)
  select tests.remember(execution.name, gen_random_uuid()), r.podcast_id, r.id, r.name, r.trigger_type, execution.name,
    status, '{"tags": {}}', '[{"action_type": "send_email"}]',
    case when status in ('failed', 'canceled') then 'It failed' end,
    now() - age, case when status in ('completed', 'failed', 'canceled') then now() - age + interval '1 second' end,
    case when status = 'pending' then now() + interval '1 hour' end, now() - age
  from tests.rule_row(rule) r returning id
$$;
select pg_temp.execution('e1', 'greet', 'completed', '6 days'), pg_temp.execution('e2', 'greet', 'failed', '5 days'),
  pg_temp.execution('e3', 'thank', 'pending', '4 days'), pg_temp.execution('e4', 'thank', 'running', '3 days'),
  pg_temp.execution('e5', 'greet', 'canceled', '2 days'), pg_temp.execution('e6', 'thank', 'failed', '1 day'),
  pg_temp.execution('foreign', 'theirs', 'failed', '1 day');

select tests.access('list_automation_executions', $$ select public.list_automation_executions(tests.id('show')) $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola ada');
select is(tests.result_of('ola', $$ select public.list_automation_executions(gen_random_uuid()) $$), 'PT404',
  'list_automation_executions returns 404 for an unknown podcast');

create function pg_temp.response(arguments text default '') returns jsonb language sql as $$
  select tests.value_as('ada', format('select public.list_automation_executions(tests.id(''show'')%s)',
    arguments))::jsonb
$$;
select is(pg_temp.response(', "limit" => 1, "offset" => 3'), jsonb_build_object('total', 6, 'executions',
    jsonb_build_array(jsonb_build_object('id', tests.id('e3'), 'rule_id', tests.id('thank'),
      'podcast_id', tests.id('show'), 'trigger_type', 'episode.published', 'status', 'pending',
      'context_data', '{"tags": {}}'::jsonb, 'action_results', '[{"action_type": "send_email"}]'::jsonb,
      'error_message', null, 'retry_of_id', null, 'is_test', false,
      'started_at', private.format_timestamp(now() - interval '4 days'),
      'completed_at', null, 'next_attempt_at', private.format_timestamp(now() + interval '1 hour'),
      'outcome', null, 'outcome_reason', null, 'waits_for', null, 'held_until', null,
      'created_at', private.format_timestamp(now() - interval '4 days'),
      'automation_rules', '{"name": "thank"}'::jsonb))),
  'list_automation_executions returns {executions, total} with all fields of an execution');
create function pg_temp.list(arguments text) returns text language sql as $$
  select concat((select string_agg(i.name, ' ' order by n)
    from jsonb_array_elements(l -> 'executions') with ordinality e (t, n) join tests.ids i on i.id::text = t ->> 'id'),
    ' of ', l ->> 'total')
  from pg_temp.response(arguments) l
$$;
select is(pg_temp.list(arguments), listed, format('list_automation_executions(podcast%s) lists %s', arguments, listed))
from (values ('', 'e6 e5 e4 e3 e2 e1 of 6'), (', "limit" => 2', 'e6 e5 of 6'),
  (', "limit" => 4, "offset" => 4', 'e2 e1 of 6'), (', "limit" => 200, "offset" => 6', ' of 6'),
  (', status => ''failed''', 'e6 e2 of 2'), (', status => ''failed'', "limit" => 1, "offset" => 1', 'e2 of 2'),
  (', rule_id => tests.id(''greet'')', 'e5 e2 e1 of 3'),
  (', rule_id => tests.id(''greet''), status => ''failed''', 'e2 of 1'),
  (', rule_id => tests.id(''theirs'')', ' of 0'), (', rule_id => gen_random_uuid()', ' of 0'),
  (', null, null, 3, 1', 'e5 e4 e3 of 6')) v (arguments, listed);
select private.fold_automation_counts() > 0;
select is(pg_temp.list(arguments), listed, format('list_automation_executions(podcast%s) lists %s by folded counts',
  arguments, listed))
from (values ('', 'e6 e5 e4 e3 e2 e1 of 6'), (', status => ''pending''', 'e3 of 1'), (', status => ''running''',
  'e4 of 1'), (', status => ''completed''', 'e1 of 1'), (', status => ''canceled''', 'e5 of 1'),
  (', rule_id => tests.id(''greet'')', 'e5 e2 e1 of 3'),
  (', rule_id => tests.id(''greet''), status => ''failed''', 'e2 of 1')) v (arguments, listed);

-- Filters of the occurrence
update automation_executions e set context_data = jsonb_build_object('booking_id', b.id,
  'episode_id', tests.id(v.episode), 'tags', jsonb_build_object('guest_email', v.email))
from (values ('e1', 'show', 'greet', 'gus@test.example'), ('e2', 'show', 'thank', 'gus@test.example'),
  ('e3', null, 'thank', 'eve@test.example'), ('foreign', 'show', 'thank', 'gus@test.example'))
  v (name, booking, episode, email)
left join tests.ids b on b.name = v.booking
where e.id = tests.id(v.name);
select is(pg_temp.list(arguments), listed, format('list_automation_executions(podcast%s) lists %s', arguments, listed))
from (values (', booking_id => tests.id(''show'')', 'e2 e1 of 2'),
  (', booking_id => tests.id(''thank'')', ' of 0'),
  (', episode_id => tests.id(''thank'')', 'e3 e2 of 2'),
  (', episode_id => tests.id(''thank''), booking_id => tests.id(''show'')', 'e2 of 1'),
  (', episode_id => tests.id(''thank''), status => ''pending''', 'e3 of 1'),
  (', guest_email => '' Gus@Test.example ''', 'e2 e1 of 2'),
  (', guest_email => ''gus@test.example'', rule_id => tests.id(''thank'')', ' of 0'),
  (', guest_email => ''gus@test.example'', "limit" => 1', 'e2 of 2'),
  (', guest_email => ''''', ' of 0'),
  (', created_from => now() - interval ''3 days''', 'e6 e5 e4 of 3'),
  (', created_to => now() - interval ''3 days''', 'e3 e2 e1 of 3'),
  (', created_from => now() - interval ''5 days'', created_to => now() - interval ''1 day''', 'e5 e4 e3 e2 of 4'),
  (', created_from => now() - interval ''5 days'', rule_id => tests.id(''greet'')', 'e5 e2 of 2'),
  (', created_from => now() - interval ''5 days'', status => ''failed'', "limit" => 1', 'e6 of 2'),
  (', created_from => now() - interval ''5 days'', rule_id => tests.id(''greet''), status => ''failed''', 'e2 of 1'))
  v (arguments, listed);
select is(tests.value_as('ada', format($$ select tests.describe_error($q$
    select public.list_automation_executions(tests.id('show'), %s) $q$) $$, arguments)), 'PT400 / ' || message,
  format('list_automation_executions(podcast, %s) returns 400', arguments))
from (values ('"limit" => 0', 'limit must be at least 1'), ('"limit" => -1', 'limit must be at least 1'),
  ('"limit" => null', 'limit must be at least 1'), ('"offset" => -1', 'offset must be between 0 and 100000'),
  ('"offset" => 100001', 'offset must be between 0 and 100000'),
  ('"offset" => null', 'offset must be between 0 and 100000')) v (arguments, message);

-- Names of rules
update automation_rules set name = 'Renamed' where id = tests.id('greet');
delete from automation_rules where id = tests.id('thank');
create function pg_temp.names() returns text language sql as $$
  select string_agg(concat_ws(' ', e #>> '{automation_rules,name}', case when e ->> 'rule_id' is null
    then 'without rule' end), ', ' order by n) from jsonb_array_elements(pg_temp.response() -> 'executions')
    with ordinality v (e, n) $$;
select is(pg_temp.names(), 'thank without rule, Renamed, thank without rule, thank without rule, Renamed, Renamed',
  'list_automation_executions shows the present name of a rule, and the last one of a deleted rule');

-- Pages of a long history
insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, status, context_data, completed_at,
  created_at)
select tests.id('show'), tests.id('greet'), 'greet', 'booking.confirmed', 'completed', '{}', now(),
  now() - interval '10 days' - make_interval(secs => n % 7) from generate_series(1, 120) n;
select is(jsonb_array_length(pg_temp.response() -> 'executions'), 50, 'a page has 50 executions by default');
select is((select count(distinct e ->> 'id') from generate_series(0, 120, 40) o
  cross join lateral jsonb_array_elements(pg_temp.response(', "limit" => 40, "offset" => ' || o) -> 'executions') e),
  126::bigint, 'pages of executions that were created at the same time overlap nowhere');
select is(pg_temp.response(', "limit" => 1') ->> 'total', '126', 'total counts more than a page');

-- Indexes: 1,000 more executions of the podcast, among 11,000
insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, status, context_data, completed_at,
  created_at)
select r.podcast_id, r.id, r.name, 'booking.confirmed', 'completed', '{}', now(), now() - make_interval(secs => n)
from generate_series(1, 11000) n, tests.rule_row(case when n % 11 = 0 then 'greet' else 'theirs' end) r;
analyze automation_executions;
select is(jsonb_array_length(pg_temp.response(', "limit" => 2147483647') -> 'executions'), 200,
  'a page has at most 200 executions, also with a larger limit');
create function pg_temp.read_rows(arguments text) returns bigint language plpgsql as $$
declare
  before bigint := (select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables
    where relid = 'public.automation_executions'::regclass);
begin
  perform pg_temp.response(arguments);
  return (select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables
    where relid = 'public.automation_executions'::regclass) - before;
end $$;
-- A row of a page is read twice: through the index, whose pages are new, and in the table. Updates above left old
-- versions of four rows.
select cmp_ok(pg_temp.read_rows(arguments), '<=', max,
  format('list_automation_executions(podcast%s) reads at most %s rows', arguments, max))
from (values (', "limit" => 10', 24::bigint), (', status => ''failed''', 10),
  (format(', rule_id => %L', gen_random_uuid()), 0),
  (format(', booking_id => %L', tests.id('show')), 12), (format(', episode_id => %L', tests.id('thank')), 12),
  (', guest_email => ''gus@test.example''', 10),
  (', created_from => now() - interval ''12 hours'', status => ''failed''', 4),
  (format(', created_from => now() - interval ''1 minute'', rule_id => %L, "limit" => 1', tests.id('greet')), 20))
  v (arguments, max);

select * from tests.finish();
rollback;
