-- private.automation_schedules: triggers keep the rules of time.before_recording and time.after_recording in step with
-- bookings and rules.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.podcast('other', 'otto');
select tests.open_link('open', 'show'), tests.open_link('second', 'show'), tests.open_link('foreign', 'other');
create function pg_temp.config(minutes int, link text default null) returns jsonb language sql as $$
  select jsonb_strip_nulls(jsonb_build_object('offset_minutes', minutes,
    'booking_link_id', case when link is not null then tests.id(link) end))
$$;
select tests.rule('hour', 'show', 'time.before_recording', trigger_config => pg_temp.config(60)),
  tests.rule('day', 'show', 'time.before_recording', trigger_config => pg_temp.config(1440), author => 'ada'),
  tests.rule('linked', 'show', 'time.before_recording', trigger_config => pg_temp.config(120, 'open')),
  tests.rule('disabled', 'show', 'time.before_recording', trigger_config => pg_temp.config(60)),
  tests.rule('paused', 'show', 'time.before_recording', trigger_config => pg_temp.config(60)),
  tests.rule('confirmed', 'show', 'booking.confirmed'), tests.rule('published', 'show', 'episode.published'),
  tests.rule('foreign rule', 'other', 'time.before_recording', trigger_config => pg_temp.config(60));
update automation_rules set is_enabled = false where name = 'disabled';
update automation_rules set is_paused = true where name = 'paused';

-- When each rule runs before a booking: 'day 26, hour 49', in slots from now
create function pg_temp.schedule(booking text) returns text language sql as $$
  select string_agg(concat(r.name, ' ', extract(epoch from s.due_at - tests.slot(0))::int / 3600), ', ' order by r.name)
  from private.automation_schedules s join automation_rules r on r.id = s.rule_id
  where s.booking_id = tests.id(booking)
$$;
create function pg_temp.host(verb text) returns void language sql as $$
  select tests.value_as('ada', 'select public.' || verb)
$$;

create function pg_temp.owner(verb text) returns void language sql as $$
  select tests.value_as('ola', 'select public.' || verb)
$$;

-- Bookings
select tests.booking_in('first', 'open', 50, guest => 'gus'), tests.booking_in('elsewhere', 'second', 50),
  tests.booking_in('abroad', 'foreign', 50);
select is((select count(*) from private.automation_schedules), 0::bigint, 'request_booking schedules no rule');
select pg_temp.host(format('confirm_booking(%L)', tests.id('first')));
select is(pg_temp.schedule('first'), 'day 26, hour 49, linked 48',
  'confirm_booking schedules the active rules of time.before_recording');
update bookings set status = 'confirmed', expires_at = null where id in (tests.id('elsewhere'), tests.id('abroad'));
select is(pg_temp.schedule('elsewhere'), 'day 26, hour 49',
  'a confirmed booking does not schedule the rules of another link');
select is(pg_temp.schedule('abroad'), 'foreign rule 49',
  'a confirmed booking does not schedule the rules of another podcast');
select pg_temp.host(format('reschedule_booking(%L, %L)', tests.id('first'), tests.slot(60)));
select is(pg_temp.schedule('first'), 'day 36, hour 59, linked 58', 'reschedule_booking moves the schedules');
select is(pg_temp.schedule('elsewhere'), 'day 26, hour 49', 'reschedule_booking moves no other booking''s schedules');
select tests.booking_token('first');
select tests.value_as('anon', format('select public.reschedule_guest_booking(%L, %L)', 'first', tests.slot(1)));
select is(pg_temp.schedule('first'), 'hour 0',
  'reschedule_guest_booking moves the schedules, and deletes those whose time is past');
select tests.value_as('anon', format('select public.reschedule_guest_booking(%L, %L)', 'first', tests.slot(70)));
select is(pg_temp.schedule('first'), 'day 46, hour 69, linked 68',
  'a booking that moves to a later time schedules again what was past');
select pg_temp.host(format('cancel_booking(%L)', tests.id('first')));
select is(pg_temp.schedule('first'), null, 'cancel_booking deletes the schedules');
select tests.booking_in('dropped', 'open', 80, 'confirmed'), tests.booking_token('dropped');
select tests.value_as('anon', format('select public.cancel_guest_booking(%L)', 'dropped'));
select is(pg_temp.schedule('dropped'), null, 'cancel_guest_booking deletes the schedules');
select tests.booking_in('soon', 'open', 1, 'confirmed');
select is(pg_temp.schedule('soon'), 'hour 0', 'a confirmed booking does not schedule rules whose time is past');
select tests.booking_in('expires', 'open', 90), tests.booking_in('declined', 'open', 95, 'declined');
update bookings set expires_at = now() where id = tests.id('expires');
select is(private.expire_pending_bookings(), 1, 'a request expires');
select is(coalesce(pg_temp.schedule('expires'), pg_temp.schedule('declined')), null,
  'an expired and a declined request have no schedules');
select tests.booking_in('unlinked', 'open', 100, 'confirmed');
select is(pg_temp.schedule('unlinked'), 'day 76, hour 99, linked 98',
  'a booking by the link schedules the link''s rule');
alter table public.booking_links disable trigger user;  -- or the link could not be deleted with open bookings
delete from booking_links where id = tests.id('open');
alter table public.booking_links enable trigger user;
select is(pg_temp.schedule('unlinked'), 'day 76, hour 99', 'the deletion of a link deletes the schedules of its rules');
delete from bookings where id = tests.id('unlinked');
select is((select count(*) from private.automation_schedules s where s.booking_id = tests.id('unlinked')), 0::bigint,
  'the deletion of a booking deletes its schedules');

-- Rules
create function pg_temp.change(name text, changes jsonb) returns void language sql as $$
  select pg_temp.host(format('update_automation_rule(%L, %L)', tests.id(change.name), changes))
$$;
select tests.open_link('third', 'show'), tests.booking_in('ahead', 'third', 50, 'confirmed');
select tests.booking_in('begun', 'third', 1, 'confirmed');
update bookings set start_time = now() - interval '1 minute', end_time = now() + interval '1 hour'
where id = tests.id('begun');
select is(pg_temp.schedule('begun'), null, 'a booking that moves into the past has no schedules');
select tests.rule('new', 'show', 'time.before_recording', trigger_config => pg_temp.config(180));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49, new 47',
  'a new rule is scheduled before each confirmed booking');
select is(pg_temp.schedule('elsewhere'), 'day 26, hour 49, new 47',
  'a new rule is scheduled before the confirmed bookings of each link');
select is(coalesce(pg_temp.schedule('begun'), pg_temp.schedule('first'), pg_temp.schedule('expires')), null,
  'a new rule is not scheduled for a session that began, was cancelled or expired');
select is(pg_temp.schedule('abroad'), 'foreign rule 49', 'a new rule is not scheduled for another podcast''s booking');
select pg_temp.change('new', jsonb_build_object('trigger_config', pg_temp.config(240)));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49, new 46', 'another offset moves the schedules of a rule');
select pg_temp.change('new', jsonb_build_object('trigger_config', pg_temp.config(43200)));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49', 'an offset whose time is past deletes the schedules of a rule');
select pg_temp.change('new', jsonb_build_object('trigger_config', pg_temp.config(60, 'second')));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49', 'another link deletes the schedules of its rule');
select is(pg_temp.schedule('elsewhere'), 'day 26, hour 49, new 49', 'another link schedules its rule');
select pg_temp.change('new', jsonb_build_object('trigger_config', pg_temp.config(60)));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49, new 49', 'a rule without link is scheduled again');
select pg_temp.change('new', '{"trigger_type": "booking.confirmed", "trigger_config": {}}');
select is(pg_temp.schedule('ahead'), 'day 26, hour 49', 'another trigger deletes the schedules of a rule');
select pg_temp.change('new', jsonb_build_object('trigger_type', 'time.before_recording',
  'trigger_config', pg_temp.config(60)));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49, new 49', 'a rule that gets this trigger is scheduled');
select pg_temp.host(format('toggle_automation_rule(%L)', tests.id('new')));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49', 'a rule that is disabled has no schedules');
select pg_temp.host(format('toggle_automation_rule(%L)', tests.id('new')));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49, new 49', 'a rule that is enabled again is scheduled');
select pg_temp.change('new', '{"is_paused": true}');
select is(pg_temp.schedule('ahead'), 'day 26, hour 49', 'a rule that is paused has no schedules');
select pg_temp.change('new', '{"is_paused": false}');
select is(pg_temp.schedule('ahead'), 'day 26, hour 49, new 49', 'a rule that is resumed is scheduled');
select pg_temp.host(format('delete_automation_rule(%L)', tests.id('new')));
select is(pg_temp.schedule('ahead'), 'day 26, hour 49', 'delete_automation_rule deletes the schedules');
delete from podcast_members where user_id = tests.id('ada');
select is(pg_temp.schedule('ahead'), 'hour 49', 'a rule whose author left has no schedules');
select is(pg_temp.schedule('abroad'), 'foreign rule 49', 'changes of rules keep the schedules of another podcast');

-- Schedules that are due and have not run yet
create function pg_temp.sync(rule text, booking text, at timestamptz) returns text language plpgsql as $$
begin
  perform private.sync_automation_schedules(tests.id('show'), case when rule is not null then tests.id(rule) end,
    case when booking is not null then tests.id(booking) end, at);
  return pg_temp.schedule('ahead');
end $$;
select is(pg_temp.sync(rule, booking, tests.slot(49) + after), expected,
  format('a sync of the %s %s', coalesce(rule || '''s rule', 'booking'), what))
from (values ('hour', null, interval '0', 'hour 49', 'keeps a schedule that becomes due'),
  (null, 'ahead', '59 minutes', 'hour 49', 'keeps a schedule that is due'),
  ('hour', null, '59 minutes', 'hour 49', 'keeps a schedule that is due'),
  (null, 'ahead', '1 hour', null, 'deletes a schedule whose recording begins')
) v (rule, booking, after, expected, what);
select is(pg_temp.sync('hour', null, tests.slot(49)), null, 'a sync does not schedule what is due already');
select is(pg_temp.sync('hour', null, tests.slot(49) - interval '1 second'), 'hour 49',
  'a sync schedules what is ahead');
update automation_rules set name = 'hour' where id = tests.id('hour');
update private.automation_schedules set due_at = now() - interval '1 second' where booking_id = tests.id('ahead');
update automation_rules set description = 'Renamed' where id = tests.id('hour');
update bookings set notes = 'Renamed' where id = tests.id('ahead');
select is((select due_at from private.automation_schedules where booking_id = tests.id('ahead')),
  now() - interval '1 second', 'a change of other columns does not touch the schedules');
select is(pg_temp.sync('hour', null, now()), 'hour 49', 'a sync moves an outdated schedule');

-- After a recording
select tests.podcast('past', 'ola'), tests.open_link('link', 'past'), tests.open_link('link too', 'past');
select tests.rule('end', 'past', 'time.after_recording', trigger_config => pg_temp.config(0)),
  tests.rule('later', 'past', 'time.after_recording', trigger_config => pg_temp.config(120)),
  tests.rule('one link', 'past', 'time.after_recording', trigger_config => pg_temp.config(60, 'link too'));
select tests.booking_in('held', 'link', 50);
select is(pg_temp.schedule('held'), null, 'a request schedules no rule of time.after_recording');
select pg_temp.owner(format('confirm_booking(%L)', tests.id('held')));
select is(pg_temp.schedule('held'), 'end 51, later 53',
  'a confirmed booking schedules the rules of time.after_recording, from its end');
select pg_temp.owner(format('reschedule_booking(%L, %L)', tests.id('held'), tests.slot(60)));
select is(pg_temp.schedule('held'), 'end 61, later 63', 'reschedule_booking moves the schedules after the recording');
select pg_temp.owner(format('update_automation_rule(%L, %L)', tests.id('later'),
  jsonb_build_object('trigger_config', pg_temp.config(180))));
select is(pg_temp.schedule('held'), 'end 61, later 64', 'another offset moves the schedules after the recording');
select pg_temp.owner(format('toggle_automation_rule(%L)', tests.id('later')));
select is(pg_temp.schedule('held'), 'end 61', 'a disabled rule of time.after_recording has no schedules');
select pg_temp.owner(format('toggle_automation_rule(%L)', tests.id('later')));
select tests.booking_in('over', 'link', 1, 'confirmed');
update bookings set start_time = now() - interval '2 hours', end_time = now() - interval '1 hour'
where id = tests.id('over');
select is(extract(epoch from s.due_at - now()) / 60, 120::numeric,
  'a session that is over schedules the rules whose time is yet to come')
from private.automation_schedules s where s.booking_id = tests.id('over');
select tests.rule('next', 'past', 'time.after_recording', trigger_config => pg_temp.config(90));
select is((select count(*) from private.automation_schedules s where s.rule_id = tests.id('next')), 2::bigint,
  'a new rule of time.after_recording is scheduled for sessions ahead, and for those whose time is yet to come');
create function pg_temp.sync_past(at timestamptz) returns text language plpgsql as $$
begin
  perform private.sync_automation_schedules(tests.id('past'), tests.id('end'), null, at);
  return (select string_agg(i.name, ', ' order by i.name) from private.automation_schedules s
    join tests.ids i on i.id = s.booking_id where s.rule_id = tests.id('end'));
end $$;
select is(pg_temp.sync_past(tests.slot(61)), 'held', 'a sync keeps what is due after a recording');
select is(pg_temp.sync_past(tests.slot(60) + interval '37 hours'), null,
  'a sync deletes what was due after a recording more than a day ago');
select pg_temp.owner(format('cancel_booking(%L)', tests.id('held')));
select is(pg_temp.schedule('held'), null, 'cancel_booking deletes the schedules after the recording');

-- The deletion of a podcast
select isnt_empty($$ select from private.automation_schedules $$, 'podcasts have schedules');
delete from podcasts where id in (tests.id('show'), tests.id('other'), tests.id('past'));
select is_empty($$ select from private.automation_schedules $$, 'the deletion of a podcast deletes its schedules');

select * from tests.finish();
rollback;
