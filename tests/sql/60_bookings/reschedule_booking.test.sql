-- reschedule_booking: the time, and who is told. bookings.test.sql has the callers and states.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus'), tests.booking_in('second', 'open', 60, guest =>
  'zoe'),
  tests.booking_in('declined', 'open', 65, 'declined');
create function pg_temp.move(name text, start_time text) returns text language plpgsql as $$
declare
  result text;
begin
  perform tests.act_as('ada');
  result := tests.outcome_of(format('select public.reschedule_booking(%L, %L)', tests.id(name), start_time));
  perform tests.act_as('postgres');
  return result;
end $$;

select is(pg_temp.move('first', start_time), expected, format('reschedule_booking to %s returns %s', what, expected))
from (values
  ('the past', (now() - interval '1 minute')::text, 'PT400'), ('now', now()::text, 'PT400'),
  ('infinity', 'infinity', 'PT400'), ('no time', null, 'PT400'),
  ('a time in two years', (now() + interval '2 years')::text, 'PT400'),
  ('a time that overlaps another booking', (tests.slot(60) - interval '59 minutes')::text, 'PT409 SLOT_UNAVAILABLE')
) v (what, start_time, expected);
select is(pg_temp.move('first', (tests.slot(60) - interval '1 hour')::text)::jsonb @> jsonb_build_object(
  'status', 'confirmed', 'start', private.format_timestamp(tests.slot(59)),
  'end', private.format_timestamp(tests.slot(60))), true,
  'reschedule_booking keeps the status and the length, next to another booking');
select is((tests.booking('first')).sequence, 2, 'reschedule_booking raises the sequence');
select set_eq($$ select tests.told_of_booking('first') $$, array['booking.requested to ola', 'booking.requested to ada',
  'booking.requested to gus', 'booking.rescheduled to ola', 'booking.rescheduled to gus REQUEST CONFIRMED 2'],
  'reschedule_booking tells the other hosts and the guest');
select set_has($$ select q from tests.queued('calendar_sync') q $$, $$ select jsonb_build_object('type',
  'booking.changed',
  'podcast_id', tests.id('show'), 'booking_id', tests.id('first')) $$, 'reschedule_booking enqueues calendar_sync');
select is(pg_temp.move('first', tests.slot(59)::text)::jsonb ->> 'status', 'confirmed',
  'reschedule_booking to the same time changes nothing');
select is((tests.booking('first')).sequence, 2, 'reschedule_booking to the same time keeps the sequence');
select is(pg_temp.move('first', (tests.slot(65) + interval '7 minutes')::text)::jsonb ->> 'start',
  private.format_timestamp(tests.slot(65) + interval '7 minutes'),
  'reschedule_booking takes a time that availability does not offer, over a declined booking');
select is(pg_temp.move('second', tests.slot(1)::text)::jsonb ->> 'expiresAt', private.format_timestamp(tests.slot(1)),
  'a request expires at its new start, if that is earlier');
select is(pg_temp.move('second', tests.slot(90)::text)::jsonb ->> 'expiresAt',
  private.format_timestamp(now() + interval '72 hours'), 'a request expires when it would have, if its start is later');
select tests.act_as('ada');
select is(private.reschedule_booking(tests.id('second'), tests.slot(91), now() + interval '1 hour') ->> 'expiresAt',
  private.format_timestamp(now() + interval '72 hours'), 'the time of a request counts from its creation');
select tests.act_as('postgres');
select ok((select a.calendar_event ->> 'status' = 'TENTATIVE' from private.delivery_addresses a
  where a.access ->> 'subject_id' = tests.id('second')::text and a.calendar_event is not null limit 1),
  'the calendar entry of a moved request is tentative');
select is((select n.title from notifications n where n.type = 'booking.requested' and n.read_at is null
    and n.metadata ->> 'booking_id' = tests.id('second')::text limit 1),
  'Booking request for show rescheduled: open', 'the notification of a moved request names it a request');

-- Bookings of the podcast
select tests.open_link('wide', 'show', '{"conflict_scope": "podcast"}'), tests.open_link('narrow', 'show');
select tests.booking_in('of-wide', 'wide', 200), tests.booking_in('of-narrow', 'narrow', 210),
  tests.booking_in('canceled', 'narrow', 220, 'cancelled');
select is(pg_temp.move('of-wide', (tests.slot(210) + interval '59 minutes')::text), 'PT409 SLOT_UNAVAILABLE',
  'reschedule_booking with the scope podcast takes no time of another link''s booking');
select is(pg_temp.move('of-wide', tests.slot(211)::text)::jsonb ->> 'start', private.format_timestamp(tests.slot(211)),
  'reschedule_booking with the scope podcast moves next to another link''s booking');
select is(pg_temp.move('of-wide', (tests.slot(211) + interval '1 minute')::text)::jsonb ->> 'status', 'pending',
  'reschedule_booking with the scope podcast moves over a time that overlaps its own');
select is(pg_temp.move('of-wide', tests.slot(220)::text)::jsonb ->> 'status', 'pending',
  'reschedule_booking with the scope podcast ignores a canceled booking of another link');
select is(pg_temp.move('of-narrow', tests.slot(220)::text)::jsonb ->> 'status', 'pending',
  'reschedule_booking with the scope link ignores the bookings of other links');

-- limit
select tests.booking_in('moved', 'open', 100);
select private.verify_guest_booking(tests.booking_token('moved'));
select is(left(pg_temp.move('moved', tests.slot(101 + n)::text), 16), case when n <= 10 then '{"id": "' ||
  left(tests.id('moved')::text, 8) else 'PT429 RATE_LIMIT' end, 'hosts move a booking ten times a day')
from generate_series(1, 11) n;
select is((select count(*) from notifications n where n.user_id = tests.id('ola')
  and n.metadata ->> 'booking_id' = tests.id('moved')::text and n.type = 'booking.requested'), 11::bigint,
  'hosts are asked again after each move of a request');
select private.cancel_guest_booking('moved', null);
select ok(exists (select from notifications n where n.user_id = tests.id('ola')
  and n.metadata ->> 'booking_id' = tests.id('moved')::text and n.type = 'booking.cancelled'),
  'hosts are notified of a cancellation after many moves');

select * from tests.finish();
rollback;
