-- test_automation_action: callers, what cannot be tested, limits, and what a test sends to whom.
begin;
select tests.start(), tests.release_webhooks_at_once();
update private.settings set value = 'https://casts.test/booking' where key = 'booking_url';

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('other', 'otto'), tests.person('stranger'),
  tests.open_link('open', 'show', '{"timezone": "UTC"}');
select tests.episode('pilot', 'show'), tests.booking_in('first', 'open', 50, 'pending', 'gus'),
  tests.template('hello', 'show', '{"subject": "Hello {guest_full_name}", "body_html": "<p>{booking_start}</p>"}'),
  tests.template('manage', 'show', '{"subject": "Manage", "body_html": "{booking_manage_url}"}');
select tests.rule('mail', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"Done"'),
    tests.email_action('hello'), tests.email_action('manage'), tests.email_action('manage', 'team'))),
  tests.rule('hook', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
    tests.webhook_action('{"action_config": {"url": "https://chat.test/in", "sign": true,
      "payload_template": {"text": "{guest_full_name} {podcast_title}"}}}')));

-- Tests an action as ada and runs it as the worker does. Returns the status of the execution, or the error.
create function pg_temp.test(action text, args text default '', at timestamptz default clock_timestamp()) returns text
language plpgsql as $$
declare
  answer text := tests.value_as('ada', format('select tests.describe_error(%L)',
    format('select public.test_automation_action(%L %s)', tests.id(action), args)));
begin
  if answer <> 'none' then
    return answer;
  end if;
  return tests.run_rule(split_part(action, '/', 1), at => test.at);
end $$;
create function pg_temp.forget() returns void language sql as $$
  delete from notification_deliveries;
  delete from automation_executions;
  delete from private.rate_limits;
  delete from private.email_windows;
  delete from private.automation_usage;
$$;
-- What a test does after a change that is undone
create function pg_temp.test_after(change text, action text) returns text language plpgsql as $$
declare
  result text;
begin
  perform pg_temp.forget();
  execute change;
  result := pg_temp.test(action);
  result := concat_ws(' / ', result, (
    select string_agg(a.email || ' ' || e.email, ', ')
    from private.delivery_addresses a cross join lateral tests.automation_emails(a.email) e (email)));
  raise exception using message = result;
exception when raise_exception then
  return sqlerrm;
end $$;

-- Callers and errors
select tests.access('test_automation_action', $$ select public.test_automation_action(tests.id('mail/1')) $$,
  '42501: anon; PT403: stranger otto vic; 42501: service');
select is(tests.value_as('ada', $$ select tests.describe_error(
    'select public.test_automation_action(gen_random_uuid())') $$), 'PT404 / Automation action not found',
  'test_automation_action returns 404 for an unknown action');
select is(pg_temp.test('mail/0'),
  'PT409 / A test would change the episode or guest; use the dry run of the rule / ACTION_NOT_TESTABLE',
  'test_automation_action returns 409 for an update_field');
select is(pg_temp.test('mail/1', format(', episode_id => %L', tests.id('pilot'))),
  'PT400 / Provide booking_id, and no other id, for this rule',
  'test_automation_action returns 400 for an id that the trigger is not about');
select is(pg_temp.test('mail/1', ', booking_id => gen_random_uuid()'), 'PT404 / Booking not found',
  'test_automation_action returns 404 for an unknown booking');
select is(pg_temp.test_after($$ select tests.set_status('show', 'pending_deletion') $$, 'mail/1'),
  'PT409 / The podcast is scheduled for deletion / PODCAST_PENDING_DELETION',
  'test_automation_action returns 409 for a podcast pending deletion');
select is((select count(*) from automation_executions), 0::bigint, 'a rejected test writes no execution');

-- Limits
create function pg_temp.limited(change text) returns text language sql as $$
  select regexp_replace(pg_temp.test_after(change, 'mail/1'), '"rate_limit_reset_at".*', '…')
$$;
select is(pg_temp.limited($$ update private.settings set value = '0' where key = 'max_automation_tests_per_hour' $$)
  like 'PT429 / Too many requests; try again later / RATE_LIMITED%', true,
  'test_automation_action returns 429 over the limit per user');
select is(pg_temp.limited($$ insert into private.automation_usage (podcast_id, action_type, used_at, units)
    values (tests.id('show'), 'send_email', now(), 100) $$) like 'PT429 / Rate limit exceeded for send_email%', true,
  'test_automation_action returns 429 over the hourly limit of the podcast');

-- An email with sample values
select pg_temp.forget();
select is(pg_temp.test('mail/1'), 'completed', 'a test of an email completes');
select results_eq($$ select e.is_test, e.test_action_id, e.context_data ->> 'tested_by', e.context_data -> 'is_sample',
    e.occurrence_key, jsonb_array_length(e.action_results), e.action_results #>> '{0,result,recipients,0,recipient}'
  from tests.execution('mail') e $$, $$ values (true, tests.id('mail/1'), tests.id('ada')::text, 'true'::jsonb,
    null::text, 1, private.mask_email('ada@test.example')) $$,
  'a test runs only its action, for its caller');
select results_eq($$ select a.email from private.delivery_addresses a $$, $$ values ('ada@test.example') $$,
  'a test sends the email to its caller only, and not to the guest of its action');
select is((select tests.automation_emails('ada@test.example')),
  '[Test] Hello Grace Hopper | <p>July 6, 2026, 3:00 PM (UTC)</p>',
  'a test without an occurrence shows the examples of tags, in the caller''s zone and language');
select is(c #>> '{content,reason}',
  'You get this email because you asked for a test of the automation “mail” of show. Only you get it.',
  'the email of a test says that its recipient asked for it')
from private.delivery_addresses a cross join lateral private.automation_email_content(a.source_id, now()) c
where a.source_id is not null;
update profiles set locale = 'de-DE' where id = tests.id('ada');
select pg_temp.forget(), pg_temp.test('mail/1');
select results_eq($$ select c ->> 'title', c #>> '{content,reason}' from private.delivery_addresses a
    cross join lateral private.automation_email_content(a.source_id, now()) c $$,
  $$ values ('[Test] Hello Grace Hopper',
    'Du bekommst diese E-Mail, weil du die Automation „mail“ von show testest. Nur du bekommst sie.') $$,
  'the email of a test explains itself in the caller''s language');
update profiles set locale = 'en' where id = tests.id('ada');
select results_eq($$ select (select count(*) from private.email_windows),
    (select sum(u.units) from private.automation_usage u) $$, $$ values (0::bigint, 1::bigint) $$,
  'a test counts for the podcast''s hourly limit, and for no budget of a recipient');

-- A chosen occurrence, in any state
select pg_temp.forget();
select is(pg_temp.test('mail/1', format(', booking_id => %L', tests.id('first'))), 'completed',
  'a test runs for a booking that its trigger does not match yet');
select is((select array_agg(a.email || ': ' || (c ->> 'title')) from private.delivery_addresses a
    cross join lateral private.automation_email_content(a.source_id, now()) c),
  array['ada@test.example: [Test] Hello Gus'], 'a test for a booking shows its values to the caller');
select pg_temp.forget();
update bookings set guest_verified_at = null, guest_told_at = null where id = tests.id('first');
select is(pg_temp.test('mail/1', format(', booking_id => %L', tests.id('first'))), 'completed',
  'a test runs for a booking whose guest could not be told of it yet');
update bookings set guest_name = 'Gustav' where id = tests.id('first');
select is((select split_part(tests.automation_emails('ada@test.example'), ' | ', 1)), '[Test] Hello Gustav',
  'the email of a test has the facts of the moment in which it is sent');
select is((select count(*) from private.delivery_addresses where email like 'gus%'), 0::bigint,
  'a test for a booking sends nothing to its guest');
select pg_temp.forget(), pg_temp.test('mail/2', format(', booking_id => %L', tests.id('first')));
select results_eq($$ select c ->> 'html', c -> 'access' from private.delivery_addresses a
    cross join lateral private.automation_email_content(a.source_id, now()) c $$,
  $$ values ('https://casts.test/booking', 'null'::jsonb) $$, 'the email of a test has no token of the guest');
select pg_temp.forget(), pg_temp.test('mail/2');
select is((select tests.automation_emails('ada@test.example')), '[Test] Manage | https://casts.test/booking',
  'a sample of the guest''s email has the page that manages bookings');
select pg_temp.forget(), pg_temp.test('mail/3');
select is((select tests.automation_emails('ada@test.example')), '[Test] Manage',
  'a sample of the team''s email has no page that manages bookings, as the real one');
select pg_temp.forget();

-- Rules that do not run
select is(pg_temp.test_after(change, 'mail/2'),
  'completed / ada@test.example [Test] Manage | https://casts.test/booking', format('a test runs for %s', what))
from (values ('update automation_rules set is_enabled = false', 'a disabled rule'),
  ('update automation_rules set is_paused = true', 'a paused rule'),
  ($$ update automation_rules set conditions = '[{"field": "guest_email", "operator": "is_empty"}]' $$,
    'a rule with conditions that the occurrence does not meet')) v (change, what);
-- What changes between the request and the run, or the sending
create function pg_temp.ends(change text, action text) returns text language plpgsql as $$
declare
  result text;
begin
  perform tests.value_as('ada', format('select public.test_automation_action(%L)::text', tests.id(action)));
  execute change;
  result := (select private.run_automation_execution(e.id) from automation_executions e);
  result := concat_ws(' / ', result, (
    select coalesce(e.error_message, e.outcome_reason) from automation_executions e), (
    select count(*) from notifications n where n.type = 'automation.failed'));
  raise exception using message = result;
exception when raise_exception then
  return sqlerrm;
end $$;
select is(pg_temp.ends(change, 'mail/1'), expected, format('a test ends without a notification after %s', what))
from (values
  ('update automation_rules set is_enabled = false', 'completed / 0', 'its rule was disabled'),
  ('delete from automation_rules', 'canceled / The rule was deleted / 0', 'its rule was deleted'),
  ($$ delete from automation_actions where id = tests.id('mail/1') $$,
    'completed / The action was deleted or changed / 0', 'its action was deleted'),
  (format($$ update automation_actions set action_type = 'update_field', action_config =
      '{"entity": "episode", "field": "title", "value": "Done"}' where id = %L $$, tests.id('mail/1')),
    'completed / The action was deleted or changed / 0', 'its action became an update_field'),
  ($$ update podcast_members set role = 'member' where user_id = tests.id('ada') $$,
    'canceled / The user who asked for the test is no longer an admin / 0', 'its user lost the role'),
  ($$ update automation_templates set subject = repeat('{guest_full_name}', 10) $$, 'completed / 0',
    'its template was changed')) v (change, expected, what);

-- A webhook
select is(pg_temp.test('hook/0'), 'running', 'a test of a webhook waits for its result');
select results_eq($$ select w.webhook_id ~ '^msg_test_[0-9a-f]{32}_[0-9a-f]{32}$', b - '{timestamp,data}'::text[],
    b #>> '{data,tags,guest_full_name}', b #>> '{data,tags,recording_start}', b #>> '{data,tags,podcast_title}',
    b #>> '{data,tags,booking_manage_url}', b -> 'data' ? 'tested_by' or b -> 'data' ? 'is_sample'
    from private.automation_webhooks w cross join lateral (select w.body::jsonb) p (b) $$,
  $$ values (true, '{"test": true, "type": "booking.confirmed"}'::jsonb, 'Grace Hopper', '2026-07-06T15:00:00.000Z',
    'show', null::text, false) $$, 'the webhook of a test is marked by its id and payload, and has sample values');
select is(private.record_webhook_attempt((tests.execution('hook')).id, tests.id('hook/0'), 'No response'), false,
  'a failed attempt of a test makes no dead letter');
select is(tests.run_rule('hook'), 'failed', 'the webhook of a test fails at its first failed attempt');
select results_eq($$ select e.error_message, e.action_results #>> '{0,result,error}',
    (select count(*) from private.automation_webhooks), (select count(*) from notifications n
      where n.type = 'automation.failed') from tests.execution('hook') e $$,
  $$ values ('No response', 'No response', 0::bigint, 0::bigint) $$,
  'a failed test shows the error, and notifies no one');
select pg_temp.forget(), pg_temp.test('hook/1');
select results_eq($$ select r ->> 'body', jsonb_array_length(r -> 'secrets'), r ->> 'webhook_id' ~ '^msg_test_'
    from private.begin_webhook((tests.execution('hook')).id, tests.id('hook/1')) r $$,
  $$ values ('{"text": "Grace Hopper show"}', 1, true) $$,
  'the webhook of a test has the payload_template and signature of its action, and an id that marks it');
select pg_temp.forget();
update automation_actions set disabled_reason = 'gone' where id = tests.id('hook/0');
update automation_rules set is_paused = true where id = tests.id('hook');
select is(pg_temp.test('hook/0'), 'running', 'a test sends a webhook that is disabled');
select is(private.begin_webhook((tests.execution('hook')).id, tests.id('hook/0')) ->> 'url', 'https://hooks.test/in',
  'the worker sends the disabled webhook of a paused rule for a test');
select private.record_webhook_result((tests.execution('hook')).id, tests.id('hook/0'), 'completed', '{}');
select is(concat_ws(' ', tests.run_rule('hook'), (
    select a.disabled_reason from automation_actions a where a.id = tests.id('hook/0'))), 'completed gone',
  'a test that succeeds does not enable its webhook');
select pg_temp.forget();
update automation_actions set disabled_reason = null where id = tests.id('hook/0');
update automation_rules set is_paused = false where id = tests.id('hook');
select pg_temp.test('hook/0');
select private.disable_webhook(tests.id('hook/0'), 'https://hooks.test/in');
select is((select a.disabled_reason from automation_actions a where a.id = tests.id('hook/0')), 'gone',
  'a test whose receiver responds with 410 disables the webhook');

select throws_ok($$ insert into automation_executions (podcast_id, rule_name, trigger_type, context_data,
    test_action_id) values (tests.id('show'), 'x', 'booking.confirmed', '{}', gen_random_uuid()) $$, '23514', null,
  'a test without the user who asked for it violates test_has_tester');

-- History
select pg_temp.forget();
delete from private.automation_count_changes;
select pg_temp.test('mail/1');
-- the statistics, then the totals of lists of all executions, tests, and others
create function pg_temp.counts() returns text language sql as $$
  select tests.value_as('ada', format(
    $sql$ select concat_ws(' ', public.get_automation_stats(%1$L) #>> '{stats,total}',
      public.get_automation_stats(%1$L) #>> '{stats,by_action}',
      public.list_automation_executions(%1$L) ->> 'total',
      jsonb_path_query_array(public.list_automation_executions(%1$L), '$.executions[*].is_test'),
      public.list_automation_executions(%1$L, is_test => true) ->> 'total',
      public.list_automation_executions(%1$L, is_test => false) ->> 'total') $sql$, tests.id('show')))
$$;
select is(pg_temp.counts(), '0 {} 1 [true] 1 0', 'get_automation_stats does not count a test, which lists show');
select private.fold_automation_counts();
select is(pg_temp.counts(), '0 {} 1 [true] 1 0', 'fold_automation_counts adds no test to the statistics');
select pg_temp.forget();
select tests.value_as('ada', format('select public.test_automation_action(%L)', tests.id('mail/1'))) is not null;
update automation_executions set status = 'failed', error_message = 'x', completed_at = now();
select is(tests.value_as('ada', format('select tests.describe_error(%L)', format(
    'select public.retry_automation_execution(%L, true)', (tests.execution('mail')).id))),
  'PT409 / A test cannot be retried; test the action again / EXECUTION_IS_TEST',
  'retry_automation_execution returns 409 for a test');
select is(tests.value_as('ada', format('select public.retry_failed_automation_executions(%L)', tests.id('mail'))),
  '{"retried": 0, "skipped": 0, "has_more": false, "next_from": null}',
  'retry_failed_automation_executions leaves tests out');

select * from tests.finish();
rollback;
