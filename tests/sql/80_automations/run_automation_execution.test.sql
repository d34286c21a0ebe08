-- run_automation_execution: the order of actions, failures, changed rules, and how an execution ends.
-- send_webhook.test.sql, run_send_email.test.sql and run_update_field.test.sql have the actions,
-- rule_problem.test.sql what cancels an execution, automation_limits.test.sql the hourly limits.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.episode('pilot', 'show'), tests.template('welcome', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus');

-- Fires a rule for the booking with its episode, as another occurrence each time
create function pg_temp.fire(rule text, at timestamptz default clock_timestamp()) returns int language sql as $$
  select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), tests.id('pilot'),
    gen_random_uuid()::text, at, tests.id(rule))
$$;
create function pg_temp.run(rule text) returns text language plpgsql as $$
begin
  perform pg_temp.fire(rule);
  return tests.run_rule(rule);
end $$;
create function pg_temp.state(rule text) returns text language sql as $$
  select concat_ws(' | ', e.status, e.error_message, e.outcome || coalesce(': ' || e.outcome_reason, ''), (
    select string_agg(r, ', ') from tests.results_of(rule) r))
  from tests.execution(rule) e
$$;
-- Titles that are valid, and one that is too long
create function pg_temp.title(value text, fields jsonb default '{}') returns jsonb language sql as $$
  select tests.update_action('title', to_jsonb(value), fields => fields)
$$;
create function pg_temp.bad(fields jsonb default '{}') returns jsonb language sql as $$
  select pg_temp.title(repeat('x', 256), fields)
$$;

-- The order and the results
select tests.rule('ordered', 'show', 'booking.confirmed', jsonb_build_array(pg_temp.title('Third',
    '{"execution_order": 30}'), pg_temp.title('First', '{"execution_order": 4}'),
  tests.email_action('welcome', fields => '{"execution_order": 12}')));
select is(pg_temp.run('ordered'), 'completed', 'run_automation_execution returns the status');
select is((tests.execution('ordered')).action_results #- '{1,result,recipients}', jsonb_build_array(
  jsonb_build_object('action_id', tests.id('ordered/4'), 'action_type', 'update_field', 'status', 'completed',
    'result', jsonb_build_object('entity', 'episode', 'ids', jsonb_build_array(tests.id('pilot')), 'field', 'title',
      'value', 'First')),
  jsonb_build_object('action_id', tests.id('ordered/12'), 'action_type', 'send_email', 'status', 'completed',
    'result', jsonb_build_object('template_id', tests.id('welcome'), 'recipient_count', 1,
      'sent_count', 0, 'failed_count', 0, 'skipped_count', 0, 'missing_tags', '[]'::jsonb)),
  jsonb_build_object('action_id', tests.id('ordered/30'), 'action_type', 'update_field', 'status', 'completed',
    'result', jsonb_build_object('entity', 'episode', 'ids', jsonb_build_array(tests.id('pilot')), 'field', 'title',
      'value', 'Third'))), 'action_results has the result of each action, in execution_order');
select is((select title from episodes where id = tests.id('pilot')), 'Third', 'actions run in execution_order');
select results_eq($$ select e.status::text, e.error_message, e.started_at = e.completed_at, e.next_attempt_at
  from tests.execution('ordered') e $$, $$ values ('completed', null, true, null::timestamptz) $$,
  'an execution whose actions completed is completed');
select tests.rule('empty', 'show', 'booking.confirmed');
select pg_temp.run('empty');
select is(pg_temp.state('empty'), 'completed | nothing_to_do: The rule has no actions',
  'an execution of a rule without actions has nothing to do');
select is((select count(*) from notifications where type = 'automation.failed'), 0::bigint,
  'a completed execution notifies no one');

-- Failures
select tests.rule('stops', 'show', 'booking.confirmed', jsonb_build_array(pg_temp.title('Before'), pg_temp.bad(),
  pg_temp.title('After'), tests.email_action('welcome'), tests.webhook_action()), author => 'ada');
select is(pg_temp.run('stops'), 'failed', 'run_automation_execution returns failed if an action failed');
select is(pg_temp.state('stops'), 'failed | The value was rejected: The title must have 1 to 255 characters | '
    'update_field completed, update_field failed, update_field skipped, send_email skipped, send_webhook skipped',
  'a failed action fails the execution, and the later actions are skipped');
select is((tests.execution('stops')).action_results #> '{1,result}',
  '{"error": "The value was rejected: The title must have 1 to 255 characters"}',
  'the result of a failed action has its error');
select is((tests.execution('stops')).action_results #> '{2,result}', '{"reason": "An earlier action failed"}',
  'the result of a skipped action has the reason');
select is((select title from episodes where id = tests.id('pilot')), 'Before', 'a skipped action changes nothing');
select tests.rule('continues', 'show', 'booking.confirmed', jsonb_build_array(
  pg_temp.bad('{"continue_on_error": true}'), pg_temp.title('After'), pg_temp.bad('{"continue_on_error": true}')));
select pg_temp.run('continues');
select is(pg_temp.state('continues'),
  'completed | done | update_field failed, update_field completed, update_field failed',
  'an execution with failed actions that continue on errors is completed');
select tests.rule('all fail', 'show', 'booking.confirmed', jsonb_build_array(
  tests.update_action('bio', '"x"', 'guest'), pg_temp.bad('{"continue_on_error": true}')));
select pg_temp.run('all fail');
select is(pg_temp.state('all fail'), 'failed | The value was rejected: The title must have 1 to 255 characters | '
  'update_field skipped, update_field failed', 'an execution fails if nothing was done because its actions failed');
select tests.rule('both', 'show', 'booking.confirmed', jsonb_build_array(
  pg_temp.bad('{"continue_on_error": true}'), pg_temp.bad(), pg_temp.title('Never')));
select pg_temp.run('both');
select is(pg_temp.state('both'), 'failed | The value was rejected: The title must have 1 to 255 characters | '
  'update_field failed, update_field failed, update_field skipped',
  'a failed action that does not continue on errors stops an execution that continued before');

select tests.rule('idle', 'show', 'booking.confirmed', jsonb_build_array(
  tests.update_action('bio', '"x"', 'guest'), tests.update_action('notes', '"x"', 'guest')));
select pg_temp.run('idle');
select is(pg_temp.state('idle'), 'completed | nothing_to_do: The occurrence has no guest | update_field skipped, '
  'update_field skipped', 'an execution whose actions were all skipped has nothing to do, with the first reason');

-- Executions that ended, and that are missing
select is(private.run_automation_execution(gen_random_uuid()), null, 'a missing execution has no status');
select is(tests.finish_webhook(gen_random_uuid(), jsonb_build_object('action_id', gen_random_uuid(),
  'status', 'completed', 'result', '{}'::jsonb)), null, 'a result of a missing execution is ignored');
update episodes set title = 'Untouched' where id = tests.id('pilot');
create temp table ended as select e.*, e::text as before from automation_executions e
  where e.rule_id in (tests.id('ordered'), tests.id('stops'), tests.id('empty'));
update automation_rules set is_enabled = false where id = tests.id('ordered');
select is((select bool_and(private.run_automation_execution(id) = status::text) from ended), true,
  'run_automation_execution returns the status of executions that ended');
select is((select string_agg(e::text, ',' order by e.id) from automation_executions e join ended using (id)),
  (select string_agg(before, ',' order by id) from ended), 'executions that ended do not change when they run again');
select is((select title from episodes where id = tests.id('pilot')), 'Untouched',
  'executions that ended run no action again');
select is((select count(*) from tests.automation_emails('gus@guests.example')), 1::bigint,
  'executions that ended send no email again');

-- Actions that change while an execution waits for a webhook
select tests.rule('edited', 'show', 'booking.confirmed', jsonb_build_array(pg_temp.title('One'),
  tests.webhook_action(), pg_temp.title('Old'), pg_temp.title('Removed', '{"execution_order": 7}')));
select is(pg_temp.run('edited'), 'running', 'an execution waits for its webhook');
select tests.value_as('ola', format('select public.update_automation_rule(%L, %L)', tests.id('edited'),
  jsonb_build_object('actions', jsonb_build_array(
    pg_temp.title('One again') || jsonb_build_object('id', tests.id('edited/0')),
    tests.webhook_action() || jsonb_build_object('id', tests.id('edited/1')),
    pg_temp.title('New') || jsonb_build_object('id', tests.id('edited/2')),
    tests.update_action('season_number', '4')))));
select is(tests.run_rule('edited', jsonb_build_object('action_id', tests.id('edited/1'), 'status', 'completed',
  'result', '{"status_code": 200}'::jsonb)), 'completed', 'an execution continues after its rule changed');
select is((select jsonb_agg(r #> '{result,value}') from jsonb_array_elements(
    (tests.execution('edited')).action_results) r), '["One", null, "New", 4]',
  'actions that have not run yet run as the rule has them now, and completed ones are not repeated');
select is((select (title, season_number)::text from episodes where id = tests.id('pilot')), '(New,4)',
  'a removed action does not run, and an added one does');
select tests.rule('emptied', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  pg_temp.title('Never')));
select pg_temp.run('emptied');
delete from automation_actions where id in (tests.id('emptied/0'), tests.id('emptied/1'));
select tests.run_rule('emptied', jsonb_build_object('action_id', tests.id('emptied/0'), 'status', 'completed',
  'result', '{"status_code": 200}'::jsonb));
select is(pg_temp.state('emptied'), 'completed | done | send_webhook completed',
  'an execution whose actions were deleted is completed, with the result of the webhook that was sent');
select tests.rule('removed', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  pg_temp.title('Continues')));
select pg_temp.run('removed');
delete from automation_actions where id = tests.id('removed/0');
select is(tests.run_rule('removed'), 'running', 'an execution waits for the webhook of a deleted action');
select is(pg_temp.state('removed'), 'running | send_webhook running, update_field completed',
  'the actions behind the webhook of a deleted action run at once');
select is(tests.run_rule('removed', jsonb_build_object('action_id', tests.id('removed/0'), 'status', 'skipped',
  'result', '{"reason": "The webhook was deleted"}'::jsonb)), 'completed',
  'an execution whose webhook was deleted completes');
select is(pg_temp.state('removed'), 'completed | done | update_field completed, send_webhook skipped',
  'a webhook that was deleted while it was sent is skipped');
select tests.rule('retyped', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
select pg_temp.run('retyped');
update automation_actions set action_type = 'update_field',
  action_config = '{"entity": "episode", "field": "title", "value": "Retyped"}' where id = tests.id('retyped/0');
select is(tests.run_rule('retyped', jsonb_build_object('action_id', tests.id('retyped/0'), 'status', 'skipped',
  'result', '{"reason": "The webhook was deleted"}'::jsonb)), 'completed',
  'a webhook that became another action runs as it is now');
select is(pg_temp.state('retyped'), 'completed | done | update_field completed',
  'an action that has another type now has the result of that');

-- A webhook that is tried for a long time
select tests.rule('slow', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  pg_temp.title('Meanwhile'), tests.webhook_action()));
select pg_temp.run('slow');
update automation_executions e set action_results = jsonb_set(e.action_results, '{0,result,begun_at}',
  to_jsonb(private.format_timestamp(now()))) where e.rule_id = tests.id('slow');
select is(tests.run_rule('slow', at => now() + interval '2 hours' - interval '1 second'), 'running',
  'an execution waits for a webhook for two hours');
select is(pg_temp.state('slow'), 'running | send_webhook running', 'actions behind a webhook wait for two hours');
insert into private.automation_usage (podcast_id, action_type, used_at, units)
values (tests.id('show'), 'update_field', now() + interval '90 minutes', 200);
select tests.empty_queue('automation_runs');
select is(tests.run_rule('slow', at => now() + interval '2 hours'), 'running',
  'an execution whose webhook is tried stays running while another action waits for its limit');
select results_eq($$ select e.next_attempt_at, e.waits_for, e.error_message,
    (select string_agg(r, ', ') from tests.results_of('slow') r), (select count(*) from tests.queued('automation_runs'))
  from tests.execution('slow') e $$, $$ values (date_trunc('milliseconds', now()) + interval '150 minutes',
    'update_field'::automation_action_type, 'Rate limit exceeded for update_field. Try again in 30 minutes.',
    'send_webhook running, update_field rate_limited', 1::bigint) $$,
  'an execution that is running and waits for a limit has its turn, and a message for it');
select is(tests.run_rule('slow', at => now() + interval '3 hours'), 'running',
  'an execution stays running until no webhook is tried');
select is(pg_temp.state('slow'), 'running | send_webhook running, update_field completed, send_webhook running',
  'actions behind a webhook run after two hours');
select is((select (e.next_attempt_at, e.waits_for)::text from tests.execution('slow') e), '(,)',
  'an execution that runs the action for which it waited waits no longer');
select is(tests.run_rule('slow', jsonb_build_object('action_id', tests.id('slow/2'), 'status', 'completed', 'result',
  '{}'::jsonb)), 'running', 'an execution stays running until the result of its first webhook');
select is(tests.run_rule('slow', jsonb_build_object('action_id', tests.id('slow/0'), 'status', 'failed', 'result',
  '{"error": "It gave up"}'::jsonb)), 'failed', 'a webhook that fails after two hours fails its execution');
delete from private.automation_usage;

-- A pause
select tests.rule('paused', 'show', 'booking.confirmed', jsonb_build_array(pg_temp.title('Paused'),
  tests.webhook_action()), author => 'ada');
insert into private.automation_usage (podcast_id, action_type, used_at, units)
values (tests.id('show'), 'update_field', now(), 200);
select pg_temp.fire('paused', now()), tests.run_rule('paused', at => now());
update automation_rules set is_paused = true where id = tests.id('paused');
select tests.empty_queue('automation_runs');
select is(tests.run_rule('paused', at => now() + interval '1 hour'), 'pending', 'an execution of a paused rule waits');
select results_eq($$ select e.held_until, e.next_attempt_at, e.waits_for, e.error_message, e.action_results
  from tests.execution('paused') e $$, $$ values (now() + interval '7 days 1 hour', null::timestamptz,
    null::automation_action_type, 'The rule is paused; the execution continues when it is resumed', '[]'::jsonb) $$,
  'an execution of a paused rule says for what it waits, and until when');
select is_empty($$ select from tests.queued('automation_runs') $$,
  'an execution of a paused rule has no message until the rule is resumed');
select is(tests.run_rule('paused', at => now() + interval '2 days'), 'pending',
  'an early run of a held execution waits');
select is((tests.execution('paused')).held_until, now() + interval '7 days 1 hour',
  'an early run of a held execution does not prolong its wait');
update automation_rules set is_paused = false where id = tests.id('paused');
update automation_executions set resumed_at = now() + interval '2 days' where rule_id = tests.id('paused');
insert into private.automation_usage (podcast_id, action_type, used_at, units)
values (tests.id('show'), 'update_field', now() + interval '2 days', 200);
select is(tests.run_rule('paused', at => now() + interval '2 days'), 'pending',
  'an execution may wait for a limit for a day after its rule was resumed');
delete from private.automation_usage;
select is(tests.run_rule('paused', at => now() + interval '2 days'), 'running', 'an execution continues after a pause');
update automation_rules set is_paused = true where id = tests.id('paused');
select is(tests.run_rule('paused', jsonb_build_object('action_id', tests.id('paused/1'), 'status', 'completed',
  'result', '{}'::jsonb)), 'completed', 'an execution that has nothing left to do completes during a pause');

-- A rule whose trigger changed while an execution waits
create function pg_temp.after_change(change text) returns text language plpgsql as $$
begin
  perform tests.rule('changed', 'show', 'booking.confirmed', jsonb_build_array(pg_temp.title('Never'))),
    pg_temp.fire('changed');
  execute change;
  perform tests.run_rule('changed');
  raise exception using message = pg_temp.state('changed');
exception when raise_exception then
  return sqlerrm;
end $$;
select tests.open_link('another', 'show');
select is(pg_temp.after_change(change), 'completed | nothing_to_do: ' || problem || ' | update_field skipped',
  format('an execution has nothing to do if its rule is for another %s now', what))
from (values ('update automation_rules set trigger_type = ''booking.declined'' where id = tests.id(''changed'')',
    'The rule has another trigger now', 'trigger'),
  ('update automation_rules set trigger_config = jsonb_build_object(''booking_link_id'', tests.id(''another''))
    where id = tests.id(''changed'')', 'The rule is for another booking link', 'booking link'))
  v (change, problem, what);

-- Conditions
create or replace function private.unmet_condition(rule public.automation_rules, context jsonb) returns text
language sql as $$
  select 'The title is ' || (context #>> '{tags,episode_title}')
$$;
select tests.rule('conditional', 'show', 'booking.confirmed', jsonb_build_array(pg_temp.title('Never')));
update automation_rules set conditions = '[{"field": "episode_title", "operator": "is_empty"}]'
where id = tests.id('conditional');
select pg_temp.fire('conditional');
update episodes set title = 'New since then' where id = tests.id('pilot');
select is(tests.run_rule('conditional'), 'completed', 'an execution whose condition is not met completes');
select is(pg_temp.state('conditional'), 'completed | nothing_to_do: The title is New since then | update_field skipped',
  'an execution whose condition is not met, by the facts of now, has nothing to do');
create or replace function private.unmet_condition(rule public.automation_rules, context jsonb) returns text
language sql as 'select null::text';

select tests.rule('skips', 'show', 'booking.confirmed', jsonb_build_array(
  tests.update_action('bio', '"x"', 'guest'), tests.webhook_action()));
select pg_temp.run('skips');
insert into podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'Gus', 'gus@guests.example');
select tests.run_rule('skips', jsonb_build_object('action_id', tests.id('skips/1'), 'status', 'completed',
  'result', '{"status_code": 200}'::jsonb));
select is(pg_temp.state('skips'), 'completed | done | update_field skipped, send_webhook completed',
  'an action that was skipped does not run later');

-- The notification of a failure
select results_eq($$ select i.name, n.category::text, n.title, n.body, n.metadata, n.link, n.group_key
  from notifications n join tests.ids i on i.id = n.user_id
  where n.type = 'automation.failed' and n.group_key = 'automation:' || tests.id('stops') order by i.name $$,
  $$ select name, 'system', 'An automation of show failed',
    '“stops” couldn''t finish. Open it to see why, and to try again.',
    jsonb_build_object('podcast_id', tests.id('show')),
    format('/podcasts/%s/automations/%s', tests.id('show'), (tests.execution('stops')).id),
    'automation:' || tests.id('stops') from unnest(array['ada', 'ola']) name $$,
  'a failed execution notifies the admins of the podcast');
select tests.member('mel', 'show');
create function pg_temp.fail(at timestamptz) returns void language sql as $$
  select pg_temp.fire('stops');
  select tests.run_rule('stops', at => fail.at)
$$;
create function pg_temp.notices() returns text language sql as $$
  select concat_ws(' ', count(*) filter (where n.scheduled_for is null),
    count(*) filter (where n.scheduled_for is not null))
  from notifications n where n.type = 'automation.failed' and n.user_id = tests.id('ada')
$$;
delete from notifications;
delete from private.rate_limits;
create temp table start as select date_trunc('hour', now(), 'UTC') as at;
select pg_temp.fail(start.at) from start, generate_series(1, 5);
select is(pg_temp.notices(), '1 1', 'the first failure of a rule notifies at once, and others at the end of the hour');
select is((select count(*) from notifications n where n.type = 'automation.failed' and n.user_id = tests.id('mel')),
  0::bigint, 'a failed execution notifies no members that are not admins');
select pg_temp.fail(start.at + make_interval(mins => n)) from start, generate_series(10, 50, 10) n;
select is(pg_temp.notices(), '1 1', 'further failures of a rule notify once an hour');
select pg_temp.fail(start.at + make_interval(mins => n)) from start, unnest(array[60, 119, 120]) n;
select is(pg_temp.notices(), '1 3', 'further failures of a rule notify again in each hour');
select pg_temp.fire('both'), tests.run_rule('both');
select is((select count(*) from notifications n where n.group_key = 'automation:' || tests.id('both')
  and n.user_id = tests.id('ada')), 1::bigint, 'the limit of notifications is of each rule');
select is((select count(*) from private.events e where e.payload::text like '%' || repeat('x', 50) || '%'
  and e.type = 'automation.failed'), 0::bigint, 'the notification does not have the value of an action');

-- A batch of the worker
delete from private.automation_usage;
select tests.rule('batch', 'show', 'booking.confirmed', jsonb_build_array(pg_temp.title('Batch'),
  tests.email_action('welcome', 'host')));
select pg_temp.fire('batch') from generate_series(1, 3);
create temp table batch as select row_number() over () as n, e.id from automation_executions e
  where e.rule_id = tests.id('batch');
create function pg_temp.break_second() returns trigger language plpgsql as $$
begin
  if new.id = (select id from batch where n = 2) and new.status = 'completed' then
    raise sqlstate '40P01' using message = 'deadlock detected';
  end if;
  return new;
end $$;
create trigger break before update on automation_executions for each row execute function pg_temp.break_second();
create temp table caller as select concat_ws(' ', current_user, auth.uid()) as before;
select is(private.run_automation_executions((select array_agg(id order by n) || gen_random_uuid() from batch)),
  '{null,"deadlock detected",null,null}', 'run_automation_executions returns the error of each execution');
drop trigger break on automation_executions;
select results_eq($$ select e.status::text, e.action_results = '[]' from batch b join automation_executions e using (id)
  order by b.n $$, $$ values ('completed', false), ('pending', true), ('completed', false) $$,
  'an error in a batch undoes its own execution only');
select is((select count(*) from tests.automation_emails('ola@test.example')), 2::bigint,
  'an execution that is undone sends no email');
select is((select count(*) from private.automation_usage u where u.action_type = 'send_email'), 2::bigint,
  'an execution that is undone uses no limit');
select is(concat_ws(' ', current_user, auth.uid()), (select before from caller),
  'a batch leaves role and claims as they were');
select is(private.run_automation_executions((select array_agg(id order by n) from batch)), '{null,null,null}',
  'run_automation_executions may run again');
select is((select count(*) from batch b join automation_executions e using (id) where e.status = 'completed'),
  3::bigint, 'run_automation_executions completes an execution that failed before');
select is(private.run_automation_executions('{}'), '{}', 'an empty batch has no errors');

-- The order of a batch
create temp table owned as select o.owner, format('%s %s', o.owner, n) as podcast
from (values ('ann'), ('ben')) o (owner) cross join generate_series(1, 4) n;
select tests.podcast(podcast, owner), tests.published_episode(podcast || ' pilot', podcast),
  tests.template(podcast || ' text', podcast), tests.rule(podcast || ' rule', podcast, 'episode.published',
    jsonb_build_array(tests.email_action(podcast || ' text', 'host'))) from owned;
insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, context_data)
select r.podcast_id, r.id, r.name, r.trigger_type, private.automation_context(r.podcast_id, null,
  tests.id(o.podcast || ' pilot'), now())
from owned o join automation_rules r on r.id = tests.id(o.podcast || ' rule');
select private.run_automation_executions(array(
  select e.id from owned o join automation_executions e on e.rule_id = tests.id(o.podcast || ' rule')));
select results_eq(
  $$ select o.owner from private.automation_usage u join owned o on tests.id(o.podcast) = u.podcast_id order by u.id $$,
  $$ select o.owner from owned o order by tests.id(o.owner) $$,
  'a batch runs the podcasts of an owner together, so concurrent ones take the limits of owners in one order');

-- Actions in another order
select tests.rule('swapped', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"Swapped"'),
  tests.update_action('title', to_jsonb(repeat('x', 256)))));
select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'),
  tests.id('pilot'), 'swapped', now(), tests.id('swapped'));
select tests.run_rule('swapped');
update automation_actions set execution_order = 5 where id = tests.id('swapped/0');
with retry as (
  insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, occurrence_id, context_data,
    action_results)
  select e.podcast_id, e.rule_id, e.rule_name, e.trigger_type, e.occurrence_id, e.context_data,
    jsonb_build_array(e.action_results -> 0) from tests.execution('swapped') e returning id)
select tests.remember('swapped-retry', id) from retry;
select private.run_automation_execution(tests.id('swapped-retry'));
select is((select array_agg(r ->> 'status' order by r ->> 'status') from automation_executions e,
    jsonb_array_elements(e.action_results) r where e.id = tests.id('swapped-retry')), '{completed,failed}',
  'a result that an action has stays when an action that is now before it fails');

select * from tests.finish();
rollback;
