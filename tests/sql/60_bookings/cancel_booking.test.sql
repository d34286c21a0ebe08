-- cancel_booking: the slot, and who is told. bookings.test.sql has the callers and states.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, guest => 'gus'), tests.booking_in('second', 'open', 60, 'confirmed',
  'zoe');

select is(tests.value_as('ola', format('select public.cancel_booking(%L, %L)', tests.id('second'), 'Sorry'))::jsonb @>
  jsonb_build_object('status', 'cancelled', 'cancelledBy', 'host', 'statusMessage', 'Sorry'), true,
  'cancel_booking returns the booking');
select set_eq($$ select tests.told_of_booking('second') $$, array['booking.requested to ola',
  'booking.requested to ada',
  'booking.requested to zoe', 'booking.cancelled to ada', 'booking.cancelled to zoe CANCEL CANCELLED 2'],
  'cancel_booking tells the other hosts and the guest');
select set_has($$ select q from tests.queued('calendar_sync') q $$, $$ select jsonb_build_object('type',
  'booking.changed',
  'podcast_id', tests.id('show'), 'booking_id', tests.id('second')) $$,
  'cancel_booking of a confirmed booking enqueues calendar_sync');
select is(tests.error_of($$ select tests.request_booking('again', 'open', 60, 'ida') $$), 'none',
  'cancel_booking frees the slot');
select is(tests.value_as('ada', format('select public.cancel_booking(%L)', tests.id('first')))::jsonb ->> 'status',
  'cancelled', 'cancel_booking cancels a request');

select * from tests.finish();
rollback;
