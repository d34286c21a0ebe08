-- decline_booking: the message, and who is told. bookings.test.sql has the callers and states.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, guest => 'gus'), tests.booking_in('second', 'open', 60, guest => 'zoe');

select is(tests.error_of(format('select public.decline_booking(%L, %L)', tests.id('first'), repeat('x', 2001))),
  'PT401', 'decline_booking requires a user');
select tests.act_as('ada');
select is(tests.describe_error(format('select public.decline_booking(%L, %L)', tests.id('first'), repeat('x', 2001))),
  'PT400 / message must be at most 2,000 characters', 'decline_booking rejects a long message');
select is(public.decline_booking(tests.id('first'), E' Not\r\nnow \u0007') - '{id,createdAt,updatedAt}'::text[] @>
  jsonb_build_object('status', 'declined', 'statusMessage', E'Not\nnow', 'expiresAt', null), true,
  'decline_booking returns the booking with the message');
select is(public.decline_booking(tests.id('second'), ' ') ->> 'statusMessage', null,
  'decline_booking stores no blank message');
select tests.act_as('postgres');
select is(char_length(private.clean_booking_message(repeat('x', 2000))), 2000, 'a message can have 2,000 characters');
select set_eq($$ select tests.told_of_booking('first') $$, array['booking.requested to ola', 'booking.requested to ada',
  'booking.requested to gus', 'booking.declined to ola', 'booking.declined to gus CANCEL CANCELLED 1'],
  'decline_booking tells the guest and the other hosts');
select is((select string_agg(distinct d.channel::text, ' ') from notification_deliveries d
  where d.type = 'booking.declined' and d.user_id is not null), null,
  'hosts see a declined request in the app alone');
select ok((select a.body from private.delivery_addresses a where a.access ->> 'subject_id' = tests.id('first')::text
  and a.calendar_event is not null) like '%Not%now%', 'the guest reads the message');
select is((select count(*) from tests.queued('calendar_sync')), 0::bigint,
  'decline_booking does not write into calendars');
select is(tests.error_of($$ select tests.request_booking('again', 'open', 50, 'zoe') $$), 'none',
  'decline_booking frees the slot');

select * from tests.finish();
rollback;
