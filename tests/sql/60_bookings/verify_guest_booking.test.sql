-- verify_guest_booking: the holder of a token shows that the address is theirs.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, guest => 'gus'), tests.booking_in('second', 'open', 60, guest => 'gus'),
  tests.booking_in('foreign', 'open', 70, guest => 'zoe'), tests.booking_in('answered', 'open', 80, 'confirmed', 'gus');
select tests.booking_token('first', now() + interval '1 day'), tests.booking_token('answered');

select is(tests.error_of(format('select private.verify_guest_booking(%L, %L)', token, at)), expected,
  format('verify_guest_booking returns %s for %s', expected, what)) from (values
  ('unknown', now(), 'PT401 INVALID', 'an unknown token'), (null, now(), 'PT401 INVALID', 'no token'),
  ('first', now() + interval '1 day', 'PT401 EXPIRED', 'an expired token')) v (token, at, expected, what);
select is((tests.booking('first')).guest_verified_at, null, 'a rejected token verifies no guest');

create temp table verified as
  select tests.value_as('anon', $$ select public.verify_guest_booking('first') $$)::jsonb as response;
select is((select response from verified), private.get_guest_booking('first'),
  'verify_guest_booking returns the booking, the link and the podcast');
select is((tests.booking('first')).guest_verified_at, now(), 'verify_guest_booking verifies the guest of the booking');
select is_empty($$ select from private.unverified_bookings where booking_id = tests.id('first') $$,
  'verify_guest_booking deletes the sender of the request');
select is((tests.booking('second')).guest_verified_at, null,
  'verify_guest_booking verifies no other booking with the address, which a stranger may have requested');
select is((tests.booking('first')).sequence, 0, 'verify_guest_booking leaves the calendar entry as it is');
select is(tests.value_as('ola', $$ select public.verify_guest_booking('first') $$)::jsonb,
  private.get_guest_booking('first'), 'verify_guest_booking can be repeated');
select is((select count(*) from tests.told_of_booking('first') t), 3::bigint,
  'verify_guest_booking tells hosts of a request once');
select is(private.verify_guest_booking('first', now() + interval '1 hour') #>> '{booking,guestVerifiedAt}',
  private.format_timestamp(now()), 'verify_guest_booking keeps the time of the first call');
select is(private.verify_guest_booking('answered') #>> '{booking,status}', 'confirmed',
  'verify_guest_booking verifies an answered booking');

-- Limits: of what the holder verified, not of what strangers requested
select private.set_setting('max_pending_bookings_per_guest', '1');
select is(tests.describe_error(format('select private.verify_guest_booking(%L)', tests.booking_token('second'))),
  'PT429 / This address has 1 requests that wait for an answer; try again when one is answered / RATE_LIMITED / '
  || format('{"rate_limit_reset_at": "%s"}', private.format_timestamp((tests.booking('first')).expires_at)),
  'verify_guest_booking returns 429 over the requests that the guest verified');
select tests.booking_in('third', 'open', 90, guest => 'zoe'), tests.booking_in('fourth', 'open', 100, guest => 'zoe');
select is(private.verify_guest_booking(tests.booking_token('fourth')) #>> '{booking,guestVerifiedAt}',
  private.format_timestamp(now()), 'verify_guest_booking verifies a guest for whom strangers requested more');
update bookings set expires_at = now() where id = tests.id('foreign');
update bookings set hosts_told_at = null where id = tests.id('foreign');
delete from notifications;
select is(private.verify_guest_booking(tests.booking_token('foreign')) #>> '{booking,cancelledBy}', 'expiry',
  'verify_guest_booking shows an expired request as cancelled');
select is((select count(*) from notifications), 0::bigint,
  'verify_guest_booking tells no host of a request that has expired');

-- Hosts
select is(tests.value_as('ada', format('select public.list_bookings(%L)', tests.id('show')))::jsonb
    #> '{data,0,guestVerifiedAt}', to_jsonb(private.format_timestamp(now())),
  'hosts see when the guest of a booking was verified');

select * from tests.finish();
rollback;
