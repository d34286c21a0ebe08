-- report_automation_email: what becomes of an email shows in the result of its action.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus');
select tests.template('plain', 'show');
select tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  tests.email_action('plain', 'team'), tests.update_action('notes', '"Soon"', 'guest')));
select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), null, 'once', now());
select tests.run_rule('rule', at => now());
select tests.run_rule('rule', jsonb_build_object('action_id', tests.id('rule/0'), 'status', 'completed',
  'result', '{}'::jsonb), now());
update notification_deliveries set status = 'queued' where type = 'automation.email';

create function pg_temp.delivery(who text) returns uuid language sql as $$
  select a.delivery_id from private.delivery_addresses a
  where a.source_id is not null and a.email = who || '@test.example'
$$;
-- 'a*** sent' per recipient, and the counts, of the newest execution or of the one that it retries
create function pg_temp.shown(execution automation_executions default tests.execution('rule')) returns text
language sql as $$
  select (select string_agg(concat_ws(' ', left(r ->> 'recipient', 1), r ->> 'status', r ->> 'send_at', r ->> 'reason'),
      ', ' order by r ->> 'recipient') from jsonb_array_elements(a.entry #> '{result,recipients}') r)
    || format('; %s sent, %s failed', a.entry #> '{result,sent_count}', a.entry #> '{result,failed_count}')
  from jsonb_array_elements(execution.action_results) a (entry) where a.entry ->> 'action_type' = 'send_email'
$$;
select is(pg_temp.shown(), 'a sending, m sending, o sending; 0 sent, 0 failed',
  'the result of send_email lists the emails that are on their way');

select private.record_email_sent(pg_temp.delivery('ada'), 'm1', now()),
  private.record_email_sent(pg_temp.delivery('mel'), 'm2', now());
select is(pg_temp.shown(), 'a sent, m sent, o sending; 2 sent, 0 failed',
  'the result of send_email shows which emails the provider accepted');
select private.advance_delivery(pg_temp.delivery('ada'), status, now()) from unnest(
  '{delivered,opened,sent,delivered}'::delivery_status[]) status;
select is(pg_temp.shown(), 'a opened, m sent, o sending; 2 sent, 0 failed',
  'late and repeated reports take nothing back in the result of send_email');
select private.record_rejected_address('mel@test.example', 'x', pg_temp.delivery('mel'), now());
select is(pg_temp.shown(), 'a opened, m bounced The address does not receive email, o sending; 1 sent, 1 failed',
  'the result of send_email shows an address that bounced');
update podcast_members set role = 'admin' where user_id = tests.id('mel');
update automation_actions set action_config = action_config || '{"to": "guest"}' where action_type = 'send_email';
select private.begin_email_delivery(pg_temp.delivery('ola'), at => now());
select is(pg_temp.shown(), 'a opened, m bounced The address does not receive email, '
  'o canceled The rule no longer sends to this recipient; 1 sent, 2 failed',
  'the result of send_email shows why an email was canceled');
select results_eq($$ select e.entry ->> 'action_type' from tests.execution('rule') x,
    jsonb_array_elements(x.action_results) with ordinality e (entry, n) order by e.n $$,
  $$ values ('send_webhook'), ('send_email'), ('update_field') $$, 'a report keeps the order of the results');
select is((tests.execution('rule')).status::text, 'completed', 'a report does not change the status of an execution');

-- Failed attempts, which an operator repeats
update automation_actions set action_config = action_config || '{"to": "host"}' where action_type = 'send_email';
select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), null, 'twice', now() +
  interval '1 second');
update automation_executions set created_at = now() + interval '1 second' where occurrence_key = 'twice';
delete from private.delivery_addresses a where a.email = 'ola@test.example';
select tests.run_rule('rule', at => now());
select tests.run_rule('rule', jsonb_build_object('action_id', tests.id('rule/0'), 'status', 'completed',
  'result', '{}'::jsonb), now());
update notification_deliveries set status = 'queued' where id = pg_temp.delivery('ola');
insert into private.delivery_sends (delivery_id, last_error)
values (pg_temp.delivery('ola'), 'mail.internal:25 refused the connection');
update notification_deliveries set status = 'failed' where id = pg_temp.delivery('ola');
select is(pg_temp.shown(), 'o failed The mail server could not be reached, or refused the email; 0 sent, 1 failed',
  'the result of send_email shows a failed email without the words of the server');
update notification_deliveries set status = 'pending', due_at = created_at where id = pg_temp.delivery('ola');
select is(pg_temp.shown(), 'o sending; 0 sent, 0 failed',
  'the result of send_email shows that a failed email is sent again');
update notification_deliveries set due_at = '2027-01-05T12:00:00Z' where id = pg_temp.delivery('ola');
select is(pg_temp.shown(), 'o sending 2027-01-05T12:00:00.000Z; 0 sent, 0 failed',
  'the result of send_email shows when a delayed email is sent');
update notification_deliveries set status = 'queued' where id = pg_temp.delivery('ola');
select is(pg_temp.shown(), 'o sending 2027-01-05T12:00:00.000Z; 0 sent, 0 failed',
  'the job that queues emails writes no execution');

-- A retry has the results of what was done before it
insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, context_data, action_results,
  retry_of_id, created_at)
select x.podcast_id, x.rule_id, x.rule_name, x.trigger_type, x.context_data, x.action_results, x.id,
  now() + interval '1 minute' from tests.execution('rule') x;
select private.record_email_sent(pg_temp.delivery('ola'), 'm3', now());
select is(pg_temp.shown(), 'o sent; 1 sent, 0 failed', 'a report reaches the retry of an execution');
select is(pg_temp.shown(x), 'o sent; 1 sent, 0 failed', 'a report reaches the execution that was retried')
from automation_executions x where x.occurrence_key = 'twice';
select private.suppress_email(private.email_digest('ola@test.example'), 'complaint', at => now()),
  private.advance_delivery(pg_temp.delivery('ola'), 'failed', now());
select is(pg_temp.shown(), 'o failed The recipient reported the email as spam; 0 sent, 1 failed',
  'the result of send_email shows that the recipient complained about the email');

-- An email that is canceled when it is to be sent
select tests.rule('late', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('plain', 'team')));
select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), null, 'late', now(),
  tests.id('late'));
delete from private.delivery_addresses;
delete from private.email_suppressions;
select tests.run_rule('late', at => now());
update notification_deliveries d set status = 'queued' from private.delivery_addresses a where a.delivery_id = d.id;
create function pg_temp.outcome() returns text language sql as $$
  select concat_ws(' ', e.action_results #>> '{0,status}', e.outcome, e.outcome_reason) from tests.execution('late') e
$$;
update bookings set status = 'cancelled', cancelled_by = 'host' where id = tests.id('first');
select private.begin_email_delivery(pg_temp.delivery(who), at => now()) from unnest('{ola,ada}'::text[]) who;
select is(pg_temp.outcome(), 'completed done', 'an execution of which one email is not canceled did something');
select private.begin_email_delivery(pg_temp.delivery('mel'), at => now());
select is(pg_temp.outcome(), 'skipped nothing_to_do The booking was canceled',
  'an execution whose emails were all canceled when they were to be sent did nothing');
select is((select sum(c.emails) from private.automation_count_changes c where c.podcast_id = tests.id('show')),
  (select count(*) from automation_executions e, jsonb_array_elements(e.action_results) r
    where r ->> 'action_type' = 'send_email' and r ->> 'status' <> 'skipped' and e.retry_of_id is null)::bigint,
  'the statistics do not count an email action whose emails were all canceled');

-- What is deleted
delete from automation_executions;
select is((select count(*) from private.automation_emails), 0::bigint,
  'the emails of an execution are forgotten with it');
select lives_ok($$ select private.advance_delivery(pg_temp.delivery('ola'), 'opened', now()) $$,
  'a report about an email whose execution was deleted is taken');

select * from tests.finish();
rollback;
