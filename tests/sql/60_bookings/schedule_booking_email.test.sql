-- schedule_booking_email and reserve_booking_email: how many emails an address gets, and when the others go out.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.open_link('open', 'show');

-- An unverified guest gets the emails of the fourth change and those after it a day later, one per booking
select tests.booking_in('first', 'open', 70, guest => 'may'), tests.booking_in('second', 'open', 80, guest => 'may'),
  tests.booking_in('third', 'open', 90, guest => 'may');
select is((select count(*) from private.postponed_booking_emails), 0::bigint, 'emails that are sent do not wait');
select tests.value_as('ola', format('select public.confirm_booking(%L)', tests.id('first')));
select tests.value_as('ola', format('select public.cancel_booking(%L)', tests.id('first')));
select tests.value_as('ola', format('select public.decline_booking(%L)', tests.id(name)))
from unnest(array['second', 'third']) name;
create temp view delays as
  select i.name, d.type, d.due_at - now() as delay
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  join tests.ids i on i.id::text = a.access ->> 'subject_id'
  where a.email = 'may@guests.example';
select set_eq('select name, type, delay from delays', $$ values ('first', 'booking.requested', interval '0'),
  ('second', 'booking.requested', '0'), ('third', 'booking.requested', '0'), ('first', 'booking.confirmed', '1 day'),
  ('first', 'booking.cancelled', '1 day'), ('second', 'booking.declined', '1 day'),
  ('third', 'booking.declined', '1 day') $$,
  'emails over the limit of an address wait for the next day, and those of one booking together');
create function pg_temp.count_of(guest text) returns int language sql as $$
  select email_count from private.booking_email_windows w
  where w.digest = private.email_digest(guest || '@guests.example') $$;
select is(pg_temp.count_of('may'), 6, 'the emails of a booking that wait take one place');
select is(private.schedule_booking_email(tests.booking('first'), now()), now() + interval '1 day',
  'the next email of a booking waits with those that wait');
select is(private.schedule_booking_email(tests.booking('first'), now() + interval '1 day'), now() + interval '2 days',
  'an email after those that waited takes another place');
select is(private.schedule_booking_email(tests.booking('first'), now() + interval '1 day'), now() + interval '2 days',
  'the emails of a booking that wait again wait together');
select is(pg_temp.count_of('may'), 7, 'the emails of a booking that wait again take one place');
insert into private.verified_emails values (private.email_digest('may@guests.example'), now());
delete from private.booking_email_windows;
select is(private.schedule_booking_email(tests.booking('first'), now()), null,
  'a guest who verified the address gets the next email at once');
select is((select count(*) from private.postponed_booking_emails p where p.scheduled_for <= now()), 0::bigint,
  'an email that is sent at once does not wait');

-- Days of an address: when emails that are counted after so many hours are sent, in hours
create function pg_temp.sent(guest text, hours numeric[]) returns text language sql as $$
  select string_agg(round(extract(epoch from private.reserve_booking_email(guest || '@guests.example',
    now() + make_interval(secs => h.hour * 3600)) - now()) / 3600, 1)::text, ' ' order by n)
  from unnest(hours) with ordinality h (hour, n)
$$;
select is(pg_temp.sent(guest, hours::numeric[]), sent, format('emails %s', what)) from (values
  ('a', '{0,0,0,0}', '0.0 0.0 0.0 24.0', 'over the limit wait for the next day'),
  ('b', '{0,0,0,0,0,0,0,0,0,0}', '0.0 0.0 0.0 24.0 24.0 24.0 48.0 48.0 48.0 72.0',
    'over the limit of the next day wait longer'),
  ('c', '{0,0,0,0,40}', '0.0 0.0 0.0 24.0 40.0', 'of a day that has room are sent at once'),
  ('d', '{0,0,0,24,24,24,24}', '0.0 0.0 0.0 24.0 24.0 24.0 48.0', 'of the next day have a day of their own'),
  ('e', '{0,0,0,36,36,36,36}', '0.0 0.0 0.0 36.0 36.0 36.0 60.0', 'after a day restart the window'),
  ('f', '{0,0,0,0,47,47,47}', '0.0 0.0 0.0 24.0 47.0 47.0 48.0', 'that wait keep the window'),
  ('g', '{0,0,0,0,48,48,48,48}', '0.0 0.0 0.0 24.0 48.0 48.0 48.0 72.0',
    'after the day of those that waited restart the window'),
  ('h', '{0.1,0}', '0.1 0.0', 'are sent at once although a concurrent call that began later has started the window')
) v (guest, hours, sent, what);
select is(pg_temp.sent('viv', array_fill(0, array[2])), '0.0 0.0', 'the limit is of each address');
insert into private.verified_emails values (private.email_digest('viv@guests.example'), now());
select is(pg_temp.sent('viv', array_fill(0, array[49])), repeat('0.0 ', 48) || '24.0',
  'a verified address gets 50 emails a day');
update private.settings set value = '0' where key = 'max_booking_emails_per_day';
select is(pg_temp.sent('i', '{0,0}'), '0.0 24.0', 'an address gets one email a day if the setting is 0');

-- Addresses of users
select tests.person('sam'), tests.person('eve', false);
select ok(private.is_verified_email('sam@test.example'), 'a confirmed user''s address is verified');
select ok(not private.is_verified_email('eve@test.example'), 'an unconfirmed user''s address is not verified');
update auth.users set is_sso_user = true where email = 'sam@test.example';
select ok(not private.is_verified_email('sam@test.example'), 'the address of an SSO user is not verified');

select * from tests.finish();
rollback;
