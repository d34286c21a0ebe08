-- start_due_automations: what is due, once per booking and time. automation_schedules.test.sql has what is scheduled.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.podcast('other', 'otto');
select tests.open_link('open', 'show'), tests.open_link('foreign', 'other');
select tests.rule('hour', 'show', 'time.before_recording', trigger_config => '{"offset_minutes": 60}'),
  tests.rule('hour too', 'show', 'time.before_recording', trigger_config => '{"offset_minutes": 60}'),
  tests.rule('day', 'show', 'time.before_recording', trigger_config => '{"offset_minutes": 1440}', author => 'ada'),
  tests.rule('foreign rule', 'other', 'time.before_recording', trigger_config => '{"offset_minutes": 60}'),
  tests.rule('confirmed', 'show', 'booking.confirmed');
select tests.booking_in('first', 'open', 50, 'confirmed'), tests.booking_in('abroad', 'foreign', 50, 'confirmed');
delete from automation_executions;  -- of booking.confirmed
select tests.empty_queue('automation_runs');
create function pg_temp.move(booking text, slot int) returns void language sql as $$
  select tests.value_as('ola', format('select public.reschedule_booking(%L, %L)', tests.id(booking), tests.slot(slot)))
$$;

select is(private.start_due_automations(tests.slot(26) - interval '1 millisecond'), 0,
  'start_due_automations starts nothing before its time');
select is(private.start_due_automations(tests.slot(26)), 1, 'start_due_automations starts a rule at its time');
select results_eq($$ select e.rule_id, e.podcast_id, e.rule_name, e.trigger_type::text, e.status::text,
    e.occurrence_key, e.created_at, e.context_data ->> 'booking_id', e.context_data #>> '{tags,recording_start}'
  from automation_executions e $$,
  $$ select tests.id('day'), tests.id('show'), 'day', 'time.before_recording', 'pending', format(
      'time.before_recording:%s:%s', tests.id('first'), private.format_timestamp(tests.slot(50))), tests.slot(26),
    tests.id('first')::text, private.format_timestamp(tests.slot(50)) $$,
  'start_due_automations writes a pending execution, whose occurrence is the booking at its time');
select results_eq($$ select q from tests.queued('automation_runs') q $$,
  $$ select jsonb_build_object('podcast_id', tests.id('show'), 'execution_id', (tests.execution('day')).id) $$,
  'start_due_automations enqueues {podcast_id, execution_id}');
select is(private.start_due_automations(tests.slot(26)), 0, 'start_due_automations starts a rule once');
select is(private.start_due_automations(tests.slot(49) + interval '30 minutes'), 3,
  'start_due_automations starts each rule of each podcast that is due, late ones too');
select set_eq($$ select e.rule_name, e.podcast_id from automation_executions e $$,
  $$ values ('day', tests.id('show')), ('hour', tests.id('show')), ('hour too', tests.id('show')),
    ('foreign rule', tests.id('other')) $$, 'start_due_automations starts no other rule');
select is_empty('select from private.automation_schedules',
  'start_due_automations deletes the schedules that it started');

-- A booking that moves
select pg_temp.move('first', 60);
select is(private.start_due_automations(tests.slot(59)), 3, 'a booking at another time is another occurrence');
select pg_temp.move('first', 50);
select is((select count(*) from private.automation_schedules), 3::bigint,
  'a booking that moves back is scheduled again');
select is(private.start_due_automations(tests.slot(49)), 0, 'a booking that moves back to a time runs no rule again');
select is_empty('select from private.automation_schedules', 'an occurrence that ran leaves no schedule');
select is((select count(*) from automation_executions e where e.rule_name = 'hour'), 2::bigint,
  'a rule ran once for each time of a booking');
select is((select count(*) from tests.queued('automation_runs')), 7::bigint,
  'an occurrence that ran enqueues no second message');

-- A rule that changes after it ran
select tests.value_as('ola', format('select public.update_automation_rule(%L, %L)', tests.id('hour'),
  '{"trigger_config": {"offset_minutes": 30}}'));
select is(private.start_due_automations(tests.slot(50) - interval '30 minutes'), 0,
  'a rule with another offset does not run again before the same recording');

-- A rule that is disabled, paused or deleted, and a booking that is cancelled meanwhile
select tests.booking_in('second', 'open', 70, 'confirmed');
alter table public.automation_rules disable trigger t900_sync_changed;
update automation_rules set is_enabled = false where id = tests.id('hour');
update automation_rules set is_paused = true where id = tests.id('hour too');
alter table public.automation_rules enable trigger t900_sync_changed;
delete from automation_rules where id = tests.id('day');
select is(private.start_due_automations(tests.slot(70) - interval '1 minute'), 0,
  'start_due_automations starts no rule that is disabled, paused or deleted');
select is_empty('select from private.automation_schedules',
  'start_due_automations deletes the schedules of rules that are disabled or paused');

-- After a recording
delete from bookings;
select tests.rule('after', 'other', 'time.after_recording', trigger_config => '{"offset_minutes": 60}');
select tests.booking_in('talk', 'foreign', 90, 'confirmed');
select private.start_due_automations(tests.slot(90));
select is(private.start_due_automations(tests.slot(92) - interval '1 second'), 0,
  'start_due_automations starts no rule of time.after_recording before its time');
select is(private.start_due_automations(tests.slot(92)), 1,
  'start_due_automations starts a rule of time.after_recording at its time');
select results_eq($$ select e.trigger_type::text, e.occurrence_key, e.context_data #>> '{tags,booking_end}'
  from automation_executions e where e.rule_name = 'after' $$,
  $$ select 'time.after_recording', format('time.after_recording:%s:%s', tests.id('talk'),
    private.format_timestamp(tests.slot(90))), private.format_timestamp(tests.slot(91)) $$,
  'the occurrence after a recording is the booking at its time');
select is(private.start_due_automations(tests.slot(95)), 0,
  'start_due_automations starts a rule once after a recording');

-- Batches
delete from bookings;
select tests.rule('batch', 'show', 'time.before_recording', trigger_config => '{"offset_minutes": 60}');
insert into bookings (podcast_id, name, start_time, end_time, status, guest_name, guest_email)
select tests.id('show'), 'Many', tests.slot(100) + make_interval(mins => n), tests.slot(101) + make_interval(mins => n),
  'confirmed', 'Gus', 'gus@guests.example' from generate_series(1, 502) n;
select private.sync_automation_schedules(tests.id('show'), tests.id('batch'), null, now());
select is((select count(*) from private.automation_schedules), 502::bigint,
  'a rule is scheduled before each of many bookings');
select is(private.start_due_automations(tests.slot(120)), 500, 'start_due_automations starts at most 500 per run');
select is((select max(b.start_time) from automation_executions e
    join bookings b on b.id = (e.context_data ->> 'booking_id')::uuid where e.rule_name = 'batch'),
  tests.slot(100) + interval '500 minutes', 'start_due_automations starts first what was due first');
select is(private.start_due_automations(tests.slot(120)), 2, 'start_due_automations starts the rest with the next run');
select is((select count(*) from private.list_scheduled_jobs() j where j.name = 'start_due_automations'
  and j.schedule = '10 seconds' and j.is_active), 1::bigint, 'cron calls start_due_automations every ten seconds');

select * from tests.finish();
rollback;
