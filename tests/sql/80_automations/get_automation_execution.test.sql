-- get_automation_execution: callers and fields.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'),
  tests.podcast('other', 'otto'), tests.person('stranger'), tests.episode('pilot', 'show');
select tests.rule('update', 'show', 'booking.confirmed', jsonb_build_array(
  tests.update_action('title', to_jsonb(repeat('x', 256)))));
select tests.open_link('open', 'show'), tests.booking_in('first', 'open', 50, 'confirmed');
select tests.remember('execution', (tests.execution('update')).id);

select tests.access('get_automation_execution', $$ select public.get_automation_execution(tests.id('execution')) $$,
  '42501: anon; PT403: stranger otto vic; 42501: service; ok 1: ola ada');
select is(tests.value_as('ada', $$ select tests.describe_error(
    'select public.get_automation_execution(gen_random_uuid())') $$), 'PT404 / Automation execution not found',
  'get_automation_execution returns 404 for an unknown execution');

create function pg_temp.response() returns jsonb language sql as $$
  select tests.value_as('ada', $q$ select public.get_automation_execution(tests.id('execution')) $q$)::jsonb
$$;
create function pg_temp.expected(fields jsonb) returns jsonb language sql as $$
  select jsonb_build_object('execution', jsonb_build_object('id', tests.id('execution'), 'rule_id', tests.id('update'),
    'podcast_id', tests.id('show'), 'trigger_type', 'booking.confirmed', 'status', 'pending',
    'context_data', private.automation_context(tests.id('show'), tests.id('first'), (tests.booking('first')).episode_id,
      now()), 'action_results', '[]'::jsonb, 'error_message', null, 'outcome', null, 'outcome_reason', null,
    'retry_of_id', null, 'is_test', false, 'started_at', null, 'completed_at', null, 'next_attempt_at', null,
    'waits_for', null,
    'held_until', null, 'created_at', private.format_timestamp(now())) || fields)
$$;
select is(pg_temp.response(), pg_temp.expected('{}'), 'get_automation_execution returns {execution}');
update bookings set episode_id = tests.id('pilot') where id = tests.id('first');
update automation_executions set context_data = jsonb_set(context_data, '{episode_id}', to_jsonb(tests.id('pilot')));
select tests.run_rule('update', at => now() + interval '1 minute');
select is((pg_temp.response() -> 'execution') - 'context_data', (pg_temp.expected(jsonb_build_object('status', 'failed',
    'error_message', 'The value was rejected: The title must have 1 to 255 characters',
    'action_results', jsonb_build_array(
      jsonb_build_object('action_id', tests.id('update/0'), 'action_type', 'update_field', 'status', 'failed',
        'result', '{"error": "The value was rejected: The title must have 1 to 255 characters"}'::jsonb)),
    'started_at', private.format_timestamp(now() + interval '1 minute'),
    'completed_at', private.format_timestamp(now() + interval '1 minute'))) -> 'execution') - 'context_data',
  'get_automation_execution returns results, error and times of an execution that ended');
delete from automation_rules where id = tests.id('update');
select is(pg_temp.response() #> '{execution,rule_id}', 'null', 'an execution stays readable without its rule');

select * from tests.finish();
rollback;
