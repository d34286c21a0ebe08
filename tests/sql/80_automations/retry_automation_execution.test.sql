-- retry_automation_execution: callers, statuses, what the new execution keeps, replays, and the hourly limits.
begin;
select tests.start(), tests.release_webhooks_at_once();

select tests.team('show', 'ola', 'ada', 'vic'),
  tests.podcast('other', 'otto'), tests.person('stranger'), tests.open_link('open', 'show');
select tests.episode('pilot', 'show'), tests.template('welcome', 'show'),
  tests.booking_in('first', 'open', 50, 'confirmed', 'gus');
create function pg_temp.fire(rule text) returns uuid language plpgsql as $$
begin
  perform private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), tests.id('pilot'),
    gen_random_uuid()::text, clock_timestamp(), tests.id(rule));
  return (tests.execution(rule)).id;
end $$;
create function pg_temp.retry(execution text) returns text language sql as $$
  select tests.value_as('ada', format('select tests.describe_error(%L)',
    format('select public.retry_automation_execution(%L)', tests.id(execution))))
$$;

-- A rule whose second webhook is rejected
select tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('welcome'),
  tests.webhook_action('{"continue_on_error": true}'), tests.webhook_action(), tests.update_action('title', '"Done"')));
select tests.remember('failed', pg_temp.fire('rule'));
create function pg_temp.settle(execution text, action int, status text) returns text language sql as $$
  select tests.finish_webhook(tests.id(execution), jsonb_build_object(
    'action_id', tests.id('rule/' || action), 'status', status, 'result', jsonb_build_object('error', status)))
$$;
select tests.run_rule('rule'), pg_temp.settle('failed', 1, 'completed'), pg_temp.settle('failed', 2, 'failed');
select is((select string_agg(r, ', ') from tests.results_of('rule') r),
  'send_email completed, send_webhook completed, send_webhook failed, update_field skipped',
  'an execution fails after two actions that completed');

select tests.access('retry_automation_execution', $$ select public.retry_automation_execution(tests.id('failed')) $$,
  '42501: anon; PT403: stranger otto vic; 42501: service');
select is(tests.value_as('ada', $$ select tests.describe_error(
    'select public.retry_automation_execution(gen_random_uuid())') $$), 'PT404 / Automation execution not found',
  'retry_automation_execution returns 404 for an unknown execution');

-- What cannot be retried
select tests.remember(name, pg_temp.fire('rule'))
from unnest(array['pending', 'running', 'completed']) name;
update automation_executions e set status = v.name::automation_execution_status, error_message = 'x',
  completed_at = case when v.name = 'completed' then now() end
from unnest(array['running', 'completed']) v (name) where e.id = tests.id(v.name);
select tests.empty_queue('automation_runs');
select is(pg_temp.retry(status), format(
    'PT409 / Only a failed or canceled execution can be retried; this one is %s / EXECUTION_NOT_FAILED', status),
  format('retry_automation_execution returns 409 for a %s execution', status))
from unnest(array['pending', 'running', 'completed']) status;
create function pg_temp.retry_after(change text) returns text language plpgsql as $$
declare
  result text;
begin
  execute change;
  result := pg_temp.retry('failed');
  raise exception using message = result;
exception when raise_exception then
  return sqlerrm;
end $$;
select is(pg_temp.retry_after(change), expected, format('retry_automation_execution for %s returns %s', what, expected))
from (values
  ('update automation_rules set is_enabled = false',
    'PT409 / The rule was deleted, or is disabled or paused; enable it first / RULE_NOT_ACTIVE', 'a disabled rule'),
  ('update automation_rules set is_paused = true',
    'PT409 / The rule was deleted, or is disabled or paused; enable it first / RULE_NOT_ACTIVE', 'a paused rule'),
  ('delete from automation_rules',
    'PT409 / The rule was deleted, or is disabled or paused; enable it first / RULE_NOT_ACTIVE', 'a deleted rule'),
  ('select tests.set_status(''show'', ''pending_deletion'')',
    'PT409 / The podcast is scheduled for deletion / PODCAST_PENDING_DELETION', 'a podcast pending deletion'),
  ('update bookings set status = ''cancelled'', cancelled_by = ''host''',
    'PT409 / The booking was canceled, so the execution cannot be retried / OCCURRENCE_OVER', 'a canceled booking'))
  v (change, expected, what);
select is((select count(*) from automation_executions where retry_of_id is not null), 0::bigint,
  'a rejected retry writes no execution');

-- Limits
create function pg_temp.retry_at(used jsonb, execution text default 'failed') returns text language plpgsql as $$
begin
  delete from private.automation_usage;
  insert into private.automation_usage (podcast_id, action_type, used_at, units)
  select tests.id('show'), u.key::automation_action_type, now() - interval '20 minutes', u.value::int
  from jsonb_each_text(used) u;
  return pg_temp.retry(execution);
end $$;
create function pg_temp.limited(type text) returns text language sql as $$
  select format('PT429 / Rate limit exceeded for %s. Try again in 40 minutes. / RATE_LIMITED / '
    '{"rate_limit_reset_at": "%s"}', type, private.format_timestamp(now() + interval '40 minutes'))
$$;
select is(pg_temp.retry_at('{"send_webhook": 500}'), pg_temp.limited('send_webhook'),
  'retry_automation_execution returns 429 over the limit of the action that failed');
select is(pg_temp.retry_at('{"update_field": 200}'), pg_temp.limited('update_field'),
  'retry_automation_execution returns 429 over the limit of an action that was skipped');
select is(pg_temp.retry_at('{"update_field": 200, "send_webhook": 500}'), pg_temp.limited('send_webhook'),
  'retry_automation_execution names the limit of the first action');
select is((select count(*) from automation_executions where retry_of_id is not null)
  + (select count(*) from tests.queued('automation_runs')), 0::bigint,
  'a retry over the limit writes and enqueues nothing');
select is((select sum(units) from private.automation_usage), 700::bigint, 'a retry over the limit counts nothing');

-- The retry
update bookings set start_time = tests.slot(52), end_time = tests.slot(53);
select is(pg_temp.retry_at('{"send_email": 100, "send_webhook": 499, "update_field": 199}'), 'none',
  'retry_automation_execution ignores the limits of actions that completed');
select tests.remember('retry', (select id from automation_executions where retry_of_id is not null));
select is((select sum(units) from private.automation_usage), 798::bigint, 'retry_automation_execution counts nothing');
select results_eq($$ select r.status::text, r.retry_of_id, r.rule_id, r.rule_name, r.trigger_type, r.occurrence_key,
    r.occurrence_id, r.context_data, r.error_message, r.started_at, r.completed_at, r.created_at
  from automation_executions r where r.id = tests.id('retry') $$,
  $$ select 'pending', f.id, f.rule_id, f.rule_name, f.trigger_type, null,
    (select o.occurrence_id from automation_executions o where o.id = tests.id('retry')),
    private.current_automation_context(f.context_data, now()), null,
    null::timestamptz, null::timestamptz, now() from automation_executions f where f.id = tests.id('failed') $$,
  'a retry is a new pending execution with the facts of now');
select is((select count(distinct e.occurrence_id) from automation_executions e
  where e.id in (tests.id('failed'), tests.id('retry'))), 2::bigint, 'a retry is another occurrence');
select is((
  select e.context_data #>> '{tags,booking_start}' from automation_executions e where e.id = tests.id('retry')),
  private.format_timestamp(tests.slot(52)), 'a retry has the present time of a booking that was moved');
select is((select r.action_results from automation_executions r where r.id = tests.id('retry')),
  (select jsonb_build_array(f.action_results -> 0, f.action_results -> 1) from automation_executions f
    where f.id = tests.id('failed')), 'a retry keeps the results of the actions that completed');
select is((select status::text from automation_executions where id = tests.id('failed')), 'failed',
  'the execution that was retried stays failed');
select results_eq($$ select q from tests.queued('automation_runs') q $$,
  $$ select jsonb_build_object('podcast_id', tests.id('show'), 'execution_id', tests.id('retry')) $$,
  'retry_automation_execution enqueues the retry');
select is(pg_temp.retry('failed'), format('PT409 / The execution was retried before; retry the newer one if it failed '
    '/ EXECUTION_ALREADY_RETRIED / {"execution_id": "%s"}', tests.id('retry')),
  'retry_automation_execution retries an execution once');
select is(pg_temp.retry('retry'), 'PT409 / Only a failed or canceled execution can be retried; this one is pending / '
  'EXECUTION_NOT_FAILED', 'retry_automation_execution returns 409 for a retry that waits');

select is(private.run_automation_execution(tests.id('retry')), 'running', 'a retry sends the webhook that failed');
select is(private.begin_webhook(tests.id('retry'), tests.id('rule/1')), null,
  'a retry does not repeat a webhook that was sent');
select isnt(private.begin_webhook(tests.id('retry'), tests.id('rule/2')) ->> 'webhook_id',
  (select f.action_results #>> '{2,result,webhook_id}' from automation_executions f where f.id = tests.id('failed')),
  'a retry sends a webhook under an id of its own');
select is(pg_temp.settle('retry', 2, 'failed'), 'failed', 'a retry can fail');
select is((select count(*) from tests.automation_emails('gus@guests.example')), 1::bigint,
  'a retry does not repeat an email');
select is(pg_temp.retry_at('{}', 'retry'), 'none', 'a retry that failed can be retried');
select tests.remember('second', (select id from automation_executions where retry_of_id = tests.id('retry')));
select tests.value_as('ola', format('select public.update_automation_rule(%L, %L)', tests.id('rule'),
  jsonb_build_object('actions', jsonb_build_array(tests.update_action('title', '"As it is now"')))));
select is(private.run_automation_execution(tests.id('second')), 'completed', 'a retry runs the rule as it is now');
select is((select title from episodes where id = tests.id('pilot')), 'As it is now',
  'a retry runs the actions that the rule has now');

-- Canceled executions
select tests.rule('disabled', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  tests.update_action('title', '"Retried"')));
select tests.remember('canceled', pg_temp.fire('disabled'));
select tests.run_rule('disabled');
update automation_rules set is_enabled = false where id = tests.id('disabled');
update automation_rules set is_enabled = true where id = tests.id('disabled');
select is((select status::text from automation_executions where id = tests.id('canceled')), 'canceled',
  'disabling a rule cancels an execution that is retried below');
select is(pg_temp.retry('canceled'), 'none', 'retry_automation_execution retries a canceled execution');
select is((select e.action_results from automation_executions e where e.retry_of_id = tests.id('canceled')), '[]',
  'a retry of a canceled execution repeats an action that had no result');

-- Replays
create function pg_temp.replay(execution text) returns text language sql as $$
  select tests.value_as('ada', format('select tests.describe_error(%L)',
    format('select public.retry_automation_execution(%L, true)', tests.id(execution))))
$$;
select tests.rule('title', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"Plain"')));
select tests.remember('plain', pg_temp.fire('title'));
select is(pg_temp.replay('plain'), 'PT409 / Only an execution that has ended can be replayed; this one is pending / '
  'EXECUTION_NOT_FAILED', 'a replay of an execution that has not ended returns 409');
select is(tests.run_rule('title'), 'completed', 'an execution that is replayed below completes');
update episodes set title = 'Changed' where id = tests.id('pilot');
select is(pg_temp.replay('plain'), 'none', 'a replay takes a completed execution');
select is(private.run_automation_execution(e.id), 'completed', 'a replay runs')
from automation_executions e where e.retry_of_id = tests.id('plain');
select is((select title from episodes where id = tests.id('pilot')), 'Plain',
  'a replay repeats actions that completed');
select is(pg_temp.replay('plain') like '%EXECUTION_ALREADY_RETRIED%', true, 'an execution is replayed once');

-- The response
select tests.rule('fails', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title',
  to_jsonb(repeat('x', 256)))));
select pg_temp.fire('fails'), tests.run_rule('fails');
create temp table response as select (tests.execution('fails')).id as failed_id, tests.value_as('ola', format(
  'select public.retry_automation_execution(%L)', (tests.execution('fails')).id))::jsonb as value;
select is((select value from response), (select jsonb_build_object('execution', private.automation_execution_json(e))
    from automation_executions e, response r where e.retry_of_id = r.failed_id),
  'retry_automation_execution returns {execution}');
select is((select value #>> '{execution,status}' from response), 'pending',
  'retry_automation_execution returns a pending execution');

select * from tests.finish();
rollback;
