-- Links that need no answer of a host: a booking is confirmed once its guest is verified.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.person('gil'),
  tests.open_link('instant', 'show', '{"requires_confirmation": false}'), tests.open_link('asks', 'show');
create function pg_temp.request_as(who text, name text, slot int, link text default 'instant') returns jsonb
language plpgsql as $$
declare
  response jsonb;
begin
  response := tests.value_as(who, format('select public.request_booking(%L, %L, %L, %L)', tests.id(link),
    tests.slot(slot), who, who || '@test.example'));
  perform tests.remember(name, (response #>> '{booking,id}')::uuid);
  return response;
end $$;
create function pg_temp.text_of(booking text, wanted_type text) returns text language sql as $$
  select a.title || ' / ' || a.body from private.delivery_addresses a
  join notification_deliveries d on d.id = a.delivery_id
  where a.access ->> 'subject_id' = tests.id(booking)::text and d.type = wanted_type
$$;
create function pg_temp.state(name text) returns text language sql as $$
  select concat_ws(' ', b.status, b.cancelled_by) from tests.booking(name) b
$$;

-- Anyone: the time is held until the address is verified, and no host is asked
select tests.request_booking('first', 'instant', 50, 'gus'), tests.booking_token('first');
select is(pg_temp.state('first'), 'pending', 'a request of an unverified guest waits');
select is((tests.booking('first')).expires_at, now() + interval '24 hours',
  'a request that waits for its guest alone is held for a day');
select set_eq($$ select tests.told_of_booking('first') $$, array['booking.requested to gus'],
  'hosts are not told of a request that waits for its guest');
select matches(pg_temp.text_of('first', 'booking.requested'), '^Confirm your booking for show / You chose .* '
  'Please open your booking and confirm your email address\. Then the time is yours',
  'the email of a request says that confirming the address books the time');
select is(tests.error_of($$ select tests.request_booking('second', 'instant', 50, 'zoe') $$),
  'PT409 SLOT_UNAVAILABLE', 'a time that waits for its guest is held');
select is(private.verify_guest_booking('first') #>> '{booking,status}', 'confirmed',
  'verify_guest_booking confirms a booking that needs no host');
select set_eq($$ select tests.told_of_booking('first') $$, array['booking.requested to gus',
  'booking.confirmed to ola', 'booking.confirmed to ada', 'booking.confirmed to gus REQUEST CONFIRMED 1'],
  'hosts and guest are told of the confirmation, the guest with an invitation');
select is_empty($$ select from notifications where type = 'booking.requested' $$,
  'hosts are not asked to confirm what is confirmed');
select set_has($$ select q ->> 'booking_id' from tests.queued('calendar_sync') q $$,
  $$ select tests.id('first')::text $$, 'a booking that its guest confirms is written into the calendar of a host');
select is(private.verify_guest_booking('first') #>> '{booking,status}', 'confirmed',
  'verify_guest_booking of a confirmed booking changes nothing');
select is((tests.booking('first')).sequence, 1, 'a booking is confirmed once');

-- Signed in with the address
select is(pg_temp.request_as('gil', 'signed in', 52) #>> '{booking,status}', 'confirmed',
  'request_booking confirms at once for a caller with the confirmed address');
select set_eq($$ select tests.told_of_booking('signed in') $$, array['booking.confirmed to ola',
  'booking.confirmed to ada', 'booking.confirmed to gil REQUEST CONFIRMED 1'],
  'a guest who is signed in gets the confirmation alone');
select is(pg_temp.request_as('gil', 'asked', 52, 'asks') #>> '{booking,status}', 'pending',
  'a link that requires confirmation asks the hosts, also for a verified guest');

-- The promise is that of the request
update booking_links set requires_confirmation = true where id = tests.id('instant');
update booking_links set requires_confirmation = false where id = tests.id('asks');
select private.verify_guest_booking(tests.booking_token('asked'));
select is(pg_temp.state('asked'), 'pending', 'a request still asks the hosts if its link no longer does');
update booking_links set requires_confirmation = false where id = tests.id('instant');
select tests.request_booking('promised', 'instant', 54, 'pam');
update booking_links set requires_confirmation = true where id = tests.id('instant');
select private.verify_guest_booking(tests.booking_token('promised'));
select is(pg_temp.state('promised'), 'confirmed', 'a request that was to be confirmed by its guest still is');
update booking_links set requires_confirmation = false where id = tests.id('instant');

-- Other acts of guest and host
select tests.request_booking('moved', 'instant', 56, 'max'), tests.request_booking('dropped', 'instant', 58, 'dan'),
  tests.request_booking('host', 'instant', 60, 'hal'), tests.request_booking('late', 'instant', 62, 'lea'),
  tests.request_booking('by host', 'instant', 64, 'ben'), tests.request_booking('kept', 'instant', 90, 'kai');
select private.reschedule_guest_booking(tests.booking_token('moved'), tests.slot(57));
select is(pg_temp.state('moved') || ' ' || (tests.booking('moved')).start_time::text,
  'confirmed ' || tests.slot(57)::text, 'a guest who moves a request confirms it');
select set_eq($$ select tests.told_of_booking('moved') $$, array['booking.requested to max', 'booking.confirmed to ola',
  'booking.confirmed to ada', 'booking.confirmed to max REQUEST CONFIRMED 2'],
  'hosts and guest get one notice of a request that its guest moves and so confirms');
select private.reschedule_guest_booking(tests.booking_token('kept'), tests.slot(90));
select is(pg_temp.state('kept'), 'confirmed', 'a guest who moves a request to its own time confirms it');
select private.cancel_guest_booking(tests.booking_token('dropped'), null);
select is(pg_temp.state('dropped'), 'cancelled guest', 'a guest who cancels a request does not confirm it');
select is_empty($$ select t from tests.told_of_booking('dropped') t where t !~ ' to dan' $$,
  'hosts are not told of the end of a request of which they were not told');
select tests.value_as('ada', format('select public.reschedule_booking(%L, %L)', tests.id('host'), tests.slot(61)));
select is_empty($$ select t from tests.told_of_booking('host') t where t !~ ' to hal' $$,
  'hosts are not asked to confirm a moved request that waits for its guest');
select matches(pg_temp.text_of('host', 'booking.rescheduled'), 'confirm your email address\. Then the time is yours\.$',
  'the email of a moved request says that confirming the address books the time');
select is((tests.booking('host')).expires_at, now() + interval '24 hours',
  'a moved request expires when it would have');
select tests.value_as('ada', format('select public.confirm_booking(%L)', tests.id('by host')));
select is(pg_temp.state('by host'), 'confirmed', 'a host may confirm a request that waits for its guest');
select ok(exists (select from tests.told_of_booking('by host') t where t = 'booking.confirmed to ola'),
  'the other hosts are told of a session that a host confirms');

-- Episodes: strangers know the ids of published ones
update booking_links set requires_confirmation = true where id = tests.id('asks');
select tests.episode('draft', 'show'), tests.published_episode('out', 'show');
create function pg_temp.request_for(episode text, link text) returns text language sql as $$
  select left(tests.outcome_of(format('select public.request_booking(%L, %L, ''Eve'', ''eve@guests.test'',
    episode_id => %L)', tests.id($2), tests.slot(98), tests.id($1))), 11)
$$;
select is(pg_temp.request_for('out', 'instant'), 'PT404', 'a link that asks no host takes no published episode');
select is(pg_temp.request_for('out', 'asks'), '{"link": {"', 'a link that asks hosts takes a published episode');
select is(pg_temp.request_for('draft', 'instant'), '{"link": {"', 'a link that asks no host takes a draft');

-- Expiry
select is(private.verify_guest_booking(tests.booking_token('late'), now() + interval '24 hours')
  #>> '{booking,cancelledBy}', 'expiry', 'verify_guest_booking confirms nothing that has expired');
select is(pg_temp.state('late'), 'pending', 'a request that has expired is not confirmed');
select private.expire_pending_bookings(now() + interval '24 hours');
select is_empty($$ select t from tests.told_of_booking('late') t where t !~ ' to lea' $$,
  'hosts are not told of the expiry of a request that waited for its guest');
select matches(pg_temp.text_of('late', 'booking.cancelled'), 'didn''t confirm your email address in time',
  'the email of the expiry says what the guest missed');

-- Limits
select private.set_setting('max_instant_bookings_per_guest', '2');
select pg_temp.request_as('gil', 'two', 70);
select is(tests.describe_error($$ select pg_temp.request_as('gil', 'three', 72) $$),
  'PT429 / This address has 2 sessions ahead with this booking link; try again after the first of them / '
  'RATE_LIMITED / ' || format('{"rate_limit_reset_at": "%s"}', private.format_timestamp(tests.slot(53))),
  'request_booking returns 429 over the sessions ahead of a verified guest');
select tests.person('val'), tests.request_booking('v1', 'instant', 92, 'v'),
  tests.request_booking('v2', 'instant', 94, 'v');
update bookings set guest_email = 'val@test.example' where id in (tests.id('v1'), tests.id('v2'));
select tests.value_as('ada', format('select public.confirm_booking(%L)', tests.id(name)))
from unnest('{v1,v2}'::text[]) name;
select is(pg_temp.request_as('val', 'own', 96) #>> '{booking,status}', 'confirmed',
  'sessions that strangers requested with the address do not count');
select tests.request_booking('g1', 'instant', 80, 'pip'), tests.request_booking('g2', 'instant', 82, 'pip'),
  tests.request_booking('g3', 'instant', 84, 'pip');
select private.verify_guest_booking(tests.booking_token(name)) from unnest('{g1,g2}'::text[]) name;
select is(tests.error_of(format('select private.verify_guest_booking(%L)', tests.booking_token('g3'))),
  'PT429 RATE_LIMITED', 'verify_guest_booking returns 429 over the sessions ahead of the guest');
select is((tests.booking('g3')).guest_verified_at, null, 'a rejected verification changes nothing');
select private.cancel_guest_booking('g1', null);
select is(private.verify_guest_booking('g3') #>> '{booking,status}', 'confirmed',
  'verify_guest_booking confirms once a session was canceled');

select * from tests.finish();
rollback;
