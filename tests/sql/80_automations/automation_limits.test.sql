-- The hourly limits of actions: the sliding window, its message, and executions that wait for it.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.open_link('open', 'show');
create function pg_temp.consume(type text, units int, after interval default '0', podcast text default 'show')
returns text language sql as $$
  select coalesce((private.consume_automation_limit(tests.id(podcast), type::automation_action_type, units,
    now() + after) - now())::text, 'now')
$$;

-- The window
select is(private.max_automation_units(type), max, format('the limit of %s is %s an hour', type, max))
from (values ('send_email'::automation_action_type, 100), ('send_webhook', 500), ('update_field', 200)) v (type, max);
select is(pg_temp.consume(type, units), expected, format('%s of %s %s', units, type, what))
from (values ('send_email', 100), ('send_webhook', 500), ('update_field', 200)) v (type, max)
cross join lateral (values (max - 1, 'now', 'are within the limit'), (2, '01:00:00', 'more are over the limit'),
  (1, 'now', 'more is within the limit'), (1, '01:00:00', 'more is over the limit')) u (units, expected, what);
select results_eq($$ select u.action_type::text, sum(u.units), count(*) from private.automation_usage u
  group by u.action_type order by u.action_type $$,
  $$ values ('send_email', 100::bigint, 2::bigint), ('send_webhook', 500, 2), ('update_field', 200, 2) $$,
  'what is over the limit is not counted');
select is(pg_temp.consume('send_email', 100, podcast => 'other'), 'now', 'each podcast has its own limit');
select is(pg_temp.consume('send_email', 1, after), expected, format('units free their place %s', what))
from (values (interval '1 hour' - interval '1 microsecond', '01:00:00', 'not before an hour'),
  ('1 hour', 'now', 'after exactly an hour')) v (after, expected, what);

delete from private.automation_usage;
select is(pg_temp.consume('send_email', units, after), 'now', format('the window gets %s units after %s', units, after))
from (values (30, interval '0'), (30, '10 minutes'), (40, '20 minutes')) v (units, after);
select is((private.automation_limit_reset(tests.id('show'), 'send_email', units, now() + interval '30 minutes')
    - now())::text, reset, format('%s units have room after %s', units, reset))
from (values (1, '01:00:00'), (30, '01:00:00'), (31, '01:10:00'), (60, '01:10:00'), (61, '01:20:00'),
  (100, '01:20:00'), (101, '01:30:00')) v (units, reset);
select is(private.automation_limit_reset(tests.id('show'), 'send_email', 30, now() + interval '1 hour'), null,
  'the units of the start have left the window an hour later');
select is((private.automation_limit_reset(tests.id('show'), 'send_email', 31, now() + interval '1 hour')
  - now())::text, '01:10:00', 'later units are still in the window then');
select is((select count(*) from private.automation_usage), 3::bigint, 'automation_limit_reset counts nothing');

-- The message
select is(private.automation_limit_message('update_field', now() + after, now()),
  format('Rate limit exceeded for update_field. Try again in %s minutes.', minutes),
  format('the message rounds %s to %s minutes', after, minutes))
from (values (interval '1 hour', 60), ('59 minutes 1 second', 60), ('2 minutes', 2), ('1 minute 1 millisecond', 2),
  ('1 minute', 1), ('1 second', 1), ('0', 1)) v (after, minutes);

-- Settings
select private.set_setting(key, max::text) from (values ('max_automation_emails_per_hour', 3),
  ('max_automation_webhooks_per_hour', 2), ('max_automation_updates_per_hour', 1)) v (key, max);
select is(private.max_automation_units(type), max, format('a setting changes the limit of %s', type))
from (values ('send_email'::automation_action_type, 3), ('send_webhook', 2), ('update_field', 1)) v (type, max);

-- An execution that waits
select tests.member('ada', 'show', 'admin'), tests.episode('pilot', 'show'), tests.template('welcome', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus');
delete from private.automation_usage;
create function pg_temp.fire(rule text, at timestamptz default now()) returns void language sql as $$
  select tests.empty_queue('automation_runs');
  select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), tests.id('pilot'),
    rule, at, tests.id(rule));
  select tests.empty_queue('automation_runs');
$$;
create function pg_temp.run(rule text, after interval) returns text language sql as $$
  select tests.run_rule(rule, at => now() + after)
$$;
create function pg_temp.state(rule text) returns text language sql as $$
  select concat_ws(' | ', e.status, e.error_message,
    date_trunc('second', e.next_attempt_at - now() + interval '1 millisecond'),  -- JSON has milliseconds
    e.completed_at - now(), (
    select string_agg(r, ', ') from tests.results_of(rule) r)) from tests.execution(rule) e
$$;
create function pg_temp.messages() returns text language sql as $$
  select string_agg(concat(q.message - 'podcast_id', ' after ', q.vt - now()), ', ' order by q.msg_id)
  from pgmq.q_automation_runs q
$$;
select tests.rule('waits', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"First"'),
  tests.update_action('summary', '"Second"'), tests.update_action('description', '"Third"')));
select pg_temp.fire('waits');
select is(pg_temp.run('waits', '0'), 'pending', 'run_automation_execution returns pending over the limit');
select is(pg_temp.state('waits'), 'pending | Rate limit exceeded for update_field. Try again in 60 minutes. | '
  '01:00:00 | update_field completed, update_field rate_limited',
  'an execution over the limit is pending until it has room');
select is((tests.execution('waits')).action_results -> 1, jsonb_build_object('action_id', tests.id('waits/1'),
  'action_type', 'update_field', 'status', 'rate_limited', 'result', jsonb_build_object(
    'error', 'Rate limit exceeded for update_field. Try again in 60 minutes.',
    'rate_limit_reset_at', private.format_timestamp(now() + interval '1 hour'))),
  'the result of an action over the limit has the message and the time');
select is(pg_temp.messages(), format('{"execution_id": "%s"} after 01:00:00', (tests.execution('waits')).id),
  'an execution over the limit has a message for the time when it has room');
select is((select (title, summary)::text from episodes where id = tests.id('pilot')), '(First,)',
  'an action over the limit does not run');
select tests.empty_queue('automation_runs');
select is(pg_temp.run('waits', '59 minutes 59.5 seconds'), 'pending', 'an execution that runs too early waits on');
select is(pg_temp.messages(), format('{"execution_id": "%s"} after 01:00:00.5', (tests.execution('waits')).id),
  'the message of an execution that waits is rounded up to a second');
select is((tests.execution('waits')).error_message, 'Rate limit exceeded for update_field. Try again in 1 minutes.',
  'the message of an execution that waits on is the latest');
select is(pg_temp.run('waits', '1 hour'), 'pending', 'an execution runs its next action once the window has room');
select is(pg_temp.state('waits'), 'pending | Rate limit exceeded for update_field. Try again in 60 minutes. | '
  '02:00:00 | update_field completed, update_field completed, update_field rate_limited',
  'an execution waits again for its next action');
select is(pg_temp.run('waits', '2 hours'), 'completed', 'an execution that waited completes');
select is(pg_temp.state('waits'), 'completed | 02:00:00 | update_field completed, update_field completed, '
  'update_field completed', 'an execution that waited has no error and no next attempt');
select is((tests.execution('waits')).started_at, now(), 'an execution that waited keeps started_at');
select is((select sum(units) from private.automation_usage), 3::bigint,
  'an execution that waited has counted each action once');

-- What waits until its action is deleted, or its rule is disabled
create function pg_temp.wait_and(change text) returns text language plpgsql as $$
begin
  delete from private.automation_usage;
  perform tests.rule('changed', 'show', 'booking.confirmed',
    jsonb_build_array(tests.update_action('title', '"1"'), tests.update_action('summary', '"2"')));
  perform pg_temp.consume('update_field', 1), pg_temp.fire('changed'), pg_temp.run('changed', '0');
  execute change;
  perform pg_temp.run('changed', '1 hour');
  raise exception using message = concat_ws(' | ', e.status, e.outcome, e.outcome_reason, (
    select string_agg(concat_ws(' ', r ->> 'status', r #>> '{result,reason}'), ', ')
    from jsonb_array_elements(e.action_results) r)) from tests.execution('changed') e;
exception when raise_exception then
  return sqlerrm;
end $$;
select is(pg_temp.wait_and(change), expected, format('an execution whose %s while it waits for a limit', what))
from (values
  ('delete from automation_actions where id = tests.id(''changed/0'')',
    'completed | done | skipped The action was deleted, completed', 'action was deleted'),
  ('delete from automation_actions where rule_id = tests.id(''changed'')',
    'completed | nothing_to_do | The action was deleted | skipped The action was deleted', 'only actions were deleted'),
  ('update automation_rules set is_enabled = false where id = tests.id(''changed'')',
    'canceled | skipped The rule was disabled', 'rule was disabled'),
  ('select tests.set_status(''show'', ''pending_deletion'')',
    'canceled | skipped The podcast is scheduled for deletion', 'podcast is scheduled for deletion'))
  v (change, expected, what);

-- Each type of action
select tests.rule('emails', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('welcome', 'team'))),
  tests.rule('hooks', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
delete from private.automation_usage;
select pg_temp.fire(r) from unnest(array['emails', 'hooks']) r;
select pg_temp.consume(type, 2) from unnest(array['send_email', 'send_webhook']) type;
select is(pg_temp.run(rule, '0'), 'pending', format('%s over the limit wait', rule))
from unnest(array['emails', 'hooks']) rule;
select is_empty($$ select from tests.queued('automation_webhooks') $$, 'a webhook over the limit is not enqueued');
select is_empty($$ select from notification_deliveries d where d.type = 'automation.email' $$,
  'an email over the limit is not sent, not even to some of its recipients');
select is(pg_temp.state('emails'), 'pending | Rate limit exceeded for send_email. Try again in 60 minutes. | '
  '01:00:00 | send_email rate_limited', 'an email to two recipients waits if one has room');
select is(pg_temp.run('emails', '1 hour'), 'completed', 'an email is sent once the window has room');
select is(pg_temp.run('hooks', '1 hour'), 'running', 'a webhook is enqueued once the window has room');
select tests.member('mel', 'show'), tests.member('max', 'show');
select tests.rule('too many', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('welcome', 'team')));
select pg_temp.fire('too many');
select is(pg_temp.run('too many', '3 hours'), 'failed', 'an email to more recipients than the limit does not wait');
select is((tests.execution('too many')).error_message, 'The email has 4 recipients; at most 3 an hour are allowed',
  'an email to more recipients than the limit has an error');

-- Waits are bounded
select tests.rule('gives up', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"x"'),
    tests.webhook_action())),
  tests.rule('passes', 'show', 'booking.confirmed', jsonb_build_array(
    tests.update_action('title', '"x"', fields => '{"continue_on_error": true}'), tests.webhook_action()));
delete from private.automation_usage;
select pg_temp.fire(r) from unnest(array['gives up', 'passes']) r;
select pg_temp.consume('update_field', 1, '23 hours 30 minutes');
select is(pg_temp.run('gives up', interval '1 day' - interval '1 microsecond'), 'pending',
  'an execution waits for the limit within a day');
select is(pg_temp.run('gives up', '1 day'), 'failed', 'an execution that waits for a day fails');
select is(pg_temp.state('gives up'), 'failed | Rate limit exceeded for update_field. Try again in 30 minutes. | '
  '1 day | update_field failed, send_webhook skipped',
  'an execution that waited for a day has the message as its error');
select is(pg_temp.run('passes', '1 day'), 'running',
  'an action that waits for a day and continues on errors lets the next one run');

-- Several that wait
delete from private.automation_usage;
delete from automation_executions;
select tests.rule('queue', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"x"')));
select private.set_setting('max_automation_updates_per_hour', '2');
select private.consume_automation_limit(tests.id('show'), 'update_field', 1, now() - n * interval '20 minutes')
from generate_series(1, 2) n;
create function pg_temp.fire_many(rule text, n int, at timestamptz default now()) returns void language sql as $$
  select count(private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), tests.id('pilot'),
    concat('wait ', at, to_char(n, '00')), at, tests.id(rule))) from generate_series(1, n) n
$$;
select pg_temp.fire_many('queue', 4);
select private.run_automation_execution(id, now()) from automation_executions order by occurrence_key;
create function pg_temp.turns() returns text language sql as $$
  select string_agg(concat(e.waits_for, ' ', round(extract(epoch from e.next_attempt_at - now()) / 60)), ', '
    order by e.occurrence_key) from automation_executions e
$$;
select is(pg_temp.turns(), 'update_field 20, update_field 40, update_field 80, update_field 100',
  'executions that wait for a limit get turns for which the window has room');
create function pg_temp.reset(type automation_action_type, units int, after interval default '0', rank int default null)
returns text language sql as $$
  select coalesce(date_trunc('second', private.automation_limit_reset(tests.id('show'), type, units, now() + after, (
    select e.id from (select o.id, row_number() over (order by o.occurrence_key) as n from automation_executions o) e
    where e.n = rank)) - now() + interval '1 millisecond')::text, 'now')
$$;
select is(pg_temp.reset('update_field', 1), '02:20:00', 'a new use comes after the executions that wait');
select is(pg_temp.reset('update_field', 1, '20 minutes', 1), 'now', 'an execution that waits runs at its turn');
select is(pg_temp.reset('update_field', 1, '20 minutes'), '02:20:00',
  'an execution whose turn has come is not overtaken by a new one');
select is(pg_temp.reset('update_field', 1, '40 minutes', 2), 'now',
  'an execution runs beside an earlier one that missed its turn if there is room for both');
select private.set_setting('max_automation_updates_per_hour', '1');
select is(pg_temp.reset('update_field', 1, after, 2), expected, format(
    'an execution waits for an earlier one that missed its turn, %s', what))
from (values (interval '29 minutes 59 seconds', '01:29:59', 'for ten minutes'), ('30 minutes', '00:40:00',
  'and no longer')) v (after, expected, what);
select private.set_setting('max_automation_updates_per_hour', '2');
select is(pg_temp.reset(type, 1), 'now', format('executions that wait for update_field delay no %s', type))
from unnest('{send_email,send_webhook}'::automation_action_type[]) type;
select is(private.run_automation_execution(id, now() + interval '20 minutes'), 'completed',
  'an execution that waited runs at its turn') from automation_executions order by occurrence_key limit 1;
select is(pg_temp.turns(), ' , update_field 40, update_field 80, update_field 100',
  'an execution that ran waits for nothing');
delete from automation_rules where id = tests.id('queue');
select is(pg_temp.turns(), ' ,  ,  ,  ', 'a canceled execution waits for nothing');

-- Units
delete from private.automation_usage;
delete from automation_executions;
select private.set_setting('max_automation_emails_per_hour', '6');
select pg_temp.consume('send_email', 3), pg_temp.consume('send_email', 3, '10 minutes');
select pg_temp.fire_many('emails', 1);
select private.run_automation_execution(id, now() + interval '20 minutes') from automation_executions;
select is((select (waits_for, waits_for_units, round(extract(epoch from next_attempt_at - now())))::text
    from automation_executions), '(send_email,4,4200)', 'an execution that waits has the number of recipients');
select is(pg_temp.reset('send_email', units, '30 minutes'), expected, format('%s recipients wait %s', units, what))
from (values (2, '01:10:00', 'for the same turn'), (3, '02:10:00', 'until the four of an earlier execution left')
  ) v (units, expected, what);

-- An execution that still sends a webhook has a turn as well
delete from private.automation_usage;
delete from automation_executions;
select private.set_setting('max_automation_updates_per_hour', '1');
select tests.rule('sends', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  tests.update_action('title', '"Sent"')));
select tests.rule('later', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"Later"')));
select pg_temp.fire_many('sends', 2), pg_temp.fire_many('later', 1, now() + interval '1 second');
select private.run_automation_execution(id, now()) from automation_executions where rule_id = tests.id('sends');
update automation_executions e set action_results = jsonb_set(e.action_results, '{0,result,begun_at}',
  to_jsonb(private.format_timestamp(now() - interval '2 hours'))) where e.rule_id = tests.id('sends');
select pg_temp.consume('update_field', 1);
select private.run_automation_execution(id, now()) from automation_executions order by occurrence_key;
select is(pg_temp.turns(), 'update_field 60, update_field 120, update_field 180',
  'executions that still send a webhook have turns before those that are later');

-- The forecasts of 60 executions, most of which wait for hours, and what happens: the worker is up to five seconds late
delete from private.automation_usage;
delete from automation_executions;
select tests.rule('many', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"x"')));
select private.set_setting('max_automation_updates_per_hour', '9');
select private.set_setting('max_automation_emails_per_hour', '20');
select pg_temp.consume('update_field', 2, make_interval(mins => n * -13)) from generate_series(1, 4) n;
select pg_temp.consume('send_email', 4, make_interval(mins => n * -11)) from generate_series(1, 5) n;
create temp table runs (id uuid, told_at timestamptz, ran_at timestamptz);
create function pg_temp.run_all() returns void language plpgsql as $$
declare
  execution automation_executions;
  ran_at    timestamptz;
  n         int := 0;
begin
  loop
    select e.* into execution from automation_executions e where e.status = 'pending'
    order by coalesce(e.next_attempt_at, e.created_at), e.id limit 1;
    exit when not found;
    n := n + 1;
    -- a message is visible at the next whole second
    ran_at := date_trunc('second', coalesce(execution.next_attempt_at, execution.created_at)
      + interval '999 milliseconds') + make_interval(secs => n % 6);
    perform private.run_automation_execution(execution.id, ran_at);
    insert into runs select e.id, e.next_attempt_at, case when e.status = 'completed' then ran_at end
    from automation_executions e where e.id = execution.id;
  end loop;
end $$;
select pg_temp.fire_many(rule, 5, now() + make_interval(mins => n * 3))
from unnest(array['many', 'emails']) rule, generate_series(0, 5) n;
select pg_temp.run_all();
select is((select count(*) from runs where ran_at is not null), 60::bigint, 'each execution that waits runs');
select cmp_ok((select count(*) from (select from runs where told_at is not null group by id) w), '>', 45::bigint,
  'most executions of a burst wait');
select cmp_ok((select max(told_at) - min(told_at) from runs), '>', interval '5 hours',
  'the forecasts of a burst over the limit reach hours ahead');
select cmp_ok((
    select max(greatest(r.ran_at - w.told_at, w.told_at - r.ran_at))
    from runs r join (
      select distinct on (t.id) t.id, t.told_at from runs t where t.told_at is not null order by t.id, t.told_at) w
      on w.id = r.id
    where r.ran_at is not null), '<', interval '1 minute',
  'each execution runs within a minute of the turn that it was told first');
select cmp_ok((
    select max(used) from (
      select sum(u.units) over (partition by u.action_type order by u.used_at
        range between '59:59.999999' preceding and current row)::numeric
        / private.max_automation_units(u.action_type) as used from private.automation_usage u) w), '<=', 1::numeric,
  'no hour has more uses than the limit');
select cmp_ok((
    select min(u.n) from (
      select count(*) as n from private.automation_usage u where u.action_type = 'update_field' and u.used_at
        between now() + interval '1 hour' and now() + interval '3 hours') u), '>=', 17::bigint,
  'waiting executions use the whole limit');

select * from tests.finish();
rollback;
