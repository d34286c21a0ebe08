-- send_webhook: the message, what begin_webhook returns to the worker, and the results that it records.
-- fail_automation_on_dead_letter.test.sql has webhooks whose retries are exhausted.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.podcast('other', 'otto'),
  tests.open_link('open', 'show'), tests.open_link('foreign', 'other');
select tests.episode('pilot', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus'),
  tests.booking_in('abroad', 'foreign', 50, 'confirmed');
create function pg_temp.title(value text) returns jsonb language sql as $$
  select tests.update_action('title', to_jsonb(value))
$$;
-- Fires a rule as another occurrence, and runs it
create function pg_temp.run(rule text, at timestamptz default now()) returns text language plpgsql as $$
begin
  perform private.fire_automations('booking.confirmed', (tests.rule_row(rule)).podcast_id, tests.id(case
      when (tests.rule_row(rule)).podcast_id = tests.id('show') then 'first' else 'abroad' end), tests.id('pilot'),
    gen_random_uuid()::text, clock_timestamp(), tests.id(rule));
  return tests.run_rule(rule, at => run.at);
end $$;
create function pg_temp.begin(rule text, action text default '0', at timestamptz default now()) returns jsonb
language sql as $$
  select private.begin_webhook((tests.execution(rule)).id, tests.id(rule || '/' || action), at)
$$;
create function pg_temp.settle(rule text, status text, result jsonb, action text default '0') returns text
language sql as $$
  select tests.run_rule(rule, jsonb_build_object('action_id', tests.id(rule || '/' || action), 'status', status,
    'result', result), now())
$$;
create function pg_temp.results(rule text) returns text language sql as $$
  select string_agg(r, ', ') from tests.results_of(rule) r
$$;

-- The message
select tests.rule('hook', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  pg_temp.title('After')));
select is(pg_temp.run('hook'), 'running', 'run_automation_execution returns running while a webhook is sent');
select results_eq($$ select q from tests.queued('automation_webhooks') q $$, $$ select jsonb_build_object(
    'podcast_id', tests.id('show'), 'execution_id', (tests.execution('hook')).id, 'action_id', tests.id('hook/0')) $$,
  'send_webhook enqueues {podcast_id, execution_id, action_id}');
create function pg_temp.webhook_id(rule text, action text default '0') returns text language sql as $$
  select format('msg_%s_%s', replace((tests.execution(rule)).occurrence_id::text, '-', ''),
    replace(tests.id(rule || '/' || action)::text, '-', ''))
$$;
select results_eq($$ select e.status::text, e.started_at, e.completed_at, e.error_message, e.action_results
  from tests.execution('hook') e $$,
  $$ select 'running', now(), null::timestamptz, null, jsonb_build_array(jsonb_build_object(
    'action_id', tests.id('hook/0'), 'action_type', 'send_webhook', 'status', 'running',
    'result', jsonb_build_object('webhook_id', pg_temp.webhook_id('hook')))) $$,
  'an execution whose webhook is sent is running, and the result has the webhook''s id');
select is(tests.run_rule('hook'), 'running', 'a second run of an execution waits for the webhook, too');
select is((select count(*) from tests.queued('automation_webhooks'))
    + (select sum(units) from private.automation_usage),
  2::bigint, 'a second run enqueues and counts the webhook no second time');
select is((select title from episodes where id = tests.id('pilot')), 'pilot',
  'actions after a webhook wait for its result');

-- The request
create temp table request as select pg_temp.begin('hook') as value;
select is((select value - 'body' from request), jsonb_build_object('url', 'https://hooks.test/in',
    'webhook_id', pg_temp.webhook_id('hook'), 'secrets', jsonb_build_array((
      select v.decrypted_secret from private.webhook_secrets s join vault.decrypted_secrets v on v.id = s.secret_id
      where s.action_id = tests.id('hook/0')))), 'begin_webhook returns {url, webhook_id, body, secrets}');
select is((select (value ->> 'body')::jsonb from request), jsonb_build_object('type', 'booking.confirmed',
    'timestamp', (tests.execution('hook')).context_data -> 'occurred_at', 'data', jsonb_build_object(
      'podcast_id', tests.id('show'), 'booking_id', tests.id('first'), 'episode_id', tests.id('pilot'),
      'episode_guest_id', null, 'import_id', null, 'podcast_guest_id', null,
      'rule_id', tests.id('hook'), 'rule_name', 'hook', 'tags', (tests.execution('hook')).context_data -> 'tags')),
  'the body is {type, timestamp, data} with the ids and tags of the occurrence');
select is((tests.execution('hook')).attempt_expires_at, now() + interval '20 seconds',
  'begin_webhook records until when the attempt is in flight');
update podcasts set title = 'Renamed' where id = tests.id('show');
update automation_rules set name = 'Renamed' where id = tests.id('hook');
select is(pg_temp.begin('hook'), (select value from request), 'each attempt to send a webhook sends the same');
select tests.value_as('ola', format('select public.rotate_webhook_secret(%L, %L)', tests.id('hook/0'),
  'whsec_' || repeat('A', 32)));
select is(pg_temp.begin('hook') -> 'secrets', '["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]'
  || (select value -> 'secrets' from request), 'an attempt after a rotation has the new secret and the earlier one');
update automation_actions set action_config = '{"url": "https://hooks.test/new"}' where id = tests.id('hook/0');
select is(pg_temp.begin('hook') ->> 'url', 'https://hooks.test/new', 'the next attempt uses a changed URL');
select is(private.begin_webhook(gen_random_uuid(), tests.id('hook/0')), null,
  'begin_webhook returns null for a missing execution');
select is(private.begin_webhook((tests.execution('hook')).id, gen_random_uuid()), null,
  'begin_webhook returns null for an unknown action');
select is(pg_temp.begin('hook', '1'), null, 'begin_webhook returns null for another action');

-- Attempts that fail
create function pg_temp.fail_attempt(error text, action uuid default tests.id('hook/0')) returns text
language plpgsql as $$
begin
  perform private.record_webhook_attempt((tests.execution('hook')).id, action, error);
  return (select concat_ws(' | ', e.status, e.error_message, e.action_results #>> '{0,status}',
    e.action_results #>> '{0,result,error}', e.attempt_expires_at) from tests.execution('hook') e);
end $$;
select is(pg_temp.fail_attempt('The server responded with status 503'),
  'running | The server responded with status 503 | running | The server responded with status 503',
  'record_webhook_attempt records the error, and that no attempt is in flight');
select is(pg_temp.fail_attempt(repeat('x', 1001)), format('running | %1$s | running | %1$s', repeat('x', 1000)),
  'record_webhook_attempt cuts an error after 1,000 characters');
select is(pg_temp.fail_attempt('Another action', tests.id('hook/1')), format('running | %1$s | running | %1$s',
  repeat('x', 1000)), 'record_webhook_attempt ignores another action');
select is((tests.execution('hook')).action_results #>> '{0,result,webhook_id}', pg_temp.webhook_id('hook'),
  'record_webhook_attempt keeps the webhook''s id');
select lives_ok($$ select private.record_webhook_attempt(gen_random_uuid(), tests.id('hook/0'), 'x') $$,
  'record_webhook_attempt ignores a missing execution');

-- Results
select is(pg_temp.settle('hook', 'completed', '{"status_code": 204}'), 'completed',
  'an execution continues with the result of a webhook');
select is((tests.execution('hook')).action_results -> 0, jsonb_build_object('action_id', tests.id('hook/0'),
    'action_type', 'send_webhook', 'status', 'completed', 'result', jsonb_build_object('status_code', 204,
      'webhook_id', pg_temp.webhook_id('hook'))),
  'the result of a webhook has its status code and id, and no old error');
select results_eq($$ select e.status::text, e.error_message, e.attempt_expires_at from tests.execution('hook') e $$,
  $$ values ('completed', null, null::timestamptz) $$, 'an execution whose webhook was sent at last has no error');
select is((select title from episodes where id = tests.id('pilot')), 'After',
  'actions after a webhook run with its result');
create temp table settled as select tests.execution('hook')::text as row;
select is(pg_temp.settle('hook', 'failed', '{"error": "Late"}'), 'completed',
  'a second result of a webhook is ignored');
select is(pg_temp.begin('hook'), null, 'begin_webhook returns null for a webhook that has a result');
select pg_temp.fail_attempt('Late');
select is(tests.execution('hook')::text, (select row from settled), 'an ended execution keeps its results');

select tests.rule('rejected', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  pg_temp.title('Never'), tests.webhook_action()));
select pg_temp.run('rejected');
select is(pg_temp.settle('rejected', 'failed', '{"status_code": 404, "error": "Not found"}'), 'failed',
  'a rejected webhook fails the execution');
select is(pg_temp.results('rejected'), 'send_webhook failed, update_field skipped, send_webhook skipped',
  'the actions after a rejected webhook are skipped');
select is((tests.execution('rejected')).error_message, 'Not found',
  'the execution of a rejected webhook has its error');
select tests.rule('two', 'show', 'booking.confirmed', jsonb_build_array(
  tests.webhook_action('{"continue_on_error": true}'), tests.webhook_action()));
select tests.empty_queue('automation_webhooks');
select pg_temp.run('two');
select is(pg_temp.settle('two', 'failed', '{"error": "Gone"}'), 'running',
  'a rejected webhook that continues on errors lets the next one be sent');
select results_eq($$ select q ->> 'action_id' from tests.queued('automation_webhooks') q $$,
  $$ values (tests.id('two/0')::text), (tests.id('two/1')::text) $$,
  'the second webhook of a rule is enqueued after the result of the first');
select is(pg_temp.begin('two', '1') ->> 'webhook_id', pg_temp.webhook_id('two', '1'),
  'each webhook of an execution has its own id');
select is(pg_temp.settle('two', 'completed', '{"status_code": 200}', '0'), 'running',
  'a second result of the first webhook is ignored while the next one is sent');
select is(pg_temp.settle('two', 'completed', '{"status_code": 200}', '1'), 'completed',
  'an execution with two webhooks ends with the result of the second');
select is(pg_temp.results('two'), 'send_webhook failed, send_webhook completed', 'each webhook has its own result');

-- An action that is deleted or changed before its webhook is sent
select tests.rule('gone', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  tests.webhook_action()));
select pg_temp.run('gone');
delete from automation_actions where id = tests.id('gone/0');
select is(pg_temp.begin('gone'), null, 'begin_webhook returns null for a deleted webhook');
select is((select concat_ws(' | ', e.status, e.error_message, e.action_results -> 0 ->> 'status')
    from tests.execution('gone') e), 'canceled | The webhook was deleted | skipped',
  'an execution whose webhook was deleted is canceled');
select tests.rule('changed', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
select pg_temp.run('changed');
update automation_actions set action_type = 'update_field',
  action_config = '{"entity": "episode", "field": "title", "value": "x"}' where id = tests.id('changed/0');
select is(pg_temp.begin('changed'), null, 'begin_webhook returns null for an action of another type');
select tests.rule('ended', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
select pg_temp.run('ended');
delete from automation_actions where id = tests.id('ended/0');
select is(tests.run_rule('ended'), 'completed', 'an execution whose only action was deleted is completed');
select is(pg_temp.begin('ended'), null, 'begin_webhook returns null for the webhook of a completed execution');
select is(pg_temp.results('ended'), 'send_webhook skipped', 'the webhook of a completed execution is skipped');

-- Webhooks in flight
select tests.rule('many', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
select tests.rule('abroad rule', 'other', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
create temp table flights (n int, execution_id uuid);
create function pg_temp.take_off(n int) returns jsonb language plpgsql as $$
begin
  perform pg_temp.run('many');
  insert into flights values (n, (tests.execution('many')).id);
  return pg_temp.begin('many');
end $$;
select is((select count(*) from generate_series(1, 8) n where pg_temp.take_off(n) ? 'url'), 8::bigint,
  'eight webhooks of a podcast can be in flight');
select is(pg_temp.take_off(9), '{"postponed": true}', 'begin_webhook postpones a ninth webhook of a podcast');
select is((tests.execution('many')).attempt_expires_at, null, 'a postponed webhook is not in flight');
select is(private.begin_webhook((select execution_id from flights where n = 1), tests.id('many/0'), now()) ? 'url',
  true, 'begin_webhook does not postpone another attempt of a webhook that is in flight');
select pg_temp.run('abroad rule');
select is(pg_temp.begin('abroad rule') ? 'url', true, 'webhooks in flight postpone none of another podcast');
select is(pg_temp.begin('many', at => now() + interval '20 seconds' - interval '1 millisecond'), '{"postponed": true}',
  'begin_webhook postpones while the attempts have not expired');
select is(pg_temp.begin('many', at => now() + interval '20 seconds') ? 'url', true,
  'an attempt that has expired postpones none');
update automation_executions set attempt_expires_at = null where id = (tests.execution('many')).id;
select private.record_webhook_attempt((select execution_id from flights where n = 2), tests.id('many/0'), 'x');
select is(pg_temp.begin('many') ? 'url', true, 'an attempt that failed postpones none');
update automation_executions set attempt_expires_at = null where id = (tests.execution('many')).id;
select private.begin_webhook((select execution_id from flights where n = 2), tests.id('many/0'), now());
select is(pg_temp.begin('many'), '{"postponed": true}', 'the next attempt of a webhook is in flight again');
select tests.finish_webhook((select execution_id from flights where n = 3), jsonb_build_object(
  'action_id', tests.id('many/0'), 'status', 'completed', 'result', '{}'::jsonb));
select is(pg_temp.begin('many') ? 'url', true, 'a webhook that has a result postpones none');

select * from tests.finish();
rollback;
