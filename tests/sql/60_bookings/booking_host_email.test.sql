-- Emails to hosts and guests about a booking: who the guest is, calendar entries, and whom an answer reaches.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.open_link('open', 'show', '{"questions": [
  {"id": "topic", "label": "Your topic?", "isRequired": false},
  {"id": "links", "label": "Links", "isRequired": false}]}');
create function pg_temp.email(name text, type text, who text, at timestamptz default clock_timestamp()) returns jsonb
language plpgsql as $$
declare
  wanted uuid := (
    select d.id from notification_deliveries d
    left join notifications n on n.id = d.notification_id
    left join private.delivery_addresses a on a.delivery_id = d.id
    where d.channel = 'email' and d.type = email.type and d.status in ('pending', 'queued')
      and coalesce(n.metadata ->> 'booking_id', a.access ->> 'subject_id') = tests.id(email.name)::text
      and case when who like '%@%' then a.email = who else d.user_id = tests.id(email.who) end
    order by d.created_at desc limit 1);
  content jsonb;
begin
  update notification_deliveries d set status = 'queued' where d.id = wanted and d.status = 'pending';
  content := private.begin_email_delivery(wanted, 120, email.at, 'sender@casts.test');
  perform private.record_email_sent(wanted) where content is not null;
  return content;
end $$;
create function pg_temp.entry(email jsonb) returns text language sql as $$
  select concat_ws(' ', e ->> 'method', e ->> 'status', e ->> 'sequence', e #>> '{organizer,email}',
    e #>> '{attendee,email}') from (select email -> 'calendarEvent' as e) c
$$;
create function pg_temp.by_host(who text, operation text, name text, rest text default '') returns text
language sql as $$
  select tests.value_as(who, format('select public.%I(%L%s)', operation, tests.id(name), rest))
$$;

-- Who the guest is
select tests.request_booking('first', 'open', 50, 'gus', '{"timezone": "Europe/Berlin",
  "notes": "Line one\nhttps://evil.test/a", "answers": {"links": "evil.test", "topic": "Trains"}}');
create temp table asked as select pg_temp.email('first', 'booking.requested', 'ola') as email;
select is(translate(email ->> 'details', U&'\2060', ''), E'Guest: Gus (gus@guests.example)\n'
  'The guest hasn''t confirmed this address yet.\nTime zone: Europe/Berlin\n\nNotes:\n> Line one\n> https://evil.test/a'
  '\n\nYour topic?\n> Trains'
  '\n\nLinks\n> evil.test', 'the email to a host shows the guest, the zone, the notes and the answers') from asked;
select ok(email ->> 'details' !~ 'evil\.test', 'text of a guest who is not verified has no link') from asked;
select ok(e.event ->> 'description' ~ 'Line one' and e.event ->> 'description' !~ 'evil\.test',
  'text of a guest who is not verified has no link in the calendar entry')
from private.host_calendar_event(tests.booking('first'), tests.id('ola')) e (event);
select is(email ->> 'replyTo', 'gus@guests.example', 'the answer of a host reaches the guest') from asked;
select is(email -> 'calendarEvent', 'null', 'the email of a request has no calendar entry') from asked;
select is(pg_temp.email('first', 'booking.requested', 'gus@guests.example') -> 'replyTo', 'null',
  'the email of a request shows the guest no address of a host');
select private.verify_guest_booking(tests.booking_token('first'));
select matches(private.booking_details(tests.booking('first'), 'de'), E'^Gast: Gus \\(gus@guests.example\\)\nZeitzone: '
  'Europe/Berlin\n\nAnmerkungen:\n> Line one\n> https://evil.test/a', 'text of a guest who is verified has its links');
select matches(private.host_calendar_event(tests.booking('first'), tests.id('ola')) ->> 'description',
  'https://evil\.test/a', 'text of a guest who is verified has its links in the calendar entry');
update bookings set notes = repeat('n', 4000), answers = jsonb_build_object('topic', repeat('a', 2000), 'links',
  repeat('b', 2000), 'c', repeat('c', 2000)) where id = tests.id('first');
select is(char_length(private.booking_details(tests.booking('first'), 'en')), 8000,
  'the text about a guest has at most 8,000 characters');
update bookings set notes = null, answers = '{}' where id = tests.id('first');

-- Calendar entries of hosts, and whom the guest answers
select pg_temp.by_host('ada', 'confirm_booking', 'first');
select is((tests.booking('first')).confirmed_by, tests.id('ada'), 'the booking names the host who confirmed it');
select is(pg_temp.entry(pg_temp.email('first', 'booking.confirmed', who)),
  format('REQUEST CONFIRMED 1 sender@casts.test %s@test.example', who), format('%s is invited to the session', who))
from unnest('{ola,ada}'::text[]) who;
select is(pg_temp.email('first', 'booking.confirmed', 'mel'), null, 'a member is not invited');
select is((select count(*) from notifications n where n.user_id = tests.id('ada') and n.type = 'booking.confirmed'),
  0::bigint, 'the app does not tell the host who confirmed a session of it');
select is(email ->> 'replyTo', 'ada@test.example', 'the answer of a guest reaches the host who confirmed')
from pg_temp.email('first', 'booking.confirmed', 'gus@guests.example') email;
select is((select count(*) from private.delivery_addresses a where a::text like '%ada@%'), 0::bigint,
  'the address of the host is not stored with the email');
select pg_temp.by_host('ola', 'reschedule_booking', 'first', format(', %L', tests.slot(52)));
select is(pg_temp.entry(pg_temp.email('first', 'booking.rescheduled', who)),
  format('REQUEST CONFIRMED 2 sender@casts.test %s@test.example', who), format('%s gets the move', who))
from unnest('{ola,ada}'::text[]) who;
select is(pg_temp.email('first', 'booking.rescheduled', 'gus@guests.example') ->> 'replyTo', 'ada@test.example',
  'the answer to a move by another host reaches the host who confirmed');
update podcast_members set role = 'member' where user_id = tests.id('ada');
select is(private.booking_reply_to(tests.id('first')), null, 'a host who became a member gets no answers');
update podcast_members set role = 'admin' where user_id = tests.id('ada');
select pg_temp.by_host('ada', 'cancel_booking', 'first');
select is(pg_temp.entry(pg_temp.email('first', 'booking.cancelled', who)),
  format('CANCEL CANCELLED 3 sender@casts.test %s@test.example', who), format('%s gets the cancellation', who))
from unnest('{ola,ada}'::text[]) who;

-- A request that is answered with a no was never an invitation
select tests.booking_in('no', 'open', 60, guest => 'zoe'), tests.booking_in('off', 'open', 62, guest => 'yan');
select pg_temp.by_host('ada', 'decline_booking', 'no'), pg_temp.by_host('ada', 'cancel_booking', 'off');
select is(pg_temp.email(name, type, who) -> 'calendarEvent', 'null', format('%s of %s cancels no entry', type, who))
from (values ('no', 'booking.declined', 'zoe@guests.example'),
  ('off', 'booking.cancelled', 'ola'), ('off', 'booking.cancelled', 'yan@guests.example')) v (name, type, who);
select is(pg_temp.email(name, type, 'ada'), null, format('%s is not emailed to the host who did it', type))
from (values ('no', 'booking.declined'), ('off', 'booking.cancelled')) v (name, type);

-- Emails that are late: each entry is newer than the one before
create function pg_temp.delivery(name text, type text, who text) returns uuid language sql as $$
  select d.id from notification_deliveries d join notifications n on n.id = d.notification_id
  where d.channel = 'email' and d.type = $2 and d.user_id = tests.id(who) and n.metadata ->> 'booking_id' =
    tests.id(name)::text
$$;
create function pg_temp.attempt(name text, type text, who text) returns text language plpgsql as $$
declare
  late constant uuid := pg_temp.delivery(name, attempt.type, who);
  sent text;
begin
  update notification_deliveries d set status = 'pending' where d.id = late and d.status = 'failed';
  update notification_deliveries d set status = 'queued' where d.id = late and d.status = 'pending';
  sent := pg_temp.entry(private.begin_email_delivery(late, 120, now(), 'sender@casts.test'));
  return coalesce(nullif(sent, ''), (select s.last_error from private.delivery_sends s where s.delivery_id = late),
    'none');
end $$;
select tests.booking_in(name, 'open', slot, guest => 'lou')
from (values ('late', 80), ('quick', 82), ('short', 84), ('lost', 86)) v (name, slot);
select pg_temp.by_host('ola', 'confirm_booking', name) from unnest('{late,quick,short,lost}'::text[]) name;
select is(pg_temp.attempt('late', 'booking.confirmed', 'ada'), 'REQUEST CONFIRMED 1 sender@casts.test ada@test.example',
  'the first attempt of an email has the entry as it is');
select pg_temp.by_host('ola', 'reschedule_booking', name, format(', %L', tests.slot(slot)))
from (values ('late', 90), ('quick', 92)) v (name, slot);
select is(pg_temp.attempt('late', 'booking.rescheduled', 'ada'),
  'REQUEST CONFIRMED 2 sender@casts.test ada@test.example', 'the email of a move has a newer entry');
select is(pg_temp.attempt('late', 'booking.confirmed', 'ada'), 'A newer email about this event replaced it',
  'an email whose attempt failed is not sent once a newer entry was');
select is(pg_temp.attempt('quick', 'booking.confirmed', 'ada'),
  'REQUEST CONFIRMED 2 sender@casts.test ada@test.example', 'an email has the entry as it is when it is sent');
select is(pg_temp.attempt('quick', 'booking.rescheduled', 'ada'), 'none', 'no entry is sent twice');
select pg_temp.by_host('ola', 'cancel_booking', 'short');
select is(pg_temp.attempt('short', 'booking.confirmed', 'ada'), 'The session has begun, or is canceled',
  'a confirmation is not sent once the session is canceled');
select is(pg_temp.attempt('lost', 'booking.confirmed', 'ada'),
  'REQUEST CONFIRMED 1 sender@casts.test ada@test.example', 'an email with an entry can fail');
update notification_deliveries d set status = 'failed'
where d.id = pg_temp.delivery('lost', 'booking.confirmed', 'ada');
update private.delivery_sends s set content = null
where s.delivery_id = pg_temp.delivery('lost', 'booking.confirmed', 'ada');
select is(pg_temp.attempt('lost', 'booking.confirmed', 'ada'),
  'REQUEST CONFIRMED 1 sender@casts.test ada@test.example', 'an email that failed has its entry when it is sent again');

-- A connected calendar has the session
select tests.receiving_calendar('ola');
select tests.booking_in('synced', 'open', 64, guest => 'kim');
select pg_temp.by_host('ola', 'confirm_booking', 'synced');
select is(pg_temp.email('synced', 'booking.confirmed', 'ola'), null,
  'the host who confirms gets no email if the connected calendar receives the session');
select is(pg_temp.entry(pg_temp.email('synced', 'booking.confirmed', 'ada')),
  'REQUEST CONFIRMED 1 sender@casts.test ada@test.example', 'hosts with other calendars are invited');
select pg_temp.by_host('ada', 'reschedule_booking', 'synced', format(', %L', tests.slot(66)));
select is(pg_temp.email('synced', 'booking.rescheduled', 'ola') -> 'calendarEvent', 'null',
  'the email to a host whose connected calendar receives the session has no entry');
update calendar_connections set status = 'revoked';
select pg_temp.by_host('ada', 'reschedule_booking', 'synced', format(', %L', tests.slot(67)));
select is(pg_temp.entry(pg_temp.email('synced', 'booking.rescheduled', 'ola')),
  'REQUEST CONFIRMED 3 sender@casts.test ola@test.example', 'a host whose calendar cannot be written is invited');
update calendar_connections set status = 'active';
select pg_temp.by_host('ada', 'cancel_booking', 'synced');
select is(pg_temp.entry(pg_temp.email('synced', 'booking.cancelled', 'ola')),
  'CANCEL CANCELLED 4 sender@casts.test ola@test.example', 'a host who was invited gets the cancellation');

-- A deleted account
delete from auth.users where id = tests.id('ada');
select is((tests.booking('synced')).confirmed_by, tests.id('ola'), 'the host who confirmed is another one');
select is((tests.booking('first')).confirmed_by, null, 'the booking forgets a host whose account is deleted');

select * from tests.finish();
rollback;
