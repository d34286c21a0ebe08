-- confirm_booking: the state, the episode, and who is told. bookings.test.sql has the callers and states.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'),
  tests.episode('pilot', 'show'), tests.episode('foreign', 'other'), tests.open_link('open', 'show');
select tests.booking_in('first', 'open', 50, guest => 'gus'), tests.booking_in('second', 'open', 60, guest => 'zoe');

select is(tests.error_of(format('select private.answer_booking_as_host(%L, ''confirmed'', _episode_id => %L)',
  tests.id('first'), tests.id('foreign'))), 'PT401', 'confirm_booking requires a user');
select tests.act_as('ada');
select is(tests.error_of(format('select public.confirm_booking(%L, %L)', tests.id('first'), tests.id('foreign'))),
  'PT404', 'confirm_booking returns 404 for an episode of another podcast');
select tests.act_as('postgres');
create temp table response as select tests.value_as('ada', format('select public.confirm_booking(%L, %L)',
  tests.id('first'), tests.id('pilot')))::jsonb as booking;
select is((select booking - '{createdAt,updatedAt}'::text[] from response),
  jsonb_build_object('id', tests.id('first'), 'name', 'open', 'status', 'confirmed',
    'start', private.format_timestamp(tests.slot(50)), 'end', private.format_timestamp(tests.slot(51)),
    'guestName', 'Gus', 'guestEmail', 'gus@guests.example', 'guestVerifiedAt', null, 'guestTimezone', 'UTC',
    'guestLocale', 'en', 'guestToldAt', private.format_timestamp(now()), 'notes', null,
    'answers', '{}'::jsonb, 'location', null, 'requiresConfirmation', true,
    'statusMessage', null, 'cancelledBy', null, 'expiresAt', null,
    'podcastId', tests.id('show'), 'bookingLinkId', tests.id('open'), 'episodeId', tests.id('pilot')),
  'confirm_booking returns the booking with its episode');
select is((tests.booking('first')).sequence, 1, 'confirm_booking raises the sequence');
select set_eq($$ select tests.told_of_booking('first') $$, array['booking.requested to ola', 'booking.requested to ada',
  'booking.requested to gus', 'booking.confirmed to ola', 'booking.confirmed to gus REQUEST CONFIRMED 1'],
  'confirm_booking tells the other hosts and the guest, whom it invites');
select results_eq($$ select q from tests.queued('calendar_sync') q $$, $$ select jsonb_build_object('type',
    'booking.changed', 'podcast_id', tests.id('show'), 'booking_id', tests.id('first')) $$,
  'confirm_booking with an episode enqueues one message of calendar_sync');
select is((select a.calendar_event - '{start,end}'::text[] from private.delivery_addresses a
    where a.access ->> 'subject_id' = tests.id('first')::text and a.calendar_event is not null), jsonb_build_object(
  'uid', (tests.booking('first')).calendar_uid,
  'method', 'REQUEST', 'status', 'CONFIRMED', 'sequence', 1, 'summary', 'open · show', 'description', '',
  'organizer', jsonb_build_object('name', 'show'),
  'attendee', '{"email": "gus@guests.example"}'::jsonb),
  'the calendar entry names the podcast as organizer, not a member, and no guest who is not verified');
select is((select a.url from private.delivery_addresses a where a.access ->> 'subject_id' = tests.id('first')::text
  limit 1),
  private.get_setting('app_url') || '/booking', 'the emails link to the setting booking_url');
select is((select count(*) from private.delivery_addresses a where a.reply_to is not null
    or a::text like '%ada@%' or a::text like '%ola@%'), 0::bigint, 'the emails to a guest show no address of a member');
select is((select count(*) from private.delivery_addresses a where a.title like '%Gus%') + (
    select count(*) from notifications n where n.title like '%Gus%'), 0::bigint, 'no title has what the guest wrote');
select is((select distinct a.access from private.delivery_addresses a where a.email = 'gus@guests.example'),
  jsonb_build_object('kind', 'booking', 'subject_id', tests.id('first'),
    'expires_at', private.format_timestamp(tests.slot(51) + interval '7 days')),
  'the links of the emails end a week after the session');
select is((select count(*) from private.events e where e.type = 'booking.confirmed' and e.payload ? 'actor_id'),
  2::bigint, 'the event of the guest does not name the host');
update private.settings set value = 'bookings@casts.test' where key = 'booking_organizer_email';
update private.settings set value = 'https://new.test' where key = 'public_url';
update bookings set notes = 'Changed' where id = tests.id('first');
select is(private.booking_calendar_event(tests.booking('first')) -> k.key, a.calendar_event -> k.key,
  format('the %s of a calendar entry stays when the settings change', k.key))
from private.delivery_addresses a, unnest('{uid,organizer}'::text[]) k (key)
where a.access ->> 'subject_id' = tests.id('first')::text and a.calendar_event is not null;
select tests.booking_in('later', 'open', 70);
select is(private.booking_calendar_event(tests.booking('later')) -> 'organizer',
  '{"name": "show", "email": "bookings@casts.test"}', 'the organizer of a new booking has the address of the setting');
select is((select distinct n.group_key from notifications n
    where n.metadata ->> 'booking_id' = tests.id('first')::text and n.type = 'booking.confirmed'),
  'booking:' || tests.id('first'), 'the notifications of a booking are one thread');
select is((select distinct n.link from notifications n where n.metadata ->> 'booking_id' = tests.id('first')::text),
  format('/podcasts/%s/bookings/%s', tests.id('show'), tests.id('first')), 'the notifications link to the booking');

-- expiry
select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', tests.id('ola'))::text,
  true);
select is(tests.error_of(format('select private.answer_booking_as_host(%L, ''confirmed'', at => %L)',
  tests.id('second'), at)), expected, format('confirm_booking at %s returns %s', what, expected)) from (values
  ('the expiry', (tests.booking('second')).expires_at, 'PT409 BOOKING_EXPIRED'),
  ('the last moment', (tests.booking('second')).expires_at - interval '1 millisecond', 'none')) v (what, at, expected);
select is((tests.booking('second')).episode_id, null, 'confirm_booking without episode links none');

select * from tests.finish();
rollback;
