-- reschedule_guest_booking: the slot, and who is told. bookings.test.sql has the states and invalid tokens.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus'), tests.booking_in('second', 'open', 60, guest =>
  'zoe'),
  tests.booking_token('first'), tests.booking_token('second');
create function pg_temp.move(name text, start_time text) returns text language plpgsql as $$
declare
  result text;
begin
  perform tests.act_as('anon');
  result := tests.outcome_of(format('select public.reschedule_guest_booking(%L, %L)', name, start_time));
  perform tests.act_as('postgres');
  return result;
end $$;

select is(pg_temp.move('first', start_time), 'PT409 SLOT_UNAVAILABLE',
  format('reschedule_guest_booking to %s returns 409', what))
from (values
  ('the past', tests.slot(-2)::text), ('infinity', 'infinity'), ('no time', null),
  ('a time between slots', (tests.slot(70) + interval '30 minutes')::text),
  ('a slot after the last date', (tests.slot(0) + interval '62 days')::text),
  ('the slot of another booking', tests.slot(60)::text)
) v (what, start_time);
select is(pg_temp.move('first', tests.slot(51)::text)::jsonb -> 'booking' @> jsonb_build_object(
  'status', 'confirmed', 'start', private.format_timestamp(tests.slot(51)),
  'end', private.format_timestamp(tests.slot(52))), true,
  'reschedule_guest_booking moves a confirmed booking, which stays confirmed');
select set_eq($$ select tests.told_of_booking('first') $$, array['booking.requested to ola', 'booking.requested to ada',
  'booking.requested to gus', 'booking.rescheduled to ola', 'booking.rescheduled to ada',
  'booking.rescheduled to gus REQUEST CONFIRMED 2'], 'reschedule_guest_booking tells all hosts and the guest');
select isnt((tests.booking('first')).guest_verified_at, null, 'reschedule_guest_booking verifies the guest');
select is(pg_temp.move('first', tests.slot(51)::text)::jsonb #>> '{booking,status}', 'confirmed',
  'reschedule_guest_booking to the same time changes nothing');
select is((tests.booking('first')).sequence, 2, 'reschedule_guest_booking to the same time keeps the sequence');
update booking_links set duration_minutes = 30 where id = tests.id('open');
select is(left(pg_temp.move('first', (tests.slot(51) + interval '30 minutes')::text), 1), '{',
  'a slot within the booking''s own time is free for its guest');
select is(pg_temp.move('second', tests.slot(70)::text)::jsonb #>> '{booking,end}',
  private.format_timestamp(tests.slot(70) + interval '30 minutes'),
  'the new slot has the length that the link has now');
select is(pg_temp.move('second', tests.slot(2)::text)::jsonb #>> '{booking,expiresAt}',
  private.format_timestamp(tests.slot(2)), 'a moved request expires at its start at the latest');
update booking_links set is_active = false where id = tests.id('open');
select is(pg_temp.move('second', tests.slot(80)::text), 'PT409 SLOT_UNAVAILABLE',
  'reschedule_guest_booking returns 409 for an inactive link');

-- limit
update booking_links set is_active = true where id = tests.id('open');
select tests.booking_in('moved', 'open', 100, guest => 'may'), tests.booking_token('moved');
select is(left(pg_temp.move('moved', tests.slot(101 + n)::text), 11), case when n <= 10 then '{"link": {"'
  else 'PT429 RATE_' end, 'a guest moves a booking ten times a day') from generate_series(1, 11) n;

select is(tests.value_as('ola', format('select public.reschedule_booking(%L, %L)', tests.id('moved'), tests.slot(120)))
  ::jsonb ->> 'status', 'pending', 'hosts have a limit of moves of their own');

select * from tests.finish();
rollback;
