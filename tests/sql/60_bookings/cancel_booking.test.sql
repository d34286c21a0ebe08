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

-- The limit of emails: an unverified guest gets the emails of the fourth change and those after it as one, a day later
select tests.booking_in('third', 'open', 70, guest => 'may'), tests.booking_in('fourth', 'open', 80, guest => 'may'),
  tests.booking_in('fifth', 'open', 90, guest => 'may');
select tests.value_as('ola', format('select public.confirm_booking(%L)', tests.id('third')));
select tests.value_as('ola', format('select public.cancel_booking(%L)', tests.id('third')));
select tests.value_as('ola', format('select public.decline_booking(%L)', tests.id(name)))
from unnest(array['fourth', 'fifth']) name;
create temp view delays as
  select i.name, d.type, d.due_at - now() as delay
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  join tests.ids i on i.id::text = a.access ->> 'subject_id'
  where a.email = 'may@guests.example';
select set_eq('select name, type, delay from delays', $$ values ('third', 'booking.requested', interval '0'),
  ('fourth', 'booking.requested', '0'), ('fifth', 'booking.requested', '0'), ('third', 'booking.confirmed', '1 day'),
  ('third', 'booking.cancelled', '1 day'), ('fourth', 'booking.declined', '1 day'),
  ('fifth', 'booking.declined', '1 day') $$,
  'emails over the limit of an address wait for the next day, and those of one booking together');
select is((select email_count from private.booking_email_windows w
  where w.digest = private.email_digest('may@guests.example')), 6,
  'the emails of a booking that wait take one place');
select is(private.schedule_booking_email(tests.booking('third'), now()), now() + interval '1 day',
  'the next email of a booking waits with those that wait');
select is(private.reserve_booking_email('may@guests.example', now()), now() + interval '2 days',
  'when the next day is full, emails wait for the day after');
select is(private.reserve_booking_email('may@guests.example', now() + interval '2 days'), now() + interval '2 days',
  'an email of a past day is sent at once');
select is(private.reserve_booking_email('may@guests.example', now() + interval '9 days'), now() + interval '9 days',
  'a window restarts when its days are over');
insert into private.verified_emails values (private.email_digest('may@guests.example'), now());
delete from private.booking_email_windows;
select is(private.schedule_booking_email(tests.booking('third'), now()), null,
  'a guest who verified the address gets the next email at once');
insert into private.verified_emails values (private.email_digest('viv@guests.example'), now());
select private.reserve_booking_email('tom@guests.example', now() + interval '1 second');
select is(private.reserve_booking_email('tom@guests.example', now()), now(),
  'an email is sent at once if a concurrent call that began later has started the day of the address');
select is((select array_agg(private.reserve_booking_email('viv@guests.example', now()) = now())
  from generate_series(1, 50)), array_fill(true, array[50]), 'a verified address gets 50 emails a day');
select is(private.reserve_booking_email('viv@guests.example', now()), now() + interval '1 day',
  'the emails of a verified address are limited, too');

select * from tests.finish();
rollback;
