-- cancel_held_executions: executions whose paused rule is not resumed in time.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.open_link('open', 'show'),
  tests.booking_in('first', 'open', 50, 'confirmed');
select tests.rule('held', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action())),
  tests.rule('other', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action()));
create function pg_temp.fire(rule text, key text) returns void language sql as $$
  select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), null, key, now(),
    tests.id(rule));
$$;
select pg_temp.fire('held', 'early'), pg_temp.fire('held', 'late'), pg_temp.fire('other', 'waits');
update automation_rules set is_paused = true where id = tests.id('held');
select private.run_automation_execution(e.id, now() + case e.occurrence_key when 'late' then interval '1 hour'
  else '0' end) from automation_executions e where e.rule_id = tests.id('held');

select is(private.cancel_held_executions(now() + interval '7 days' - interval '1 microsecond'), 0,
  'cancel_held_executions cancels nothing within seven days');
select is(private.cancel_held_executions(now() + interval '7 days'), 1,
  'cancel_held_executions returns how many it canceled');
select results_eq($$ select e.occurrence_key, e.status::text, e.error_message, e.held_until is null,
    e.completed_at = now() + interval '7 days'
  from automation_executions e order by e.occurrence_key $$, $$ values
    ('early', 'canceled', 'The rule was paused for too long', true, true),
    ('late', 'pending', 'The rule is paused; the execution continues when it is resumed', false, null),
    ('waits', 'pending', null, true, null) $$,
  'cancel_held_executions cancels what was held for seven days');
select is((select n.title from notifications n where n.type = 'automation.failed'),
  'An automation of show was canceled', 'cancel_held_executions notifies the admins');
update automation_rules set is_paused = false where id = tests.id('held');
select is(private.cancel_held_executions(now() + interval '1 year'), 0,
  'cancel_held_executions leaves executions whose rule was resumed');
update automation_rules set is_paused = true where id = tests.id('held');
select is(tests.finish_webhook((
    select e.id from automation_executions e where e.occurrence_key = 'late'), null, now() + interval '30 days'),
  'pending', 'a second pause holds an execution again');
select is((select e.held_until from automation_executions e where e.occurrence_key = 'late'),
  now() + interval '37 days', 'a second pause holds an execution for seven more days');

select * from tests.finish();
rollback;
