-- automation_executions: access by role, constraints, changes of status, and what deletions leave.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.person('eve'), tests.podcast('other', 'otto');
select tests.rule('greet', 'show', 'booking.confirmed'), tests.rule('thank', 'show', 'booking.confirmed');

-- An execution of a rule in a state, with the columns that the state requires
create function pg_temp.execution(name text, rule text, status text default 'pending', fields jsonb default '{}')
returns uuid language plpgsql as $$
declare
  created uuid;
begin
  insert into automation_executions (id, podcast_id, rule_id, rule_name, trigger_type, occurrence_key, occurrence_id,
    retry_of_id, status, context_data, action_results, error_message, completed_at, next_attempt_at, waits_for,
    held_until, test_action_id, created_at)
  select e.id, e.podcast_id, e.rule_id, e.rule_name, e.trigger_type, e.occurrence_key, e.occurrence_id, e.retry_of_id,
    e.status, e.context_data, e.action_results, e.error_message, e.completed_at, e.next_attempt_at, e.waits_for,
    e.held_until, e.test_action_id, e.created_at
  from jsonb_populate_record(null::automation_executions,
    jsonb_build_object('id', gen_random_uuid(), 'podcast_id', (tests.rule_row(rule)).podcast_id,
      'rule_id', tests.id(rule), 'rule_name', rule, 'trigger_type', 'booking.confirmed',
      'occurrence_key', execution.name, 'occurrence_id', gen_random_uuid(), 'status', execution.status,
      'context_data', '{}'::jsonb, 'action_results', '[]'::jsonb, 'created_at', now(),
      'error_message', case when execution.status in ('failed', 'canceled') then 'It failed' end,
      'completed_at', case when execution.status in ('completed', 'failed', 'canceled') then now() end) || fields) e
  returning id into created;
  return tests.remember(execution.name, created);
end $$;
select pg_temp.execution('first', 'greet');

-- Who
select tests.access('select from automation_executions', 'select from public.automation_executions',
  'ok 1: ola ada service; ok 0: mel otto eve; 42501: anon');

-- Constraints
create function pg_temp.violated_by(statement text) returns text language plpgsql as $$
declare
  name text;
begin
  execute statement;
  return 'none';
exception when others then
  get stacked diagnostics name = constraint_name;
  return name;
end $$;
select is(pg_temp.violated_by(format('select pg_temp.execution(%L, %L, %L, %L)', 'c' || n, rule, status, fields)),
  expected, format('an execution %s violates %s', what, expected))
from (values
  (1, 'greet', 'pending', '{"occurrence_key": "first"}', 'rule_runs_once_per_occurrence', 'of the same occurrence'),
  (2, 'thank', 'pending', '{"occurrence_key": "first"}', 'none', 'of the same occurrence and another rule'),
  (3, 'greet', 'pending', '{"occurrence_key": null}', 'none', 'without occurrence_key'),
  (4, 'greet', 'pending', '{"occurrence_key": null}', 'none', 'that is the second without occurrence_key'),
  (5, 'greet', 'pending', '{"completed_at": "2026-01-01T00:00Z"}', 'only_ended_has_completed_at',
    'that is pending and has completed_at'),
  (6, 'greet', 'running', '{"completed_at": "2026-01-01T00:00Z"}', 'only_ended_has_completed_at',
    'that is running and has completed_at'),
  (7, 'greet', 'completed', '{"completed_at": null}', 'only_ended_has_completed_at',
    'that is completed and has no completed_at'),
  (8, 'greet', 'failed', '{"completed_at": null}', 'only_ended_has_completed_at',
    'that failed and has no completed_at'),
  (9, 'greet', 'canceled', '{"completed_at": null}', 'only_ended_has_completed_at',
    'that was canceled and has no completed_at'),
  (10, 'greet', 'failed', '{"error_message": null}', 'failed_has_error_message', 'that failed without error_message'),
  (11, 'greet', 'canceled', '{"error_message": null}', 'failed_has_error_message',
    'that was canceled without error_message'),
  (12, 'greet', 'pending', '{"next_attempt_at": "2026-01-01T00:00Z"}', 'none',
    'that is pending and has next_attempt_at'),
  (13, 'greet', 'running', '{"next_attempt_at": "2026-01-01T00:00Z"}', 'none',
    'that is running and has next_attempt_at'),
  (14, 'greet', 'completed', '{"next_attempt_at": "2026-01-01T00:00Z"}', 'only_open_has_next_attempt',
    'that is completed and has next_attempt_at'),
  (15, 'greet', 'pending', '{"action_results": {}}', 'action_results_are_an_array',
    'with an object as action_results'),
  (21, 'greet', 'running', '{"held_until": "2026-01-01T00:00Z"}', 'none', 'that is running and held'),
  (22, 'greet', 'completed', '{"held_until": "2026-01-01T00:00Z"}', 'only_open_is_held', 'that is completed and held'),
  (23, 'greet', 'pending', '{"waits_for": "send_email"}', 'none', 'that is pending and waits for a limit'),
  (24, 'greet', 'running', '{"waits_for": "send_email"}', 'none', 'that is running and waits for a limit'),
  (25, 'greet', 'failed', '{"waits_for": "send_email"}', 'only_open_waits', 'that failed and waits for a limit'))
  v (n, rule, status, fields, expected, what);
select is(pg_temp.violated_by(format('select pg_temp.execution(%L, %L, %L, %L)', 'r' || n, 'greet', 'pending',
  jsonb_build_object('retry_of_id', tests.id('first')))), expected, format('retry %s of an execution violates %s', n,
  expected))
from (values (1, 'none'), (2, 'automation_executions_retry_of_id_idx')) v (n, expected);

-- What a completed one did
create temp table done as
select * from (values
  ('of which an action completed', 'completed', '[{"status": "skipped", "result": {"reason": "First"}},
    {"status": "completed"}]'::jsonb, '{}'::jsonb, 'done'),
  ('whose actions were skipped', 'completed', '[{"status": "skipped", "result": {"reason": "First"}},
    {"status": "skipped", "result": {"reason": "Second"}}]', '{}', 'nothing_to_do: First'),
  ('with a long reason', 'completed', jsonb_build_array(jsonb_build_object('result', jsonb_build_object(
    'reason', repeat('x', 1001)))), '{}', 'nothing_to_do: ' || repeat('x', 1000)),
  ('without actions', 'completed', '[]', '{}', 'nothing_to_do: The rule has no actions'),
  ('that is a test of a deleted action', 'completed', '[]', jsonb_build_object('test_action_id', gen_random_uuid(),
    'context_data', '{"tested_by": null}'::jsonb), 'nothing_to_do: The action was deleted or changed'),
  ('that failed', 'failed', '[{"status": "completed"}]', '{}', ''),
  ('that runs', 'running', '[{"status": "completed"}]', '{}', '')) v (what, status, results, fields, outcome);
select pg_temp.execution(what, 'greet', status, jsonb_build_object('action_results', results) || fields) from done;
select is(concat_ws(': ', e.outcome, e.outcome_reason), d.outcome,
  format('the outcome of an execution %s is "%s"', what, left(d.outcome, 60)))
from done d join automation_executions e on e.id = tests.id(what);

-- Columns for filters
select pg_temp.execution('filtered', 'greet', fields => format(
  '{"context_data": {"booking_id": "%s", "episode_id": "%s", "tags": {"guest_email": "gus@test.example"}}}',
  tests.id('show'), tests.id('greet'))::jsonb);
select is((select (booking_id, episode_id, guest_email)::text from automation_executions
    where id = tests.id('filtered')), format('(%s,%s,gus@test.example)', tests.id('show'),
    tests.id('greet')), 'an execution has booking, episode and address of its context as columns');
select is((select (booking_id, episode_id, guest_email)::text from automation_executions where id = tests.id('first')),
  '(,,)', 'an execution without booking, episode and guest has empty columns');

-- Changes of status
create function pg_temp.change(from_status text, to_status text) returns text language plpgsql as $$
declare
  changed_id uuid := pg_temp.execution(from_status || ' to ' || to_status, 'greet', from_status);
  code       text;
begin
  update automation_executions e set status = to_status::automation_execution_status, completed_at = case
      when to_status in ('completed', 'failed', 'canceled') then now() end, error_message = 'A message'
  where e.id = changed_id;
  return 'ok';
exception when others then
  get stacked diagnostics code = pg_exception_hint;
  return concat_ws(' ', sqlstate, sqlerrm, code);
end $$;
select is(pg_temp.change(a::text, b::text), case when a in ('pending', 'running') then 'ok' else format(
    'PT409 An execution cannot change from %s to %s INVALID_STATUS_CHANGE', a, b) end,
  format('a %s execution %s become %s', a, case when a in ('pending', 'running') then 'can' else 'cannot' end, b))
from unnest(enum_range(null::automation_execution_status)) a, unnest(enum_range(null::automation_execution_status)) b
where a <> b;

-- Deletions
select tests.rule('gone', 'show', 'booking.confirmed');
select pg_temp.execution('gone ' || s, 'gone', s::text) from unnest(enum_range(null::automation_execution_status)) s;
update automation_executions set next_attempt_at = now() + interval '1 hour' where id = tests.id('gone pending');
select is(tests.result_of('ada', $$ delete from automation_rules where id = tests.id('gone') $$), 'ok 1',
  'admins may delete a rule that has executions');
select results_eq($$ select i.name, e.status::text, e.error_message, e.rule_name, e.rule_id, e.next_attempt_at,
    e.completed_at is not null
  from automation_executions e join tests.ids i on i.id = e.id where i.name like 'gone %' order by i.name $$,
  $$ values ('gone canceled', 'canceled', 'It failed', 'gone', null::uuid, null::timestamptz, true),
    ('gone completed', 'completed', null, 'gone', null, null, true),
    ('gone failed', 'failed', 'It failed', 'gone', null, null, true),
    ('gone pending', 'canceled', 'The rule was deleted', 'gone', null, null, true),
    ('gone running', 'canceled', 'The rule was deleted', 'gone', null, null, true) $$,
  'the deletion of a rule cancels the executions that have not ended, and keeps all with its name');

-- Disabled rules
select tests.rule('off', 'show', 'booking.confirmed');
select pg_temp.execution('off ' || s, 'off', s::text) from unnest(enum_range(null::automation_execution_status)) s;
update automation_executions set next_attempt_at = now() + interval '1 hour', waits_for = 'send_email'
where id = tests.id('off pending');
select is(tests.result_of('ada', $$ update automation_rules set is_enabled = false where id = tests.id('off') $$),
  'ok 1', 'admins may disable a rule that has executions');
create temp view off as
  select i.name, e.status::text, e.error_message, e.next_attempt_at, e.waits_for, e.completed_at is not null as ended
  from automation_executions e join tests.ids i on i.id = e.id where i.name like 'off %';
select results_eq('select * from off order by name', $$ values
    ('off canceled', 'canceled', 'It failed', null::timestamptz, null::automation_action_type, true),
    ('off completed', 'completed', null, null, null, true), ('off failed', 'failed', 'It failed', null, null, true),
    ('off pending', 'canceled', 'The rule was disabled', null, null, true),
    ('off running', 'canceled', 'The rule was disabled', null, null, true) $$,
  'disabling a rule cancels its executions that have not ended, at once');
select is((select count(*) from automation_executions where rule_id = tests.id('greet') and status = 'pending') > 0,
  true, 'disabling a rule cancels no execution of another rule');
select pg_temp.execution('off later', 'off');
update automation_rules set is_enabled = true where id = tests.id('off');
select is((select status from off where name = 'off later'), 'pending', 'enabling a rule cancels no execution');

-- Who learns of canceled executions
create temp view notices as
  select i.name as reader, n.title, n.link, n.group_key from notifications n join tests.ids i on i.id = n.user_id
  where n.type = 'automation.failed';
select results_eq($$ select reader, title, link from notices where group_key = 'automation:' || tests.id('off') $$,
  $$ select 'ola', 'An automation of show was canceled', format('/podcasts/%s/automations/%s', tests.id('show'), e.id)
    from automation_executions e where e.rule_id = tests.id('off') and e.error_message = 'The rule was disabled'
    order by e.created_at desc, e.id limit 1 $$,
  'a canceled execution notifies the admins, except the one who disabled the rule');
select results_eq($$ select reader from notices where group_key = 'automation:' || tests.id('gone') $$,
  $$ values ('ola') $$, 'a canceled execution notifies the admins, except the one who deleted the rule');
select is((select n.body from notifications n where n.group_key = 'automation:' || tests.id('gone')),
  '“gone” was canceled before it was done. Open it to see why, and to try again.',
  'the notification of a canceled execution names the rule');

-- Paused rules
select tests.rule('held', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
select pg_temp.execution('held ' || n, 'held') from generate_series(1, 2) n;
update automation_rules set is_paused = true where id = tests.id('held');
select private.run_automation_execution(tests.id('held 1'), now());
select tests.empty_queue('automation_runs');
create temp view held as
  select i.name, e.status::text, e.held_until, e.resumed_at, e.error_message
  from automation_executions e join tests.ids i on i.id = e.id where i.name like 'held %';
select is(tests.result_of('ada', $$ update automation_rules set is_paused = false where id = tests.id('held') $$),
  'ok 1', 'admins may resume a rule that has held executions');
select results_eq('select * from held order by name', $$ values
    ('held 1', 'pending', null::timestamptz, now(), null::text), ('held 2', 'pending', null, null, null) $$,
  'resuming a rule releases its held executions');
select results_eq($$ select q from tests.queued('automation_runs') q $$,
  $$ select jsonb_build_object('podcast_id', tests.id('show'), 'execution_id', tests.id('held 1')) $$,
  'resuming a rule enqueues its held executions');
update automation_rules set is_paused = true where id = tests.id('held');
select private.run_automation_execution(tests.id('held 1'), now());
update automation_rules set is_enabled = false where id = tests.id('held');
select is((select error_message from held where name = 'held 1'), 'The rule was disabled',
  'disabling a paused rule cancels its held executions');

delete from automation_executions where id = tests.id('first');
select is((select count(*) from automation_executions where id = tests.id('r1') and retry_of_id is null), 1::bigint,
  'the deletion of an execution keeps its retry');

select * from tests.finish();
rollback;
