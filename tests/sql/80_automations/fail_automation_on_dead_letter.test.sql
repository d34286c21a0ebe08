-- Dead letters of automation_runs and automation_webhooks: the executions whose retries are exhausted fail.
begin;
select tests.start(), tests.release_webhooks_at_once();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.episode('pilot', 'show'), tests.booking_in('first', 'open', 50, 'confirmed', 'gus');
create function pg_temp.fire(rule text, runs boolean default true) returns void language plpgsql as $$
begin
  perform tests.empty_queue(q) from unnest(array['automation_runs', 'automation_webhooks']) q;
  perform private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), tests.id('pilot'),
    gen_random_uuid()::text, clock_timestamp(), tests.id(rule));
  if runs then
    perform tests.run_rule(rule);
    perform tests.empty_queue('automation_runs');
  end if;
end $$;
-- Fails the only message of a queue
create function pg_temp.fail(queue text, is_permanent boolean default true) returns text language plpgsql as $$
declare
  failed_id bigint;
begin
  execute format('select q.msg_id from pgmq.%I q', 'q_' || queue) into strict failed_id;
  return private.fail_job(queue, failed_id, 'Secret of the worker', is_permanent);
end $$;
create function pg_temp.state(rule text) returns text language sql as $$
  select concat_ws(' | ', e.status, e.error_message, (select string_agg(r, ', ') from tests.results_of(rule) r))
  from tests.execution(rule) e
$$;
create function pg_temp.notices(rule text) returns bigint language sql as $$
  select count(*) from notifications n where n.type = 'automation.failed' and n.user_id = tests.id('ada')
    and n.group_key = 'automation:' || tests.id(rule)
$$;

-- automation_runs
select tests.rule('update', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"x"')),
  author => 'ada');
select pg_temp.fire('update', false);
select is(pg_temp.fail('automation_runs', false), 'retry_scheduled', 'a run that fails is retried');
select is(pg_temp.state('update'), 'pending', 'an execution whose run is retried stays pending');
select is(pg_temp.fail('automation_runs'), 'dead_lettered', 'a run that fails at each attempt is a dead letter');
select is(pg_temp.state('update'), 'failed | The automation could not be run; try again later',
  'the dead letter of a run fails its execution, without the worker''s error');
select results_eq($$ select e.completed_at, e.started_at, e.next_attempt_at from tests.execution('update') e $$,
  $$ values (now(), now(), null::timestamptz) $$, 'an execution that a dead letter failed has ended');
select is(pg_temp.notices('update'), 1::bigint, 'the dead letter of a run notifies the rule''s author');
select is(tests.run_rule('update'), 'failed', 'an execution that a dead letter failed does not run again');
select is((select title from episodes where id = tests.id('pilot')), 'pilot',
  'an execution that a dead letter failed runs no action');
select pg_temp.fire('update');
select private.enqueue_execution((tests.execution('update')).id, tests.id('show'));
select is(pg_temp.fail('automation_runs'), 'dead_lettered', 'the run of an execution that ended can be a dead letter');
select is(pg_temp.state('update'), 'completed | update_field completed',
  'the dead letter of a run changes no execution that ended');
select private.enqueue_execution(gen_random_uuid(), tests.id('show'));
select tests.empty_queue('automation_runs');
select private.enqueue('automation_runs', message) from unnest(array['{"execution_id": "x"}', '{}', '[]', '"x"',
  '{"execution_id": null}']::jsonb[]) message;
select is(private.fail_job('automation_runs', q.msg_id, 'x', true), 'dead_lettered',
  format('the message %s can be a dead letter', q.message)) from pgmq.q_automation_runs q;
select tests.rule('waits', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"Waits"'),
  tests.webhook_action()), author => 'ada');
select private.set_setting('max_automation_webhooks_per_hour', '0');
select pg_temp.fire('waits', false);
select tests.run_rule('waits'), tests.empty_queue('automation_runs');
select private.enqueue_execution((tests.execution('waits')).id, tests.id('show'));
select pg_temp.fail('automation_runs');
select is(pg_temp.state('waits'), 'failed | The automation could not be run; try again later | '
  'update_field completed, send_webhook skipped', 'a dead letter keeps the results of the actions that ran');
select private.set_setting('max_automation_webhooks_per_hour', '500');

-- automation_webhooks
select tests.rule('hook', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  tests.update_action('title', '"After"'), tests.webhook_action()), author => 'ada');
select pg_temp.fire('hook');
create function pg_temp.attempt(rule text, error text) returns void language sql as $$
  update private.automation_webhooks set attempt_count = 9;
  select private.begin_webhook((tests.execution(rule)).id, tests.id(rule || '/0'));
  select private.record_webhook_attempt((tests.execution(rule)).id, tests.id(rule || '/0'), error);
$$;
select pg_temp.attempt('hook', 'The server responded with status 503');
select is(pg_temp.fail('automation_webhooks', false), 'retry_scheduled',
  'an attempt that the worker could not finish is retried');
select is(pg_temp.state('hook'), 'running | The server responded with status 503 | send_webhook running',
  'an execution whose webhook is retried is running');
select pg_temp.fail('automation_webhooks');
select is((tests.execution('hook')).action_results -> 0, jsonb_build_object('action_id', tests.id('hook/0'),
    'action_type', 'send_webhook', 'status', 'failed', 'result', jsonb_build_object(
      'error', 'The server responded with status 503',
      'begun_at', (tests.execution('hook')).action_results #> '{0,result,begun_at}',
      'webhook_id', private.webhook_id(tests.execution('hook'), tests.id('hook/0')))),
  'the dead letter of a webhook fails its action');
select is_empty('select from private.automation_webhooks', 'a webhook that is a dead letter has no place');
select results_eq($$ select q from tests.queued('automation_runs') q $$, $$ select jsonb_build_object(
    'podcast_id', tests.id('show'), 'execution_id', (tests.execution('hook')).id) $$,
  'the dead letter of a webhook continues the execution');
select tests.run_rule('hook');
select is(pg_temp.state('hook'), 'failed | The server responded with status 503 | '
  'send_webhook failed, update_field skipped, send_webhook skipped',
  'an execution whose webhook is a dead letter fails with the error of the last attempt');
select is(pg_temp.notices('hook'), 1::bigint, 'the dead letter of a webhook notifies the rule''s author');
select is(tests.run_rule('hook', jsonb_build_object('action_id', tests.id('hook/0'), 'status', 'completed',
  'result', '{}'::jsonb)), 'failed', 'a late result of a webhook that is a dead letter is ignored');
select is((tests.execution('hook')).action_results #>> '{0,status}', 'failed',
  'a late result does not replace that of a dead letter');
select pg_temp.fire('hook');
select private.begin_webhook((tests.execution('hook')).id, tests.id('hook/0'));
select pg_temp.fail('automation_webhooks'), tests.run_rule('hook');
select is((tests.execution('hook')).error_message, 'The webhook could not be sent; try again later',
  'a webhook whose worker crashed at each attempt has an error');

-- A webhook that continues on errors
select tests.rule('continues', 'show', 'booking.confirmed', jsonb_build_array(
  tests.webhook_action('{"continue_on_error": true}'), tests.update_action('title', '"Continued"')), author => 'ada');
select pg_temp.fire('continues');
select pg_temp.attempt('continues', 'Timeout');
select pg_temp.fail('automation_webhooks');
select is((select concat_ws(' | ', e.status, (select string_agg(r, ', ') from tests.results_of('continues') r))
    from tests.execution('continues') e), 'running | send_webhook failed',
  'the dead letter of a webhook that continues on errors fails the action only');
select results_eq($$ select q from tests.queued('automation_runs') q $$, $$ select jsonb_build_object(
    'podcast_id', tests.id('show'), 'execution_id', (tests.execution('continues')).id) $$,
  'the dead letter of a webhook that continues on errors enqueues the execution');
select is(tests.run_rule('continues'), 'completed', 'an execution continues after the dead letter of a webhook');
select is(pg_temp.state('continues'), 'completed | send_webhook failed, update_field completed',
  'an execution that continues after a dead letter runs its later actions');
select is(pg_temp.notices('continues'), 0::bigint, 'a webhook that continues on errors notifies no one');

-- Deleted actions and rules
select pg_temp.fire('continues');
delete from automation_actions where id = tests.id('continues/0');
select pg_temp.fail('automation_webhooks'), tests.run_rule('continues');
select is(pg_temp.state('continues'), 'failed | The webhook could not be sent; try again later | '
  'send_webhook failed, update_field completed', 'the dead letter of a deleted action fails the execution');
select pg_temp.fire('hook');
delete from automation_rules where id = tests.id('hook');
select is(pg_temp.fail('automation_webhooks'), 'dead_lettered', 'the webhook of a deleted rule can be a dead letter');
select is((select e.status::text from automation_executions e where e.rule_name = 'hook'
  order by e.created_at desc limit 1), 'canceled', 'the dead letter of a webhook keeps a canceled execution');
select private.enqueue('automation_webhooks', message) from unnest(array[
  '{"execution_id": "x", "action_id": "x"}', '{}',
  jsonb_build_object('execution_id', (tests.execution('update')).id, 'action_id', 'x'),
  jsonb_build_object('execution_id', gen_random_uuid(), 'action_id', gen_random_uuid())]::jsonb[]) message;
select is(private.fail_job('automation_webhooks', q.msg_id, 'x', true), 'dead_lettered',
  'a malformed message of automation_webhooks can be a dead letter') from pgmq.q_automation_webhooks q;

select * from tests.finish();
rollback;
