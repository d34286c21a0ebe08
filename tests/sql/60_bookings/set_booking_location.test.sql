-- set_booking_location: the place of a booking, who learns it, and when.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.podcast('other', 'otto'),
  tests.open_link('open', 'show', '{"location": {"type": "link", "value": "https://meet.example/room"}}');
select tests.booking_in('first', 'open', 50, guest => 'gus'), tests.booking_in('closed', 'open', 60, 'declined'),
  tests.booking_in('second', 'open', 70, guest => 'zoe'), tests.booking_in('limited', 'open', 80);
select tests.booking_token('first'), tests.booking_token('second');
create function pg_temp.set_location(name text, location jsonb, who text default 'ada') returns text
language plpgsql as $$
declare
  result text;
begin
  perform tests.act_as(who);
  result := tests.outcome_of(format('select public.set_booking_location(%L, %L)', tests.id(name), location));
  perform tests.act_as('postgres');
  return result;
end $$;
create function pg_temp.guest_sees(name text) returns jsonb language sql as $$
  select private.get_guest_booking(name) #> '{booking,location}'
$$;

-- Who, and what is wrong
select tests.access('set_booking_location',
  $$ select public.set_booking_location(tests.id('limited'), '{"type": "custom", "value": "Here"}') $$,
  '42501: anon; PT403: mel otto; ok 1: ada ola');
select is(pg_temp.set_location('closed', null), 'PT409 INVALID_STATUS_CHANGE',
  'set_booking_location rejects a booking that was declined');
select is(pg_temp.set_location('first', '{"type": "link", "value": "x"}'),
  'PT400 location.value: must be an http or https URL, such as https://meet.example.com/room',
  'set_booking_location rejects a link without a URL');

-- A booking has the place of its link; strangers learn its type
select is((tests.booking('first')).location, '{"type": "link", "value": "https://meet.example/room"}',
  'a booking has the place of its link');
select is(pg_temp.guest_sees('first'), '{"type": "link", "value": null}',
  'the guest of a request sees the type of its place');
select is(pg_temp.set_location('first', '{"type": "in_person", "value": " Studio\n1 "}')::jsonb -> 'location',
  '{"type": "in_person", "value": "Studio 1"}', 'set_booking_location returns the booking with its place');
select is((tests.booking('first')).sequence, 0, 'the place of a request is in no calendar entry to update');
select is((select count(*) from tests.told_of_booking('first') t where t like '%rescheduled%'), 0::bigint,
  'the place of a request is told with its confirmation');
select is((select location ->> 'value' from booking_links where id = tests.id('open')), 'https://meet.example/room',
  'set_booking_location leaves the link as it is');
update public.booking_links set location = null where id = tests.id('open');
select is((tests.booking('second')).location ->> 'value', 'https://meet.example/room',
  'a booking keeps the place of its link when the link loses it');

-- Confirmed: the guest learns it
select private.verify_guest_booking('first');
select tests.value_as('ada', format('select public.confirm_booking(%L)', tests.id(name)))
from unnest('{first,second}'::text[]) name;
select is(pg_temp.guest_sees('first'), '{"type": "in_person", "value": "Studio 1"}',
  'the guest of a confirmed booking sees its place');
create function pg_temp.email_of(booking text, wanted_type text) returns private.delivery_addresses language sql as $$
  select a from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  where a.access ->> 'subject_id' = tests.id(booking)::text and d.type = wanted_type
    and d.status = 'pending'
$$;
select is(right((pg_temp.email_of('first', 'booking.confirmed')).body, 17), E'\n\nWhere: Studio 1',
  'the email of the confirmation tells the guest the place');
select is((select distinct right(n.body, 15) from notifications n where n.type = 'booking.confirmed'
  and n.metadata ->> 'booking_id' = tests.id('first')::text), 'Where: Studio 1',
  'the confirmation tells the other hosts the place');
select is((pg_temp.email_of('first', 'booking.confirmed')).calendar_event ->> 'location', 'Studio 1',
  'the calendar entry of a session has its place');

delete from pgmq.q_calendar_sync;
select pg_temp.set_location('first', '{"type": "link", "value": "https://meet.example/other"}');
select is((tests.booking('first')).sequence, 2, 'set_booking_location of a confirmed booking raises the sequence');
select results_eq($$ select title, body from unnest(array[pg_temp.email_of('first', 'booking.rescheduled')]) e $$,
  format($$ values ('Your recording for show has a new place', %L) $$, format(
    E'The host changed the place of your recording on %s at %s.\n\nWhere: https://meet.example/other',
    substring((pg_temp.email_of('first', 'booking.rescheduled')).body from 'recording on (.*) at'),
    substring((pg_temp.email_of('first', 'booking.rescheduled')).body from ' at ([^\n]*)\.\n'))),
  'set_booking_location emails the guest the place of a confirmed booking');
select is((select string_agg(concat_ws(' ', i.name, n.title, right(n.body, 33)), ', ') from notifications n
    join tests.ids i on i.id = n.user_id where n.type = 'booking.rescheduled'),
  'ola Recording for show has a new place: open Where: https://meet.example/other',
  'set_booking_location tells the other hosts');
select is((pg_temp.email_of('first', 'booking.rescheduled')).calendar_event ->> 'url', 'https://meet.example/other',
  'the calendar entry of a session has the link to its meeting');
select is((select d.status::text from private.delivery_addresses a
    join notification_deliveries d on d.id = a.delivery_id
    where a.access ->> 'subject_id' = tests.id('first')::text and d.type = 'booking.confirmed'), 'canceled',
  'the email that tells the place replaces one that is not sent yet');
select set_has($$ select q ->> 'booking_id' from tests.queued('calendar_sync') q $$,
  $$ select tests.id('first')::text $$, 'a new place is written into the calendar of a host');
select is(private.session_event(tests.booking('first'), tests.id('ola')) ->> 'location', 'https://meet.example/other',
  'the event in the calendar of a host has the place');
select pg_temp.set_location('first', '{"type": "link", "value": "https://meet.example/other"}');
select is((tests.booking('first')).sequence, 2, 'set_booking_location with the same place changes nothing');
select pg_temp.set_location('first', null);
select is((pg_temp.email_of('first', 'booking.rescheduled')).body ~ 'Where', false, 'a booking can lose its place');
select is(private.session_event(tests.booking('first'), tests.id('ola')) ->> 'location', '',
  'the event in the calendar of a host loses the place');

-- Guests who are not verified get no link that a stranger could have sent them
select is((pg_temp.email_of('second', 'booking.confirmed')).body ~ 'https://', false,
  'the email to a guest who is not verified has no link to the meeting');
select is(translate(right((pg_temp.email_of('second', 'booking.confirmed')).body, 33), U&'\2060', ''),
  right('Where: https://meet.example/room', 33 - 4), 'the email to a guest who is not verified shows the link as text');
select is((pg_temp.email_of('second', 'booking.confirmed')).calendar_event::text ~ '"url"|https:', false,
  'the calendar entry of a guest who is not verified has no link to the meeting');
select private.cancel_guest_booking('second', null);
select is(pg_temp.guest_sees('second'), '{"type": "link", "value": null}',
  'the guest of a canceled booking no longer sees its place');

-- Limit
select is(left(pg_temp.set_location('limited', jsonb_build_object('type', 'custom', 'value', n::text)), 5),
  case when n <= 9 then '{"id"' else 'PT429' end, 'hosts set the place of a booking ten times a day')
from generate_series(1, 10) n;

select * from tests.finish();
rollback;
