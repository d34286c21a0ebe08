-- send_webhook: the message, what begin_webhook returns to the worker, and the results that it records.
-- fail_automation_on_dead_letter.test.sql has webhooks whose retries are exhausted.
begin;
select tests.start(), tests.release_webhooks_at_once();

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

-- The webhook
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
    'result', jsonb_build_object('webhook_id', pg_temp.webhook_id('hook'),
      'begun_at', private.format_timestamp(now())))) $$,
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
    'webhook_id', pg_temp.webhook_id('hook'), 'headers', '{}'::jsonb, 'secrets', jsonb_build_array((
      select v.decrypted_secret from private.webhook_secrets s join vault.decrypted_secrets v on v.id = s.secret_id
      where s.action_id = tests.id('hook/0')))), 'begin_webhook returns {url, webhook_id, body, headers, secrets}');
select is((select (value ->> 'body')::jsonb from request), jsonb_build_object('type', 'booking.confirmed',
    'timestamp', (tests.execution('hook')).context_data -> 'occurred_at', 'data', jsonb_build_object(
      'podcast_id', tests.id('show'), 'booking_id', tests.id('first'), 'episode_id', tests.id('pilot'),
      'episode_guest_id', null, 'import_id', null, 'podcast_guest_id', null,
      'rule_id', tests.id('hook'), 'rule_name', 'hook', 'tags', (tests.execution('hook')).context_data -> 'tags')),
  'the body is {type, timestamp, data} with the ids and tags of the occurrence');
update podcasts set title = 'Renamed' where id = tests.id('show');
update automation_rules set name = 'Renamed' where id = tests.id('hook');
select is(pg_temp.begin('hook'), (select value from request), 'each attempt to send a webhook sends the same');
select tests.value_as('ola', format('select public.rotate_webhook_secret(%L, %L)', tests.id('hook/0'),
  'whsec_' || repeat('A', 32)));
select is(pg_temp.begin('hook') -> 'secrets', '["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]'
  || (select value -> 'secrets' from request), 'an attempt after a rotation has the new secret and the earlier one');
update automation_actions set action_config =
  '{"url": "https://hooks.test/new", "payload_template": {"a": "b"}, "sign": true}' where id = tests.id('hook/0');
select is(pg_temp.begin('hook') ->> 'url', 'https://hooks.test/new', 'the next attempt uses a changed URL');
select is(pg_temp.begin('hook') -> 'body', (select value -> 'body' from request),
  'the next attempt does not use a changed payload_template');
select is(private.begin_webhook(gen_random_uuid(), tests.id('hook/0')), null,
  'begin_webhook returns null for a missing execution');
select is(private.begin_webhook((tests.execution('hook')).id, gen_random_uuid()), null,
  'begin_webhook returns null for an unknown action');
select is(pg_temp.begin('hook', '1'), null, 'begin_webhook returns null for another action');

-- Attempts that fail
create function pg_temp.fail_attempt(error text, action uuid default tests.id('hook/0'), retry_after int default null,
  at timestamptz default now()) returns text language plpgsql as $$
declare
  is_last boolean := private.record_webhook_attempt((tests.execution('hook')).id, action, error, retry_after, at);
begin
  return (select concat_ws(' | ', e.status, left(e.error_message, 50), e.action_results #>> '{0,status}',
    left(e.action_results #>> '{0,result,error}', 50), is_last) from tests.execution('hook') e);
end $$;
create function pg_temp.webhook(rule text default 'hook') returns private.automation_webhooks language sql as $$
  select w from private.automation_webhooks w where w.execution_id = (tests.execution(rule)).id
$$;
-- Gives the webhook its place again, as the job does when the next attempt is due
create function pg_temp.release(rule text default 'hook') returns void language sql as $$
  update private.automation_webhooks w set next_attempt_at = now() where w.execution_id = (tests.execution(rule)).id
$$;
select is(pg_temp.fail_attempt('The server responded with status 503'),
  'running | The server responded with status 503 | running | The server responded with status 503 | f',
  'record_webhook_attempt records the error, and returns false while there is another attempt');
select is(((pg_temp.webhook()).attempt_count, (pg_temp.webhook()).message_id)::text, '(1,)',
  'record_webhook_attempt counts the attempt, and frees its place');
select ok((pg_temp.webhook()).next_attempt_at between now() + interval '4.5 seconds' and now() + interval '5.5 seconds',
  'the second attempt is due about 5 seconds after the first');
select is((tests.execution('hook')).action_results #>> '{0,result,next_attempt_at}',
  private.format_timestamp((pg_temp.webhook()).next_attempt_at),
  'the result of a webhook says when the next attempt is');
select is(pg_temp.begin('hook'), null, 'begin_webhook returns null for a webhook without a place');
select is(pg_temp.fail_attempt('Late'),
  'running | The server responded with status 503 | running | The server responded with status 503 | f',
  'record_webhook_attempt ignores a webhook without a place');
select pg_temp.release();
select is(pg_temp.begin('hook') -> 'body', (select value -> 'body' from request),
  'a later attempt sends the same body');
select is(pg_temp.fail_attempt('Another action', tests.id('hook/1')),
  'running | The server responded with status 503 | running | The server responded with status 503 | f',
  'record_webhook_attempt ignores another action');
select is(pg_temp.fail_attempt(repeat('x', 1001)) || char_length((tests.execution('hook')).error_message),
  format('running | %1$s | running | %1$s | f1000', repeat('x', 50)),
  'record_webhook_attempt cuts an error after 1,000 characters');
select is((tests.execution('hook')).action_results #>> '{0,result,webhook_id}', pg_temp.webhook_id('hook'),
  'record_webhook_attempt keeps the webhook''s id');
select lives_ok($$ select private.record_webhook_attempt(gen_random_uuid(), tests.id('hook/0'), 'x') $$,
  'record_webhook_attempt ignores a missing execution');

-- The schedule of three days
create temp table pauses as
select n, p
from unnest('{5 seconds,5 minutes,30 minutes,2 hours,5 hours,10 hours,14 hours,20 hours,24 hours}'::interval[])
  with ordinality p (p, n);
select is((select bool_and(private.next_webhook_attempt(w, null, now()) between now() + p * 0.9 and now() + p * 1.1)
    from (select (pg_temp.webhook()).*) w0, pauses,
      lateral jsonb_populate_record(w0::private.automation_webhooks, jsonb_build_object('attempt_count', n - 1)) w),
  true, 'next_webhook_attempt follows the schedule of Standard Webhooks, with jitter of a tenth');
select is((select count(distinct private.next_webhook_attempt(pg_temp.webhook(), null, now()))
    from generate_series(1, 20)), 20::bigint, 'next_webhook_attempt differs for webhooks that fail at the same time');
select is(private.next_webhook_attempt(pg_temp.webhook(), 7200, now()), now() + interval '2 hours',
  'next_webhook_attempt respects a longer Retry-After');
select ok(private.next_webhook_attempt(pg_temp.webhook(), 1, now()) > now() + interval '4 minutes',
  'next_webhook_attempt ignores a shorter Retry-After');
select is(private.next_webhook_attempt(pg_temp.webhook(), 604800, now()),
  (pg_temp.webhook()).begun_at + (select sum(p) from pauses),
  'a Retry-After lasts at most until the end of the schedule');

-- The later actions wait for two hours
select tests.empty_queue('automation_runs');
create function pg_temp.fail_nth(n int, at timestamptz) returns bigint language plpgsql as $$
begin
  perform tests.empty_queue('automation_runs');
  update private.automation_webhooks w set next_attempt_at = now(), attempt_count = n - 1
  where w.execution_id = (tests.execution('hook')).id;
  perform pg_temp.fail_attempt('The server responded with status 500', at => fail_nth.at);
  return (select extract(epoch from q.vt - now()) from pgmq.q_automation_runs q);
end $$;
select is(pg_temp.fail_nth(3, now() + interval '10 minutes'), null,
  'an attempt whose next one is within two hours does not continue the execution');
select is(pg_temp.fail_nth(4, now() + interval '40 minutes'), 7200::bigint,
  'an attempt whose next one is later lets the execution continue two hours after the webhook began');
select is(pg_temp.fail_nth(5, now() + interval '150 minutes'), 9000::bigint,
  'an attempt after two hours lets the execution continue at once');
select is(pg_temp.fail_nth(10, now()), null, 'the last attempt leaves the execution to its dead letter');
select is(pg_temp.begin('hook'), '{"exhausted": "The server responded with status 500"}',
  'begin_webhook returns the last error if no attempt is left');
update private.automation_webhooks set attempt_count = 9 where action_id = tests.id('hook/0');
select is(pg_temp.fail_attempt('The server responded with status 502'),
  'running | The server responded with status 502 | running | The server responded with status 502 | t',
  'record_webhook_attempt returns true for the tenth attempt');
select is(((tests.execution('hook')).action_results #> '{0,result}') ? 'next_attempt_at', false,
  'the result of a webhook without another attempt has no next_attempt_at');
select isnt((pg_temp.webhook()).message_id, null, 'a webhook keeps its place until its dead letter');

-- Results
select is(pg_temp.settle('hook', 'completed', '{"status_code": 204}'), 'completed',
  'an execution continues with the result of a webhook');
select is((tests.execution('hook')).action_results -> 0, jsonb_build_object('action_id', tests.id('hook/0'),
    'action_type', 'send_webhook', 'status', 'completed', 'result', jsonb_build_object('status_code', 204,
      'begun_at', private.format_timestamp(now()), 'webhook_id', pg_temp.webhook_id('hook'))),
  'the result of a webhook has its status code and id, and no old error');
select is_empty('select from private.automation_webhooks', 'a webhook with a result has no place');
select results_eq($$ select e.status::text, e.error_message from tests.execution('hook') e $$,
  $$ values ('completed', null) $$, 'an execution whose webhook was sent at last has no error');
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

-- A webhook whose action, rule or occurrence changes before it is sent is skipped, and its execution continues
create temp table change (rule text, change text, reason text, ends text, what text);
insert into change values
  ('deleted action', $$ delete from automation_actions where id = tests.id('deleted action/0') $$,
    'The webhook was deleted', 'completed', 'a deleted action'),
  ('changed action', $$ update automation_actions set action_type = 'update_field',
    action_config = '{"entity": "episode", "field": "title", "value": "x"}'
    where id = tests.id('changed action/0') $$, 'The webhook was deleted', 'completed', 'an action of another type'),
  ('gone', $$ select private.disable_webhook(tests.id('gone/0'), 'https://hooks.test/in', now()) $$,
    'The webhook is disabled, because its receiver responded with 410 (Gone); change its URL, or set disabled_reason '
    'to null', 'completed', 'a disabled webhook'),
  ('disabled rule', $$ update automation_rules set is_enabled = false where id = tests.id('disabled rule') $$,
    'The rule was disabled', 'canceled', 'a disabled rule'),
  ('canceled booking', $$ update bookings set status = 'cancelled', cancelled_by = 'guest'
    where id = tests.id('first'); select pg_temp.release('canceled booking') $$,
    'The booking was canceled', 'completed', 'a canceled booking'),
  ('ended', $$ update automation_executions set status = 'canceled', completed_at = now(), error_message = 'Over'
    where rule_id = tests.id('ended') $$, 'Over', 'canceled', 'an execution that ended');
select tests.rule(rule, 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(), pg_temp.title('After')))
from change;
-- Changes something while the webhook of a rule waits for its second attempt
create function pg_temp.skip(rule text, change text) returns text language plpgsql as $$
declare
  execution_id uuid;
begin
  perform pg_temp.run(rule);
  execution_id := (tests.execution(rule)).id;
  perform private.record_webhook_attempt(execution_id, tests.id(rule || '/0'), 'The server responded with status 503');
  execute change;
  if pg_temp.begin(rule) is not null then
    return 'begins';
  end if;
  return (select concat_ws(' | ', e.action_results #>> '{0,status}', e.action_results #>> '{0,result,reason}',
      e.action_results #>> '{0,result,error}', private.run_automation_execution(e.id))
    from automation_executions e where e.id = execution_id);
end $$;
select is(pg_temp.skip(rule, change), format('skipped | %s | %s', reason, ends),
  format('begin_webhook skips the webhook of %s, whose wait ends, and the execution continues', what))
from change where rule <> 'canceled booking' order by what;
select is_empty('select from private.automation_webhooks', 'a skipped webhook has no place');
select tests.rule('until', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
select pg_temp.run('until'), pg_temp.begin('until', at => now() + interval '7 days');
select is((select concat_ws(' | ', e.action_results #>> '{0,status}', e.action_results #>> '{0,result,error}')
    from tests.execution('until') e), 'failed | The webhook could not be sent within 7 days',
  'begin_webhook fails a webhook that could not be sent within 7 days');

-- A pause of the rule
select tests.rule('paused', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
select pg_temp.run('paused');
update automation_rules set is_paused = true where id = tests.id('paused');
select is(pg_temp.begin('paused'), null, 'begin_webhook makes no attempt while the rule is paused');
select is(((pg_temp.webhook('paused')).message_id, (pg_temp.webhook('paused')).next_attempt_at)::text, '(,infinity)',
  'the webhook of a paused rule waits without a place');
select is(pg_temp.results('paused'), 'send_webhook running', 'the webhook of a paused rule keeps running');
update automation_rules set is_paused = false where id = tests.id('paused');
select is(pg_temp.begin('paused') ? 'url', true, 'the webhook of a rule that is resumed is sent');
update automation_rules set is_paused = true where id = tests.id('paused');
select is(private.webhook_problem(e, tests.id('paused/0'), now()), null,
  'a webhook is not skipped when its rule is paused while it begins') from tests.execution('paused') e;
select pg_temp.begin('paused');
select private.release_due_webhooks(now() + interval '7 days');
select is(pg_temp.begin('paused', at => now() + interval '7 days'), null, 'a pause lasts at most 7 days for a webhook');
select is(pg_temp.results('paused'), 'send_webhook failed', 'the webhook of a rule that is paused for 7 days fails');

-- Before it is sent
select tests.rule('unsent', 'show', 'booking.confirmed', jsonb_build_array(
  tests.webhook_action('{"continue_on_error": true}'), pg_temp.title('After')));
create function pg_temp.result() returns text language sql as $$
  select concat_ws(' | ', e.status, e.action_results #>> '{0,status}',
    coalesce(e.action_results #>> '{0,result,reason}', e.action_results #>> '{0,result,error}'))
  from tests.execution('unsent') e
$$;
create function pg_temp.used() returns bigint language sql volatile as $$
  select sum(units) from private.automation_usage where action_type = 'send_webhook'
$$;
create temp table used as select pg_temp.used() as units;
select private.disable_webhook(tests.id('unsent/0'), 'https://hooks.test/in');
select pg_temp.run('unsent');
select is(pg_temp.result(), format('completed | skipped | %s', (select reason from change where rule = 'gone')),
  'a disabled webhook is skipped with the reason');
update automation_actions set action_config = '{"url": "https://hooks.test/again"}' where id = tests.id('unsent/0');
select private.set_setting('fetch_allowed_hosts', '127.0.0.1');
update automation_actions set action_config = '{"url": "http://127.0.0.1/in"}' where id = tests.id('unsent/0');
select private.set_setting('fetch_allowed_hosts', null);
select pg_temp.run('unsent');
select is(pg_temp.result(), 'completed | failed | The URL does not point to the public internet',
  'a webhook to a URL that the server does not request fails without an attempt');
select is(pg_temp.used(), (select units from used), 'a webhook that is not sent counts for no hourly limit');
update automation_actions set action_config =
  '{"url": "https://hooks.test/in", "payload_template": {"text": "{guest_email}"}}' where id = tests.id('unsent/0');
select is((select private.plan_webhook(e, a, now()) from tests.execution('unsent') e, automation_actions a
    where a.id = tests.id('unsent/0')), jsonb_build_object('url', 'https://hooks.test/in', 'header_names', '[]'::jsonb,
      'payload', jsonb_build_object('text', (tests.execution('unsent')).context_data #> '{tags,guest_email}'),
      'is_signed', false, 'problem', null),
  'plan_webhook returns {url, payload, header_names, is_signed, problem}');
select pg_temp.run('unsent');
select is(pg_temp.begin('unsent') - 'webhook_id', jsonb_build_object('url', 'https://hooks.test/in', 'body',
    jsonb_build_object('text', (tests.execution('unsent')).context_data #> '{tags,guest_email}')::text, 'headers',
    '{}'::jsonb, 'secrets', '[]'::jsonb), 'a webhook with a payload_template sends it, without a signature');
update bookings set guest_name = repeat('é', 200) where id = tests.id('first');
update automation_actions set action_config = jsonb_build_object('url', 'https://hooks.test/in', 'payload_template',
  (select jsonb_agg('{guest_full_name}'::text) from generate_series(1, 700))) where id = tests.id('unsent/0');
select pg_temp.run('unsent');
select is(pg_temp.result(), 'completed | failed | The payload is too long with its values',
  'a webhook whose payload is longer than 256 KB with its values fails');

-- 410 (Gone)
select tests.rule('left', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()), author => 'ada');
create function pg_temp.disabled() returns text language sql as $$
  select disabled_reason from automation_actions where id = tests.id('left/0')
$$;
select private.disable_webhook(tests.id('left/0'), 'https://hooks.test/other');
select is(pg_temp.disabled(), null, 'disable_webhook keeps a webhook whose URL has changed meanwhile');
select private.disable_webhook(tests.id('left/0'), 'https://hooks.test/in') from generate_series(1, 2);
select is(pg_temp.disabled(), 'gone', 'disable_webhook disables the webhook');
select results_eq($$ select i.name, count(*), min(n.title) from notifications n join tests.ids i on i.id = n.user_id
    where n.type = 'automation.webhook_disabled' and n.link like '%' || tests.id('left') group by 1 order by 1 $$,
  $$ values ('ada', 1::bigint, 'A webhook of Renamed is turned off'),
    ('ola', 1, 'A webhook of Renamed is turned off') $$,
  'disable_webhook notifies the admins once');
create function pg_temp.put(fields jsonb) returns text language plpgsql as $$
begin
  perform tests.value_as('ada', format('select public.update_automation_rule(%L, %L)', tests.id('left'),
    jsonb_build_object('actions', jsonb_build_array(tests.webhook_action(fields)))));
  return pg_temp.disabled();
end $$;
select is(pg_temp.put('{}'), 'gone', 'an update without disabled_reason keeps a webhook disabled');
select is(pg_temp.put('{"disabled_reason": "gone"}'), 'gone', 'an update with what was read keeps a webhook disabled');
select is(pg_temp.put('{"disabled_reason": null}'), null, 'an update with null enables a webhook');
select is(pg_temp.put('{"disabled_reason": "gone"}'), null, 'an update cannot disable a webhook');
select private.disable_webhook(tests.id('left/0'), 'https://hooks.test/in');
select is(pg_temp.put('{"action_config": {"url": "https://hooks.test/new"}}'), null, 'a changed URL enables a webhook');
select is((tests.rule_row('left')).author_id, tests.id('ada'),
  'disable_webhook does not change the author of the rule');

select is(pg_temp.skip('canceled booking', (select change from change where rule = 'canceled booking')),
  'skipped | The booking was canceled | completed',
  'begin_webhook skips the webhook of a canceled booking, and the execution continues');

select * from tests.finish();
rollback;
