-- get_guest_booking: the token, and what its holder sees. bookings.test.sql has the states.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.open_link('open', 'show'), tests.open_link('link', 'show');
create temp table requested as select tests.request_booking('first', 'open', 50, 'gus') as response;
select tests.booking_in('other', 'open', 60, guest => 'zoe'), tests.booking_token('first', now() + interval '1 day'),
  tests.booking_token('other');
insert into private.access_tokens (digest, kind, subject_id, expires_at) values
  (sha256('foreign'), 'guest', tests.id('first'), 'infinity'), (sha256('deleted'), 'booking', gen_random_uuid(),
  'infinity');

select is(tests.error_of(format('select private.get_guest_booking(%L, %L)', token, at)), expected,
  format('get_guest_booking returns %s for %s', expected, what)) from (values
  ('unknown', now(), 'PT401 INVALID', 'an unknown token'), (null, now(), 'PT401 INVALID', 'no token'),
  ('foreign', now(), 'PT401 INVALID', 'a token of another kind'),
  ('deleted', now(), 'PT401 INVALID', 'the token of a deleted booking'),
  ('first', now() + interval '1 day', 'PT401 EXPIRED', 'an expired token')) v (token, at, expected, what);
select is(tests.value_as(who, $$ select public.get_guest_booking('first') $$)::jsonb,
  (select response - 'email' from requested),
  format('get_guest_booking returns the booking, link and podcast to %s', who))
from unnest(array['anon', 'ola']) who;
select is((tests.booking('first')).guest_verified_at, null,
  'get_guest_booking verifies nothing, because scanners open links');
update bookings set expires_at = now() where id = tests.id('first');
select is(tests.value_as('anon', $$ select public.get_guest_booking('first') $$)::jsonb -> 'booking' @>
  '{"status": "cancelled", "cancelledBy": "expiry", "expiresAt": null}', true,
  'get_guest_booking shows a request as cancelled as soon as it has expired');
update booking_links set is_active = false where id = tests.id('open');
select is(tests.value_as('anon', $$ select public.get_guest_booking('first') $$)::jsonb ->> 'link', null,
  'get_guest_booking shows no link that is inactive');

select * from tests.finish();
rollback;
