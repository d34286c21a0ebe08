-- expire_pending_bookings and purge_bookings.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.open_link('open', 'show');
select tests.booking_in('due', 'open', 50), tests.booking_in('waiting', 'open', 55),
  tests.booking_in('confirmed', 'open', 60, 'confirmed'), tests.booking_in('deleted', 'open', 65);
update bookings set expires_at = now() where id = tests.id('due');
update bookings set expires_at = now() - interval '1 second' where id = tests.id('deleted');

select is(private.expire_pending_bookings(now() - interval '2 seconds'), 0, 'a request does not expire early');
select tests.set_status('show', 'pending_deletion');
select is(private.expire_pending_bookings(max_bookings => 1), 1, 'a run expires at most max_bookings');
select is((tests.booking('deleted')).status::text, 'cancelled', 'the request that expired first is cancelled first');
select is(private.expire_pending_bookings(), 1, 'requests of a podcast pending deletion expire, too');
select is(private.expire_pending_bookings(), 0, 'a second run changes nothing');
select results_eq($$ select b.status::text, b.cancelled_by, b.expires_at, b.sequence from tests.booking('due') b $$,
  $$ values ('cancelled', 'expiry', null::timestamptz, 1) $$, 'an expired request is cancelled by expiry');
select results_eq($$ select b.status::text from unnest(array['waiting', 'confirmed']) n, tests.booking(n) b $$,
  $$ values ('pending'), ('confirmed') $$, 'expire_pending_bookings changes no other booking');
select set_eq($$ select tests.told_of_booking('due') $$, array['booking.requested to ola', 'booking.requested to ada',
  'booking.requested to guest-due', 'booking.cancelled to ola', 'booking.cancelled to ada',
  'booking.cancelled to guest-due CANCEL CANCELLED 1'], 'expire_pending_bookings tells guest and hosts');
select tests.set_status('show', 'active');
select is(tests.error_of($$ select tests.request_booking('again', 'open', 50, 'zoe') $$), 'none',
  'expire_pending_bookings frees the slot');

-- Requests of which neither hosts nor guest were told
select tests.booking_in('unsent', 'open', 56), tests.booking_in('unannounced', 'open', 57);
update bookings set guest_told_at = now() + interval '1 day' where id = tests.id('unsent');
update bookings set hosts_told_at = null where id = tests.id('unannounced');
update bookings set expires_at = now() where id in (tests.id('unsent'), tests.id('unannounced'));
select is(private.expire_pending_bookings(), 2, 'requests of which neither hosts nor guest were told expire');
select set_eq($$ select t.line from tests.told_of_booking('unsent') t (line) where t.line like '%cancelled%' $$,
  array['booking.cancelled to ola', 'booking.cancelled to ada'],
  'expire_pending_bookings sends no email to a guest whose request was not emailed');
select set_eq($$ select t.line from tests.told_of_booking('unannounced') t (line) where t.line like '%cancelled%' $$,
  array['booking.cancelled to guest-unannounced CANCEL CANCELLED 1'],
  'expire_pending_bookings notifies no host of a request that hosts were not told of');

-- A booking that fails does not stop the others
create function pg_temp.fail() returns trigger language plpgsql as $$
begin
  if new.id = tests.id('waiting') then raise exception 'broken'; end if;
  return new;
end $$;
create trigger fail before update on bookings for each row execute function pg_temp.fail();
update bookings set expires_at = now() where id = tests.id('again');
select is(private.expire_pending_bookings(now() + interval '73 hours'), 1,
  'a booking that fails does not stop the others');
select is((tests.booking('waiting')).status::text, 'pending', 'a booking that fails is tried again');
drop trigger fail on bookings;

-- purge_bookings
select tests.request_booking('keyed', 'open', 100, 'kay', '{"key": "k"}');
select is(private.purge_bookings(now() + interval '1 day' - interval '1 second'), 0, 'purge_bookings keeps bookings');
select is((select count(*) from private.booking_request_keys), 1::bigint, 'purge_bookings keeps keys for 24 hours');
select private.purge_bookings(now() + interval '1 day');
select is((select count(*) from private.booking_request_keys), 0::bigint, 'purge_bookings deletes keys after 24 hours');
select is(private.purge_bookings((tests.booking('due')).end_time + interval '730 days'), 2,
  'purge_bookings deletes bookings two years after their end');

select * from tests.finish();
rollback;
