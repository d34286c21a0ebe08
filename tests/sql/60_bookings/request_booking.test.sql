-- request_booking: the slot, the guest's input, limits and idempotency keys.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'),
  tests.podcast('other', 'otto'), tests.episode('pilot', 'show'), tests.episode('foreign', 'other');
select tests.open_link('chat', 'show', '{"questions": [{"id": "topic", "label": "Your topic?", "isRequired": true},
  {"id": "bio", "label": "Your bio?"}]}');
select tests.open_link('open', 'show');
create function pg_temp.request(fields jsonb default '{}', link text default 'open', guest text default 'gus') returns
  text
language plpgsql as $$
begin
  return tests.describe_error(format('select tests.request_booking(%L, %L, 1, %L, %L)', gen_random_uuid(), link, guest,
    fields));
end $$;

-- Effect
select is(tests.request_booking('first', 'chat', 1, ' GUS', jsonb_build_object('name', E' Gus\r\n\u0007Gray ', 'notes',
  E' Hi\r\n\u0001there ', 'answers', '{"topic": " Trains ", "bio": " "}'::jsonb, 'timezone', 'Europe/Berlin',
  'locale', 'de', 'episode', tests.id('pilot'))) #- '{booking,createdAt}', jsonb_build_object(
  'booking', jsonb_build_object('id', tests.id('first'), 'name', 'chat', 'status', 'pending', 'start',
    private.format_timestamp(tests.slot(1)), 'end', private.format_timestamp(tests.slot(2)), 'guestName', 'Gus Gray',
    'guestEmail', 'gus@guests.example', 'guestVerifiedAt', null, 'guestTimezone', 'Europe/Berlin',
    'notes', E'Hi\nthere', 'answers',
    '{"topic": "Trains"}'::jsonb, 'location', null, 'requiresConfirmation', true,
    'statusMessage', null, 'cancelledBy', null, 'expiresAt',
    private.format_timestamp(tests.slot(1))),
  'email', jsonb_build_object('status', 'queued', 'dueAt', private.format_timestamp(now())),
  'link', jsonb_build_object('id', tests.id('chat'), 'name', 'chat', 'duration_minutes', 60, 'timezone', 'UTC'),
  'podcast', (select jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'coverImageUrl', null)
    from podcasts p where p.id = tests.id('show'))),
  'request_booking returns the booking with normalized texts, the link, the podcast and when the guest is emailed');
select results_eq($$ select b.guest_email, b.guest_locale, b.episode_id, b.sequence from tests.booking('first') b $$,
  $$ select 'gus@guests.example', 'de', tests.id('pilot'), 0 $$,
  'request_booking stores the normalized address, the language and the episode');
select set_eq($$ select i.name, n.type from notifications n join tests.ids i on i.id = n.user_id $$,
  $$ values ('ola', 'booking.requested'), ('ada', 'booking.requested') $$, 'request_booking notifies owner and admins');
select results_eq($$ select a.email, a.name, a.locale, a.timezone, d.type, d.due_at <= now()
    from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id $$,
  $$ values ('gus@guests.example', null::text, 'de', 'Europe/Berlin', 'booking.requested', true) $$,
  'request_booking emails the guest at once, without the name that anyone may have typed');
select is((select count(*) from tests.queued('calendar_sync')), 0::bigint,
  'request_booking does not write into calendars');
select is(tests.request_booking('late', 'open', 100) #>> '{booking,expiresAt}',
  private.format_timestamp(now() + interval '72 hours'), 'a request waits 72 hours if its session begins later');

select is(b.guest_timezone, known, format('request_booking stores the time zone %L as %s', given, known))
from (values (1, 'Etc/Unknown', 'UTC'), (2, '', 'UTC'), (3, null, 'UTC'), (4, repeat('x', 64), 'UTC'),
  (5, 'SystemV/EST5', 'UTC'), (6, 'EST5EDT', 'EST5EDT'), (7, 'CET', 'Europe/Brussels')) v (n, given, known)
cross join lateral tests.request_booking('zone' || n, 'open', 300 + n, 'zoe' || n,
  jsonb_build_object('timezone', given)) r
cross join lateral (select * from public.bookings where id = (r #>> '{booking,id}')::uuid) b;
update profiles f set timezone = 'Asia/Tokyo' where f.id = tests.id('ada');
select tests.open_link('berlin', 'show', '{"timezone": "Europe/Berlin"}');
select tests.request_booking('in_berlin', 'berlin', 200, 'ida');
select set_eq($$ select i.name, substring(n.body from '\((.*)\)') from notifications n
    join tests.ids i on i.id = n.user_id where n.metadata ->> 'booking_id' = tests.id('in_berlin')::text $$,
  $$ values ('ola', 'Europe/Berlin'), ('ada', 'Asia/Tokyo') $$,
  'request_booking names the time in the zone that a host chose, or else in that of the link');
update profiles f set timezone = 'UTC' where f.id = tests.id('ola');
select tests.request_booking('also_in_berlin', 'berlin', 203, 'ivy');
select is((select substring(n.body from '\((.*)\)') from notifications n
    where n.metadata ->> 'booking_id' = tests.id('also_in_berlin')::text and n.user_id = tests.id('ola')), 'UTC',
  'request_booking names the time in UTC for a host who chose UTC');
update profiles f set timezone = null where f.id = tests.id('ola');

-- Callers
create function pg_temp.call(slot int) returns text language sql as $$
  select format('select public.request_booking(%L, %L, %L, %L)', tests.id('open'), tests.slot(slot), 'Zoe',
    'zoe@guests.example') $$;
select is(tests.result_of(who, pg_temp.call(n)), expected, format('request_booking returns %s to %s', expected, who))
from (values ('anon', 10, 'ok 1'), ('otto', 11, 'ok 1'), ('ola', 12, 'ok 1'), ('service', 13, '42501'))
  v (who, n, expected);

-- Links, slots and episodes
select is(pg_temp.request(fields, link), expected, format('request_booking returns %s for %s', expected, what)) from (
  values
    ('a slot that a request took', jsonb_build_object('start', tests.slot(10)), 'open',
      'PT409 / This time is not available; choose another / SLOT_UNAVAILABLE'),
    ('a time between slots', jsonb_build_object('start', tests.slot(20) + interval '1 minute'), 'open',
      'PT409 / This time is not available; choose another / SLOT_UNAVAILABLE'),
    ('a past slot', jsonb_build_object('start', tests.slot(-3)), 'open',
      'PT409 / This time is not available; choose another / SLOT_UNAVAILABLE'),
    ('no time', '{"start": null}', 'open', 'PT409 / This time is not available; choose another / SLOT_UNAVAILABLE'),
    ('infinity', '{"start": "infinity"}', 'open',
      'PT409 / This time is not available; choose another / SLOT_UNAVAILABLE'),
    ('-infinity', '{"start": "-infinity"}', 'open',
      'PT409 / This time is not available; choose another / SLOT_UNAVAILABLE'),
    ('a slot after the last bookable date', jsonb_build_object('start', tests.slot(0) + interval '62 days'), 'open',
      'PT409 / This time is not available; choose another / SLOT_UNAVAILABLE'),
    ('an unknown link', '{}', 'pilot', 'PT404 / Booking link not found'),
    ('a foreign episode', jsonb_build_object('episode', tests.id('foreign')), 'open', 'PT404 / Episode not found')
) v (what, fields, link, expected);
update booking_links set is_active = false where id = tests.id('open');
select is(pg_temp.request(), 'PT404 / Booking link not found', 'request_booking returns 404 for an inactive link');
update booking_links set is_active = true where id = tests.id('open');
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.request(), 'PT404 / Booking link not found',
  'request_booking returns 404 for a podcast pending deletion');
select tests.set_status('show', 'active');
insert into bookings (booking_link_id, podcast_id, name, start_time, end_time, guest_name, guest_email, status)
select tests.id('open'), tests.id('show'), 'open', tests.slot(30) - interval '10 minutes', tests.slot(30), 'X',
  'x@x.test',
  'confirmed';
select is(tests.error_of(format($$ insert into bookings (booking_link_id, podcast_id, name, start_time, end_time,
  guest_name,
    guest_email, status) select booking_link_id, podcast_id, name, start_time, start_time + interval '1 minute', 'X',
    'x@x.test', 'confirmed' from bookings where end_time = %L $$, tests.slot(30))), '23P01',
  'the constraint slot_is_free rejects a booking that overlaps an open one of the link');

-- Input
select is(pg_temp.request(fields, link, guest), expected, format('request_booking returns %s', expected)) from (values
  ('{}'::jsonb, 'open', 'not an', 'PT400 / guest_email must be a valid email address'),
  ('{"answers": []}', 'chat', 'gus', 'PT400 / answers must be an object of texts by question id'),
  ('{"answers": {"topic": 1}}', 'chat', 'gus', 'PT400 / answers.topic must be a text'),
  ('{"answers": {"topic": "x", "no": "x"}}', 'chat', 'gus', 'PT400 / answers: unknown question no'),
  (jsonb_build_object('answers', jsonb_build_object(repeat('x', 101), 'x')), 'chat', 'gus',
    'PT400 / answers: unknown question ' || repeat('x', 100)),
  ('{"answers": {"bio": "x"}}', 'chat', 'gus', 'PT400 / answers.topic is required: Your topic?'),
  ('{"answers": {"topic": " \u200b "}}', 'chat', 'gus', 'PT400 / answers.topic is required: Your topic?'),
  ('{"answers": null}', 'chat', 'gus', 'PT400 / answers.topic is required: Your topic?'),
  (jsonb_build_object('answers', jsonb_build_object('topic', repeat('x', 2001))), 'chat', 'gus',
    'PT400 / answers.topic must be at most 2,000 characters'),
  ('{"key": ""}', 'open', 'gus', 'PT400 / The idempotency key must have 1 to 200 visible ASCII characters'),
  ('{"key": "a b"}', 'open', 'gus', 'PT400 / The idempotency key must have 1 to 200 visible ASCII characters'),
  (jsonb_build_object('key', repeat('x', 201)), 'open', 'gus',
    'PT400 / The idempotency key must have 1 to 200 visible ASCII characters')
) v (fields, link, guest, expected);
update booking_links set questions = '[{"id": "topic", "label": "Your topic?"}]' where id = tests.id('chat');
select is(pg_temp.request(fields), 'PT400 / ' || problem, format('request_booking rejects %s: %s', what, problem))
from (values
  ('a blank name', '{"name": " \u200b"}'::jsonb, 'guest_name must be 1 to 200 characters'),
  ('no name', '{"name": null}', 'guest_name must be 1 to 200 characters'),
  ('a long name', jsonb_build_object('name', repeat('x', 201)), 'guest_name must be 1 to 200 characters'),
  ('a malformed language', '{"locale": "not a tag"}', 'locale must be a BCP 47 tag, for example en or de-AT'),
  ('no language', '{"locale": null}', 'locale must be a BCP 47 tag, for example en or de-AT'),
  ('long notes', jsonb_build_object('notes', repeat('x', 4001)), 'notes must be at most 4,000 characters')
) v (what, fields, problem);
select is(tests.error_of($$ select public.request_booking(null, tests.slot(1), 'Gus', 'gus@guests.example') $$),
  'PT404', 'request_booking returns 404 without a link');
select is(tests.error_of(format('select tests.request_booking(%L, %L, 42, %L, %L)', 'long', 'open', 'lou',
    jsonb_build_object('name', repeat('x', 200) || '  ', 'notes', repeat('x', 4000) || E'\r\n'))), 'none',
  'request_booking accepts a name of 200 and notes of 4,000 characters');
select tests.act_as('anon');
create temp table from_client as select public.request_booking(booking_link_id => tests.id('chat'),
  start_time => tests.slot(43), guest_name => 'Ida', guest_email => 'ida@guests.example',
  guest_timezone => 'Asia/Tokyo', notes => 'Hi', answers => '{"topic": "Trains"}',
  episode_id => tests.id('pilot'), locale => 'de',
  idempotency_key => 'client') -> 'booking' as booking;
select tests.act_as('postgres');
select is((select to_jsonb(b)
      - '{id,name,end_time,created_at,updated_at,expires_at,podcast_id,start_time,calendar_uid}'::text[]
    from bookings b where b.id = (select (c.booking ->> 'id')::uuid from from_client c)), jsonb_build_object(
  'booking_link_id', tests.id('chat'), 'episode_id', tests.id('pilot'), 'status', 'pending', 'guest_name', 'Ida',
  'guest_email', 'ida@guests.example', 'guest_timezone', 'Asia/Tokyo', 'guest_locale', 'de', 'notes', 'Hi',
  'guest_verified_at', null, 'guest_told_at', now(), 'hosts_told_at', now(),
  'answers', '{"topic": "Trains"}'::jsonb, 'location', null, 'requires_confirmation', true,
  'next_reminder_at', null, 'status_message', null, 'cancelled_by', null, 'sequence', 0,
  'confirmed_by', null, 'calendar_organizer', null),
  'request_booking stores each argument');
select ok(tests.request_booking('unanswered', 'chat', 41, 'ida', '{"answers": null}') #>> '{booking,answers}' = '{}',
  'request_booking accepts no answers to optional questions');

-- Requests per IP address and link
create function pg_temp.book_from(ip text, slot int, guest text, link text default 'limited', at timestamptz default
  now())
returns text language plpgsql as $$
begin
  perform set_config('request.headers', jsonb_build_object('x-forwarded-for', ip)::text, true);
  return tests.describe_error(format($f$ select private.request_booking(%L, %L, 'Gus', %L, 'UTC', null, null, null,
  'en',
    null, %L) $f$, tests.id(link), tests.slot(slot), guest || '@guests.example', at));
end $$;
select tests.open_link('limited', 'show'), tests.open_link('limited-too', 'show');
select is(pg_temp.book_from('9.9.9.9, 1.2.3.4', n, 'ip-' || n), 'none', 'an IP address requests 10 bookings of a link')
from generate_series(1, 10) n;
select is(pg_temp.book_from('1.2.3.4', 11, 'ip-11'), 'PT429 / Too many requests; try again later / RATE_LIMITED / '
  || format('{"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 hour')),
  'the eleventh request of an IP address in an hour is 429 with rate_limit_reset_at, although it forges entries');
select is(pg_temp.book_from('1.2.3.5', 10, 'ip-12'), 'PT409 / This time is not available; choose another / '
  || 'SLOT_UNAVAILABLE', 'a request for a taken slot is 409') ;
select is((select request_count from private.rate_limits
    where key = 'booking_requests:network:1.2.3.5/' || tests.id('limited')), null, 'a rejected request does not count');
select is(pg_temp.book_from('1.2.3.4', 11, 'ip-13', 'limited-too'), 'none', 'another link has its own limit');
select is(pg_temp.book_from('1.2.3.5', 11, 'ip-14'), 'none', 'another IP address has its own limit');
update bookings set status = 'declined', expires_at = null where guest_email = 'ip-1@guests.example';
select is(pg_temp.book_from('1.2.3.4', 20, 'ip-15', at => now() + interval '1 hour'), 'none',
  'the limit of an IP address ends after an hour');
update private.settings set value = '2' where key = 'trusted_proxy_hops';
select is(pg_temp.book_from('1.2.3.4, 5.6.7.8, 10.0.0.1', 21, 'ip-16'), 'none',
  'with two trusted proxies, the entry before the last is the client''s');
select isnt((select request_count from private.rate_limits
    where key = 'booking_requests:network:5.6.7.8/' || tests.id('limited')), null,
  'the requests of a client behind two proxies are counted by its address');
update private.settings set value = null where key = 'trusted_proxy_hops';
select set_config('request.headers', '{"x-forwarded-for": "1.2.3.4"}', true),
  set_config('request.jwt.claims', '{"client_address": "6.6.6.6"}', true);
select is(private.client_address(), '1.2.3.4', 'an RPC caller cannot choose its address by a claim');
select set_config('castbase.called_by_edge_function', 'yes', true);
select is(private.client_address(), '6.6.6.6', 'an edge function passes the address with the claims');
select set_config('castbase.called_by_edge_function', '', true), set_config('request.jwt.claims', '', true),
  set_config('request.headers', '', true);
select is(private.client_address(), 'unknown', 'a caller without a proxy has no address');

-- Idempotency keys
select tests.open_link('keyed', 'show'), tests.open_link('keyed-too', 'show');
create temp table first_response as select tests.request_booking('key', 'keyed', 1, 'kay', '{"key": "k-1"}') as
  response;
update bookings set status = 'confirmed', expires_at = null where id = tests.id('key');
select is(tests.request_booking('key', 'keyed', 1, 'kay', '{"key": "k-1"}'), (select response from first_response),
  'request_booking repeats the first response of a key, although the booking changed');
select is((select count(*) from bookings where guest_email = 'kay@guests.example'), 1::bigint,
  'a repeated request writes no booking');
select is(tests.error_of(format($$ select tests.request_booking('x', 'keyed', 1, %L, %L) $$, guest,
    '{"key": "k-1"}'::jsonb || fields)),
  'PT409 IDEMPOTENCY_KEY_REUSED', format('a request of %s with the same key and another %s is 409', guest, fields))
from (values ('kay', jsonb_build_object('start', tests.slot(2))), ('kim', '{"name": "Kay"}'),
  ('kay', '{"name": "Kim"}'),
  ('kay', '{"timezone": "Asia/Tokyo"}'), ('kay', '{"notes": "x"}'), ('kay', '{"answers": {"a": "x"}}'),
  ('kay', jsonb_build_object('episode', tests.id('pilot'))), ('kay', '{"locale": "de"}')) v (guest, fields);
select is(tests.request_booking('key-too', 'keyed-too', 1, 'kay', '{"key": "k-1"}') #>> '{link,id}',
  tests.id('keyed-too')::text, 'a key of another link is another key');
select is(tests.error_of($$ select tests.request_booking('x', 'keyed', 1, 'kim', '{"key": "k-2"}') $$),
  'PT409 SLOT_UNAVAILABLE', 'an error is not stored under its key');
select is(tests.error_of($$ select tests.request_booking('kim', 'keyed', 2, 'kim', '{"key": "k-2"}') $$), 'none',
  'a request with the key of an error is new');
select is(tests.error_of($$ select tests.request_booking('old key', 'keyed', 50, 'kay', '{"key": "k-1"}',
  now() + interval '24 hours') $$), 'none', 'a key can be used again after 24 hours');
select is(tests.request_booking('x', 'keyed', 50, 'kay', '{"key": "k-1"}', now() + interval '24 hours')
  #>> '{booking,id}', tests.id('old key')::text, 'a key that is used again repeats its new response');
select is((select count(*) from private.booking_request_keys k where k::text like '%k-1%'), 0::bigint,
  'idempotency keys are stored as digests');

select * from tests.finish();
rollback;
