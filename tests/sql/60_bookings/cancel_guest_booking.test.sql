-- cancel_guest_booking: the message, and who is told. bookings.test.sql has the states and invalid tokens.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus'), tests.booking_token('first');

select tests.act_as('anon');
select is(tests.describe_error(format('select public.cancel_guest_booking(%L, %L)', 'first', repeat('x', 2001))),
  'PT400 / message must be at most 2,000 characters', 'cancel_guest_booking rejects a long message');
select is(public.cancel_guest_booking('first', ' Ill ') -> 'booking' @>
  '{"status": "cancelled", "cancelledBy": "guest", "statusMessage": "Ill"}', true,
  'cancel_guest_booking returns the booking');
select is(tests.error_of($$ select public.cancel_guest_booking('first') $$), 'PT409 INVALID_STATUS_CHANGE',
  'cancel_guest_booking returns 409 when it is repeated');
select tests.act_as('postgres');
select set_eq($$ select tests.told_of_booking('first') $$, array['booking.requested to ola', 'booking.requested to ada',
  'booking.requested to gus', 'booking.cancelled to ola', 'booking.cancelled to ada',
  'booking.cancelled to gus CANCEL CANCELLED 2'], 'cancel_guest_booking tells all hosts and the guest');
select ok((select bool_and(n.body like '%Gus%' and n.body like '%Ill%') from notifications n
  where n.type = 'booking.cancelled'), 'the hosts read the message of the guest');
select is((select count(*) from private.events e where e::text like '%Gus%' or e::text like '%Ill%'), 0::bigint,
  'events keep nothing that the guest wrote');
select isnt((tests.booking('first')).guest_verified_at, null, 'cancel_guest_booking verifies the guest');
select private.set_setting('max_pending_bookings_per_guest', '0');
select tests.booking_in('full', 'open', 90, guest => 'gus');
select is(private.cancel_guest_booking(tests.booking_token('full'), null) #>> '{booking,status}', 'cancelled',
  'cancel_guest_booking cancels over the requests of the guest that wait');
select private.set_setting('max_pending_bookings_per_guest', null);
select set_has($$ select q from tests.queued('calendar_sync') q $$, $$ select jsonb_build_object('type',
  'booking.changed',
  'podcast_id', tests.id('show'), 'booking_id', tests.id('first')) $$, 'cancel_guest_booking enqueues calendar_sync');
select is(tests.error_of($$ select tests.request_booking('again', 'open', 50, 'zoe') $$), 'none',
  'cancel_guest_booking frees the slot');

select * from tests.finish();
rollback;
