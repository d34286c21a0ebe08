-- tell_untold_guest: guests are told of their bookings later if no day had room for it.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.open_link('open', 'show'),
  tests.open_link('theirs', 'other');
select private.set_setting('max_emails_from_strangers_per_day', '1');
create temp view emails as
  select i.name, d.type, d.due_at - now() as delay
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  join tests.ids i on i.id::text = a.access ->> 'subject_id'
  where d.status = 'pending';

select tests.booking_in('first', 'open', 70, guest => 'may'), tests.booking_in('second', 'open', 71, guest => 'may'),
  tests.booking_in('pending', 'open', 72, guest => 'may'), tests.booking_in('confirmed', 'open', 73, guest => 'may'),
  tests.booking_in('declined', 'open', 74, guest => 'may'), tests.booking_in('begun', 'open', 75, guest => 'may'),
  tests.booking_in('expired', 'open', 76, guest => 'may'), tests.booking_in('canceled', 'open', 77, guest => 'may');
select tests.value_as('ola', format('select public.%s(%L)', operation, tests.id(name)))
from (values ('confirm_booking', 'confirmed'), ('decline_booking', 'declined'), ('cancel_booking', 'canceled'))
  v (operation, name);
update bookings set start_time = now(), end_time = now() + interval '1 hour', expires_at = now() + interval '1 hour'
where id = tests.id('begun');
update bookings set expires_at = now() where id = tests.id('expired');

select set_eq('select name, delay from emails', $$ values ('first', interval '0'), ('second', '1 day') $$,
  'guests without room are not told of their bookings');
create temp table seen as select ctid as place, id from bookings;
select is(private.tell_untold_guest(), false, 'tell_untold_guest tells no guest while there is no room');
select is_empty('select from bookings b join seen s using (id) where b.ctid <> s.place',
  'tell_untold_guest writes no booking while there is no room');
delete from private.email_windows;
select private.set_setting('max_emails_from_strangers_per_day', '9');
select is(private.tell_untold_guest(), told, format('tell_untold_guest tells one guest per call: %s', told))
from unnest('{t,t,t,t,f}'::boolean[]) told;
select set_eq($$ select name, type, delay from emails where name not in ('first', 'second') $$,
  $$ values ('pending', 'booking.requested', interval '0'), ('confirmed', 'booking.confirmed', '0'),
    ('declined', 'booking.declined', '0'), ('canceled', 'booking.cancelled', '0') $$,
  'tell_untold_guest sends the state of bookings');
select set_eq($$ select i.name from bookings b join tests.ids i using (id) where b.guest_told_at is null $$,
  array['begun', 'expired'], 'tell_untold_guest tells no guest of a booking that is over');
select is((select w.email_count from private.email_windows w where w.digest = private.email_window_digest(
  format('podcast:%s/may@guests.example', tests.id('show')))), 4,
  'tell_untold_guest counts the emails that it sends');

-- Networks, and podcasts that are being deleted
update bookings set guest_told_at = null where id = tests.id('pending');
update private.unverified_bookings set network_digest = private.email_window_digest('network:x')
where booking_id = tests.id('pending');
select private.next_email_time(private.email_window_digest('network:x'), 50, now()) from generate_series(1, 100);
select is(private.tell_untold_guest(), false, 'tell_untold_guest counts the network that asked');
delete from private.email_windows;
select tests.set_status('show', 'pending_deletion');
select is(private.tell_untold_guest(), false, 'tell_untold_guest tells no guest of a podcast that is being deleted');
update bookings set guest_told_at = null where id = tests.id('declined');
select is(private.tell_untold_guest(), true, 'tell_untold_guest tells a guest whom a host declined');
select tests.set_status('show', 'active');
create function pg_temp.fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
create trigger fail before update on bookings for each row execute function pg_temp.fail();
select is(private.tell_untold_guest(), false, 'tell_untold_guest continues after an error');
drop trigger fail on bookings;
select is(private.tell_untold_guest(), true, 'tell_untold_guest tells a guest whom an error kept from being told');
select is((select network_digest from private.unverified_bookings where booking_id = tests.id('pending')), null,
  'the network that asked is forgotten once the guest is told');

-- Verified and deleted
select private.set_setting('max_emails_from_strangers_per_day', '1');
select tests.booking_in('known', 'open', 80, guest => 'may');
select private.verify_guest_booking(tests.booking_token('known'));
select is((tests.booking('known')).guest_told_at, now(), 'a guest who verifies a booking is told of it');
select tests.booking_in('held ' || n, 'theirs', 80 + n, guest => 'kim') from generate_series(1, 2) n;
select tests.value_as('otto', format('select public.confirm_booking(%L)', tests.id('held 2')));
select tests.booking_in('ended', 'theirs', 90, guest => 'lea');
update bookings set expires_at = now() where id = tests.id('ended');
select private.expire_pending_bookings();
select tests.set_status('other', 'pending_deletion');
update podcasts set deletion_scheduled_at = now() where id = tests.id('other');
select private.delete_due_podcast(tests.id('other'));
select is_empty($$ select from emails where name like 'held%' $$,
  'the deletion of a podcast cancels the emails of its open bookings that wait');
select set_eq($$ select type from emails where name = 'ended' $$, array['booking.cancelled'],
  'the deletion of a podcast keeps the emails of bookings that have ended');

select * from tests.finish();
rollback;
