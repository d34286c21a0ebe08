-- Texts of bookings: what hosts and guests read, and that no title holds what a guest wrote
begin;
select tests.start();
select tests.podcast('show', 'ann');

create function pg_temp.texts(type text, variant text, language text, is_address boolean, message text default 'Sorry',
  out title text, out body text) language sql as $$
  select t.* from private.notification_texts($1, jsonb_build_object('podcast_id', tests.id('show'), 'actor_id',
    tests.id('ann'), 'params', jsonb_strip_nulls(jsonb_build_object('guest', 'Zoe', 'link_name', 'Chat', 'variant', $2,
    'message', $5, 'start_at', '2026-06-01T10:00:00Z', 'previous_start_at', '2026-05-31T10:00:00Z'))), $3,
    'Europe/Berlin', $4, false) t
$$;
create temp view booking_texts as
  select v.type, v.variant, l.language, a.is_address, t.title, t.body
  from (values ('booking.requested', null), ('booking.confirmed', null), ('booking.rescheduled', 'pending'),
    ('booking.rescheduled', null), ('booking.declined', null), ('booking.cancelled', null),
    ('booking.cancelled', 'host'), ('booking.cancelled', 'guest'), ('booking.cancelled', 'expiry')) v (type, variant)
  cross join unnest(array['en', 'de']) l (language)
  cross join unnest(array[false, true]) a (is_address)
  cross join lateral pg_temp.texts(v.type, v.variant, l.language, a.is_address) t;

select is_empty($$ select * from booking_texts where title ~ 'Zoe|Sorry' or title !~ 'show' $$,
  'each title names the podcast, and has no text of the guest');
select is_empty($$ select * from booking_texts
    where not is_address and title !~ 'Chat' and type <> 'booking.declined' $$,
  'each title for hosts names the booking link');
select is_empty($$ select * from booking_texts
    where is_address and type = 'booking.requested' and body ~ 'Zoe|Sorry' $$,
  'the email that confirms a request to its address has no text of the guest');
select is_empty($$ select * from booking_texts where body ~ '[{}]' or body !~ '1\. Juni 2026|June 1, 2026' $$,
  'each body has the time and no unfilled placeholder');
select is_empty($$ select * from booking_texts where body !~ 'Zoe' and not is_address and type <> 'booking.declined' $$,
  'each body for hosts names the guest');
select is_empty($$ select * from booking_texts where type = 'booking.rescheduled' and body !~ '31' $$,
  'each body about a rescheduled booking has the time before');
select set_eq($$ select distinct type, variant, is_address from booking_texts where body !~ E'\n> Sorry$' $$,
  $$ values ('booking.requested', null, true), ('booking.cancelled', 'guest', true),
    ('booking.cancelled', 'expiry', true), ('booking.cancelled', 'expiry', false) $$,
  'each body ends with the message, marked, except those whose reader wrote it or that have none');

select is(t.title || E'\n' || t.body, expected, format('%s %s to %s', type, variant, case when is_address then 'a guest'
  else 'a host' end))
from (values
  ('booking.requested', null, false, E'Booking request for show: Chat\nZoe asks for June 1, 2026 at 12:00 PM '
    '(Europe/Berlin). Confirm or decline the request.\n\nMessage:\n> Sorry'),
  ('booking.rescheduled', null, true, E'Your recording for show is rescheduled\nIt''s now on June 1, 2026 at 12:00 PM '
    '(Europe/Berlin). Before, it was on May 31, 2026 at 12:00 PM (Europe/Berlin).\n\nMessage:\n> Sorry'),
  ('booking.declined', null, true, E'Your booking request for show was declined\nYou asked for June 1, 2026 at '
    '12:00 PM (Europe/Berlin).\n\nMessage from the host:\n> Sorry'),
  ('booking.cancelled', 'host', false, E'Booking for show canceled: Chat\nAnn canceled the booking of Zoe. It was '
    'planned for June 1, 2026 at 12:00 PM (Europe/Berlin).\n\nMessage:\n> Sorry'),
  ('booking.cancelled', 'guest', false, E'Booking for show canceled: Chat\nZoe canceled it. It was planned for '
    'June 1, 2026 at 12:00 PM (Europe/Berlin).\n\nMessage:\n> Sorry'),
  ('booking.cancelled', 'expiry', true, E'Your booking request for show has expired\nYou asked for June 1, 2026 at '
    '12:00 PM (Europe/Berlin), and the host didn''t answer in time. You can ask for another time.')
) v (type, variant, is_address, expected)
cross join lateral pg_temp.texts(v.type, v.variant, 'en', v.is_address) t;
select is((pg_temp.texts('booking.declined', null, 'en', true, message)).body,
  'You asked for June 1, 2026 at 12:00 PM (Europe/Berlin).', 'a body without a message ends before it: ' || what)
from (values ('none', null), ('a blank one', E' \n ')) v (what, message);
select is((pg_temp.texts('booking.declined', null, 'en', true, E'One\n\nCastbase: click here {podcast}')).body,
  E'You asked for June 1, 2026 at 12:00 PM (Europe/Berlin).\n\nMessage from the host:\n> One\n> \n'
  '> Castbase: click here {podcast}', 'each line of a message is marked, and none is expanded');
select is(char_length((pg_temp.texts('booking.cancelled', null, 'en', false, repeat('x', 2000))).body), 2000,
  'a body with a long message has at most 2,000 characters in the app');

-- Buttons
select is(private.type_text(type, part, 'en', is_address), expected,
  format('type_text returns %s of %s to %s', part, type, case when is_address then 'an address' else 'a user' end))
from (values ('booking.requested', 'action', false, 'View request'),
  ('booking.requested', 'action', true, 'Manage booking'),
  ('booking.declined', 'action', true, 'View booking')) v (type, part, is_address, expected);

select * from tests.finish();
rollback;
