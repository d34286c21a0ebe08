-- rule_problem and occurrence_problem: why an execution is canceled, held or has nothing to do instead of running its
-- next action. send_webhook.test.sql has the webhooks that wait for an attempt.
begin;
select tests.start(), tests.release_webhooks_at_once();

select tests.team('show', 'ola', 'ada', 'mel'), tests.open_link('open', 'show');
select tests.rule(t::text, 'show', t, jsonb_build_array(tests.webhook_action(),
    tests.update_action('summary', '"It ran"')),
  case t when 'time.before_recording' then '{"offset_minutes": 60}' else '{}' end::jsonb, 'ada')
from unnest('{booking.confirmed,time.before_recording,episode.published}'::automation_trigger[]) t;
select tests.published_episode('pilot', 'show'), tests.booking_in('first', 'open', 50, 'confirmed');
update bookings set episode_id = tests.id('pilot') where id = tests.id('first');

-- What becomes of two executions after a change, which is undone: `waits` has run no action, and the webhook of `sent`
-- is in flight.
create function pg_temp.after_change(trigger_type text, change text, at timestamptz) returns text
language plpgsql as $$
declare
  result  text;
  webhook constant uuid := tests.id(trigger_type || '/0');
begin
  delete from automation_executions;
  perform private.fire_automations(trigger_type::automation_trigger, tests.id('show'),
    case when trigger_type <> 'episode.published' then tests.id('first') end, tests.id('pilot'),
    v.key, clock_timestamp(), tests.id(trigger_type)) from unnest(array['waits', 'sent']) v (key);
  perform private.run_automation_execution(e.id, at => now()) from automation_executions e
  where e.occurrence_key <> 'waits';
  perform private.begin_webhook(e.id, webhook, now()) from automation_executions e where e.occurrence_key = 'sent';
  execute change;
  perform private.run_automation_execution(e.id, at => after_change.at) from automation_executions e
  where e.occurrence_key = 'waits';
  perform tests.finish_webhook(e.id, jsonb_build_object('action_id', webhook, 'status', 'completed',
    'result', '{}'::jsonb), after_change.at) from automation_executions e where e.occurrence_key = 'sent';
  select string_agg(concat_ws(' ', e.occurrence_key, e.status, e.outcome, 'until ' || (e.held_until - at),
      nullif(concat_ws(': ', coalesce(e.error_message, e.outcome_reason), (
        select string_agg(concat(r ->> 'status', ' ' || (r #>> '{result,reason}')), ', ')
        from jsonb_array_elements(e.action_results) r)), '')), ' | ' order by e.occurrence_key desc) into result
  from automation_executions e where e.occurrence_key in ('waits', 'sent');
  raise exception using message = result;
exception when raise_exception then
  return sqlerrm;
end $$;

create temp table problem (trigger_type text, change text, ends text, expected text, what text,
  at timestamptz default now());
insert into problem select t, change, ends, expected, what
from unnest('{booking.confirmed,time.before_recording,episode.published}'::text[]) t, (values
  ('update automation_rules set is_enabled = false', 'canceled', 'The rule was disabled', 'a disabled rule'),
  ('update automation_rules set is_paused = true, is_enabled = false', 'canceled', 'The rule was disabled',
    'a paused and disabled rule'),
  ('update automation_rules set is_paused = true', 'held', null, 'a paused rule'),
  ('select tests.set_status(''show'', ''pending_deletion'')', 'canceled', 'The podcast is scheduled for deletion',
    'a podcast pending deletion'),
  ('update podcast_members set role = ''member'' where user_id = tests.id(''ada'')', 'held', null,
    'a rule whose author was demoted'),
  ('delete from podcast_members where user_id = tests.id(''ada'')', 'held', null, 'a rule whose author left'),
  ('update automation_rules set author_id = tests.id(''mel'')', 'canceled',
    'The author of the rule is no longer an admin', 'a rule whose author is a member'),
  ('delete from automation_rules', 'canceled', 'The rule was deleted', 'a deleted rule'),
  ('alter table public.automation_rules disable trigger t900_cancel_executions; delete from automation_rules',
    'canceled', 'The rule was deleted', 'a rule that a cascade deleted')) v (change, ends, expected, what);
insert into problem (trigger_type, change, ends, expected, what) values
  ('episode.published', 'update episodes set status = ''draft''', 'skipped', 'The episode is no longer published',
    'an unpublished episode'),
  ('episode.published', 'update episodes set status = ''archived''', 'skipped', 'The episode is no longer published',
    'an archived episode'),
  ('episode.published', 'delete from episodes', 'skipped', 'The episode is no longer published', 'a deleted episode'),
  ('time.before_recording', format('update bookings set start_time = %L, end_time = %L', tests.slot(51),
    tests.slot(52)), 'skipped', 'The booking was rescheduled', 'a booking at another time');
insert into problem select t, change, 'skipped', 'The booking was canceled', what
from unnest(array['booking.confirmed', 'time.before_recording']) t, (values
  ('update bookings set status = ''cancelled'', cancelled_by = ''guest''', 'a cancelled booking'),
  ('delete from bookings', 'a deleted booking')) v (change, what);
insert into problem values ('time.before_recording', 'select', 'skipped', 'The recording has begun',
  'a booking that begins', tests.slot(50));
select is(pg_temp.after_change(trigger_type, change, at), format(case ends
    when 'canceled' then 'waits canceled %1$s | sent canceled %1$s: completed'
    when 'skipped' then 'waits completed nothing_to_do %1$s: skipped %1$s, skipped %1$s'
      ' | sent completed done completed, skipped %1$s'
    else 'waits pending until 7 days The rule is paused; the execution continues when it is resumed'
      ' | sent pending until 7 days The rule is paused; the execution continues when it is resumed: completed' end,
    expected),
  format('executions of %s for %s are %s', trigger_type, what, ends))
from problem;

-- Changes that cancel nothing
select is(pg_temp.after_change(trigger_type, change, at),
  'waits running running | sent completed done completed, completed',
  format('executions of %s for %s run', trigger_type, what))
from (values
  ('booking.confirmed', format('update bookings set start_time = %L, end_time = %L', tests.slot(51), tests.slot(52)),
    'a booking at another time', now()),
  ('booking.confirmed', 'select', 'a booking that begins', tests.slot(50)),
  ('time.before_recording', 'select', 'a booking that begins soon', tests.slot(50) - interval '1 second'),
  ('time.before_recording', 'update episodes set status = ''draft''', 'an episode that is not published', now()),
  ('episode.published', 'update bookings set status = ''cancelled'', cancelled_by = ''guest''',
    'a cancelled booking', now()),
  ('episode.published', 'select tests.set_status(''show'', ''paused'')', 'a paused podcast', now()),
  ('episode.published', 'update automation_rules set author_id = tests.id(''ola'')', 'a rule with another author',
    now())) v (trigger_type, change, what, at);

-- The end of a canceled execution
select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), null, 'ends', now(),
  tests.id('booking.confirmed'));
select tests.set_status('show', 'pending_deletion');
select is(tests.run_rule('booking.confirmed', at => now()), 'canceled', 'run_automation_execution returns canceled');
select results_eq($$ select e.completed_at, e.started_at, e.next_attempt_at, e.action_results
  from tests.execution('booking.confirmed') e $$,
  $$ values (now(), now(), null::timestamptz, '[]'::jsonb) $$,
  'a canceled execution has completed_at and no results');

select * from tests.finish();
rollback;
