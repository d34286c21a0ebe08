-- send_due_reminders: one day and one hour before a session, to guest and hosts, each once.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'),
  tests.open_link('open', 'show', '{"location": {"type": "phone", "value": "+49 30 123"}, "timezone": "UTC"}');
create function pg_temp.remind(at timestamptz) returns int language sql as $$ select private.send_due_reminders(at) $$;
create function pg_temp.reminded(name text) returns setof text language sql as $$
  select t from tests.told_of_booking(name) t where t like 'booking.reminder%'
$$;
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus'), tests.booking_in('moved', 'open', 52, 'confirmed'),
  tests.booking_in('dropped', 'open', 54, 'confirmed'), tests.booking_in('asked', 'open', 56),
  tests.booking_in('declined', 'open', 58, 'declined');

-- When
select is(private.next_reminder_time(now() + lead, now()), now() + due, format(
  'a session that begins in %s has its next reminder in %s', lead, coalesce(due::text, 'never')))
from (values (interval '2 days', interval '1 day'), ('1 day 1 second', '1 second'), ('1 day', '23 hours'),
  ('2 hours', '1 hour'), ('1 hour', null), ('1 minute', null)) v (lead, due);
select results_eq($$ select name, (tests.booking(name)).next_reminder_at
    from unnest('{first,asked,declined}'::text[]) name $$,
  $$ values ('first', tests.slot(26)), ('asked', null), ('declined', null) $$,
  'a confirmed booking alone has a reminder');
select is(pg_temp.remind(tests.slot(26) - interval '1 second'), 0, 'nothing is sent before it is due');

-- What, and to whom
select is(pg_temp.remind(tests.slot(26)), 1, 'send_due_reminders returns of how many sessions it reminds');
select set_eq($$ select pg_temp.reminded('first') $$, array['booking.reminder to ola', 'booking.reminder to ada',
  'booking.reminder to gus'], 'a day before, owner, admins and guest are reminded, without a calendar entry');
select is(pg_temp.remind(tests.slot(26) + interval '1 minute'), 0, 'a reminder is sent once');
select is((tests.booking('first')).next_reminder_at, tests.slot(49), 'the next reminder is an hour before');
select is((select distinct n.title || ' / ' || n.body from notifications n where n.type = 'booking.reminder'),
  format(E'Reminder: recording for show: open / The recording with Gus is on %s.\n\nWhere: +49 30 123',
    (select substring(n.body from ' is on ([^\n]*)\.\n') from notifications n
      where n.type = 'booking.reminder' limit 1)),
  'a reminder tells hosts the guest, the time and the place');
create temp view guest_reminders as
  select d.id, d.status::text, a.title, a.body, a.is_essential, a.access ->> 'subject_id' as booking_id
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  where d.type = 'booking.reminder';
select results_eq('select title, is_essential, right(body, 17) from guest_reminders',
  $$ values ('Reminder of your recording for show', false, 'Where: +49 30 123') $$,
  'a reminder tells the guest the place, and can be turned off');
select is((tests.booking('first')).sequence, 1, 'a reminder changes no calendar entry');
select is(pg_temp.remind(tests.slot(49)), 3, 'sessions whose first reminder was missed are reminded of once');
select is((select count(*) from pg_temp.reminded('first')), 6::bigint, 'an hour before, all are reminded again');
select is((tests.booking('first')).next_reminder_at, null, 'a session has two reminders');

-- Moves and cancellations
select is((select count(*) from notifications n where n.metadata ->> 'booking_id' = tests.id('moved')::text
  and n.type = 'booking.reminder' and n.read_at is null), 2::bigint, 'a reminder is unread');
select tests.value_as('ada', format('select public.reschedule_booking(%L, %L)', tests.id('moved'), tests.slot(90)));
select is((tests.booking('moved')).next_reminder_at, tests.slot(66), 'the reminders of a moved session move');
select is((select count(*) from notifications n where n.metadata ->> 'booking_id' = tests.id('moved')::text
  and n.type = 'booking.reminder' and n.read_at is null), 0::bigint, 'a move ends the reminders of the old time');
select is_empty($$ select from notification_deliveries d where d.type = 'booking.reminder' and d.status = 'pending'
    and d.group_key = 'booking:' || tests.id('moved') $$, 'a move cancels the emails and pushes of reminders');
update notification_deliveries d set status = 'queued' where d.id in (
  select id from guest_reminders where booking_id = tests.id('dropped')::text);
select tests.value_as('ada', format('select public.cancel_booking(%L)', tests.id('dropped')));
select is((tests.booking('dropped')).next_reminder_at, null, 'a canceled session has no reminder');
select results_eq($$ select status from guest_reminders where booking_id = tests.id('dropped')::text $$,
  array['canceled'], 'a cancellation cancels a reminder to the guest between attempts');
select is(pg_temp.remind(tests.slot(66)), 1, 'a moved session is reminded of at its new time');

-- Guests who were not told
select tests.booking_in('untold', 'open', 100, 'confirmed', 'may');
update bookings set guest_told_at = null where id = tests.id('untold');
select pg_temp.remind(tests.slot(76));
select set_eq($$ select pg_temp.reminded('untold') $$, array['booking.reminder to ola', 'booking.reminder to ada'],
  'a guest who was not told of the booking gets no reminder');

-- Late: neither after the session began, nor at each attempt
select tests.booking_in('late', 'open', 120, 'confirmed', 'lea');
select pg_temp.remind(tests.slot(96));
create function pg_temp.problem_of(who text, at timestamptz) returns text language sql as $$
  select private.email_problem(d, 'x@test.example', at) from notification_deliveries d
  left join private.delivery_addresses a on a.delivery_id = d.id
  where d.type = 'booking.reminder' and d.channel = 'email' and (a.email = who || '@guests.example'
      or d.group_key = 'booking:' || tests.id('late') and d.user_id = (
        select i.id from tests.ids i where i.name = who))
$$;
select is(pg_temp.problem_of(who, tests.slot(120) + lead), problem, format('a reminder to %s, tried %s %s', who,
  lead, coalesce('has the problem: ' || problem, 'is sent')))
from unnest('{ola,lea}'::text[]) who, (values (interval '-1 second', null),
  ('0', 'The session has begun, or is canceled')) v (lead, problem);
select tests.booking_in('past', 'open', 122, 'confirmed');
select is(pg_temp.remind(tests.slot(122)), 0, 'a session that has begun is not reminded of');
select is((tests.booking('past')).next_reminder_at, null, 'a missed reminder is forgotten');

-- Preferences
select tests.booking_in('unwanted', 'open', 140, 'confirmed', 'uma');
update notification_preferences set in_app_booking_reminder = false, email_booking_reminder = false,
  push_booking_reminder = false where user_id = tests.id('ola');
select pg_temp.remind(tests.slot(116));
select set_eq($$ select pg_temp.reminded('unwanted') $$, array['booking.reminder to ada', 'booking.reminder to uma'],
  'a host can turn reminders off');

-- Errors of one do not stop the others
select tests.booking_in('broken', 'open', 160, 'confirmed'), tests.booking_in('sound', 'open', 161, 'confirmed');
create function pg_temp.fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
create trigger t999_fail before insert on private.events for each row
  when (new.payload ->> 'booking_id' = current_setting('tests.broken')) execute function pg_temp.fail();
select set_config('tests.broken', tests.id('broken')::text, true);
select is(pg_temp.remind(tests.slot(137)), 1, 'a reminder that fails does not stop the others');
select is((tests.booking('broken')).next_reminder_at, tests.slot(136), 'a reminder that fails stays due');

select * from tests.finish();
rollback;
