-- Requests of unverified guests count for their sender, verified ones for the address.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.podcast('other', 'otto'),
  tests.podcast('third', 'otto'), tests.open_link('open', 'show'), tests.open_link('second', 'show'),
  tests.open_link('theirs', 'other'), tests.open_link('thirds', 'third');
select tests.person('vic'), tests.person('eve'), tests.person('una', false);
select private.set_setting('max_pending_bookings_per_guest', '2'),
  private.set_setting('max_unverified_bookings_per_sender', '3'),
  private.set_setting('max_network_emails_per_recipient_per_day', '2'),
  private.set_setting('max_emails_from_strangers_per_day', '4');

-- Requests from a network, signed in as `who` if it is not null. The name of a request is `<link> <slot>`.
create function pg_temp.request(
  link text, slot int, email text, ip text default '203.0.113.1', who text default null, at timestamptz default now())
returns jsonb language plpgsql as $$
declare response jsonb;
begin
  perform set_config('request.headers', jsonb_build_object('x-forwarded-for', ip)::text, true),
    set_config('request.jwt.claims', case when who is null then '' else
      jsonb_build_object('sub', tests.id(who))::text end, true);
  response := private.request_booking(
    tests.id(link), tests.slot(slot), 'Gus', email, 'UTC', null, '{}', null, 'en', null, at);
  perform set_config('request.headers', '', true), set_config('request.jwt.claims', '', true);
  perform tests.remember(link || ' ' || slot, (response #>> '{booking,id}')::uuid);
  return response;
end $$;
create function pg_temp.result(link text, slot int, email text, ip text default '203.0.113.1', who text default null,
  at timestamptz default now()) returns text language sql as $$
  select tests.describe_error(format('select pg_temp.request(%L, %L, %L, %L, %L, %L)', link, slot, email, ip, who, at))
$$;

-- Strangers who type an address
select is(pg_temp.request('open', n, 'vic@test.example', '203.0.113.' || n) #>> '{booking,guestVerifiedAt}', null,
  'an anonymous request is not verified, although its address is a user''s') from generate_series(1, 4) n;
select is(pg_temp.request('open', 5, 'vic@test.example', '203.0.113.9') -> 'email', jsonb_build_object(
    'status', 'waiting', 'dueAt', null),
  'a request is accepted without the time of its email if it expires before the address has room');
select is(pg_temp.request('open', 50, 'vic@test.example', '203.0.113.9') -> 'email', jsonb_build_object(
    'status', 'waiting', 'dueAt', private.format_timestamp(now() + interval '1 day')),
  'the email of a request waits for a day with room if many requests for the podcast named the address');
select is((select d.due_at from notification_deliveries d join private.delivery_addresses a on a.delivery_id = d.id
    where a.access ->> 'subject_id' = tests.id('open 50')::text), now() + interval '1 day',
  'the email of a request that waits is due then');
select is(pg_temp.request('theirs', 49 + n, 'vic@test.example', '203.0.113.10') #>> '{email,dueAt}',
  private.format_timestamp(at), format('the email of request %s of a network to an address on another page', n))
from (values (1, now()), (2, now()), (3, now() + interval '1 day')) v (n, at);
select is(pg_temp.request('thirds', 60, 'vic@test.example', '203.0.113.10') -> 'email' ->> 'status', 'queued',
  'requests of a network on one page do not delay the emails of another podcast to the address');
select is(pg_temp.request('theirs', 60, 'vic@test.example', '203.0.113.11') -> 'email' ->> 'status', 'queued',
  'the emails of one network to an address do not delay those of another network');

-- The holder of the address
select is(pg_temp.request('open', n, 'vic@test.example', '203.0.113.1', 'vic') -> 'email' ->> 'status', 'queued',
  'strangers do not keep a user with the confirmed address from booking, nor delay the email')
from generate_series(10, 11) n;
select is((tests.booking('open 10')).guest_verified_at, now(),
  'a request with the caller''s confirmed address is verified at once');
select is((select a.name from private.delivery_addresses a where a.access ->> 'subject_id' = tests.id('open 10')::text),
  'Gus', 'the email to a verified guest has the name');
select is(pg_temp.result('second', 12, 'vic@test.example', '203.0.113.1', 'vic'),
  'PT429 / This address has 2 requests that wait for an answer; try again when one is answered / RATE_LIMITED / '
  || format('{"rate_limit_reset_at": "%s"}', private.format_timestamp((tests.booking('open 10')).expires_at)),
  'a request over the verified ones that wait is 429 with the time when the first expires');
update bookings set status = 'confirmed', expires_at = null where id = tests.id('open 10');
select is(pg_temp.result('second', 12, 'vic@test.example', '203.0.113.1', 'vic'), 'none',
  'an answered request makes room for another');
select is(pg_temp.request('second', 13, 'una@test.example', '203.0.113.1', 'una') #>> '{booking,guestVerifiedAt}', null,
  'a caller with an unconfirmed address is not verified');
select is(pg_temp.request('second', 14, 'ada@test.example', '203.0.113.1', 'eve') #>> '{booking,guestVerifiedAt}', null,
  'a caller with another address is not verified');

select is(pg_temp.result('theirs', 61, 'vic@test.example', '203.0.113.77'), 'none',
  'others do not learn that an address has as many requests as it can');

-- Senders: networks of 64 bits, and users
select is(pg_temp.result('second', 20 + n, 'a' || n || '@guests.test', '2001:db8:1:2::' || n), 'none',
  'a network has as many unverified requests for a link as the setting says') from generate_series(1, 3) n;
select is(pg_temp.result('second', 24, 'a4@guests.test', '2001:db8:1:2::4'),
  'PT429 / 3 requests from your network wait for an answer; confirm the email address of yours with the link in its '
  'email, or try again later / RATE_LIMITED / '
  || format('{"rate_limit_reset_at": "%s"}', private.format_timestamp((tests.booking('second 21')).expires_at)),
  'a request over the unverified ones of a network is 429 with the time when the first expires');
select is(pg_temp.result('open', 24, 'a4@guests.test', '2001:db8:1:2::4'), 'none',
  'unverified requests are counted per link');
select is(pg_temp.result('second', 24, 'a5@guests.test', '2001:db8:1:3::4'), 'none',
  'unverified requests of another network are counted on their own');
select is(pg_temp.result('second', 25, 'a6@guests.test', '2001:db8:1:2::4', 'eve'), 'none',
  'unverified requests of a user are counted for the user');
select is(pg_temp.result('second', 26, 'vic@test.example', '2001:db8:1:2::4', 'vic'),
  'PT429 / This address has 2 requests that wait for an answer; try again when one is answered / RATE_LIMITED / '
  || format('{"rate_limit_reset_at": "%s"}', private.format_timestamp((tests.booking('open 11')).expires_at)),
  'a verified request does not count for the network');
select is((select count(*) from private.unverified_bookings u where u.booking_id in (tests.id('open 11'),
  tests.id('second 12'))), 0::bigint, 'the sender of a verified request is not stored');
select private.verify_guest_booking(tests.booking_token('second 21'));
select is(pg_temp.result('second', 27, 'a7@guests.test', '2001:db8:1:2::4'), 'none',
  'a verified request makes room for another of its network');
update bookings set status = 'declined', expires_at = null where id = tests.id('second 22');
select is(pg_temp.result('second', 28, 'a8@guests.test', '2001:db8:1:2::4'), 'none',
  'an answered request makes room for another of its network');
select is((select count(u.sender_digest) from private.unverified_bookings u where u.booking_id in (
  tests.id('second 21'), tests.id('second 22'))), 0::bigint,
  'the sender of a request is deleted once it is verified or answered');
select is((select count(*) from private.rate_limits where key = format('booking_requests:user:%s/%s', tests.id('eve'),
  tests.id('second')) and request_count = 2), 1::bigint, 'the requests of a user in an hour are counted for the user');

-- Hosts are told of honest requests although strangers send many
delete from private.rate_limits;
select private.set_setting('max_unverified_bookings_per_sender', '100'),
  private.set_setting('max_bookings_per_hour', '100'), private.set_setting('max_emails_from_strangers_per_day', '100');
create function pg_temp.told(name text) returns boolean language sql as $$
  select exists (select from notifications n where n.type = 'booking.requested' and n.user_id = tests.id('ola')
    and n.metadata ->> 'booking_id' = tests.id(name)::text)
$$;
select tests.open_link('flooded', 'show');
select pg_temp.request('flooded', n, 'f' || n || '@guests.test', '198.51.100.1') from generate_series(1, 13) n;
select is((select string_agg(pg_temp.told('flooded ' || n)::int::text, '' order by n) from generate_series(1, 13) n),
  '1111111111100', 'hosts are told of ten requests of a sender in a day, then of one per hour');
select pg_temp.request('flooded', 20, 'honest@guests.test', '198.51.100.2');
select ok(pg_temp.told('flooded 20'), 'hosts are told of a request although another sender has sent too many');
update private.rate_limits set request_count = 50 where key = 'notices:booking_requests:' || tests.id('flooded');
select pg_temp.request('flooded', 20 + n, 'h' || n || '@guests.test', '198.51.100.3') from generate_series(1, 2) n;
select is((select string_agg(pg_temp.told('flooded ' || n)::int::text, '' order by n) from generate_series(21, 22) n),
  '10', 'hosts are told of one unverified request for a link per hour after 50 in a day');
select pg_temp.request('flooded', 30, 'eve@test.example', '198.51.100.3', 'eve');
select ok(pg_temp.told('flooded 30'), 'hosts are told of verified requests although unverified ones are many');
select private.verify_guest_booking(tests.booking_token('flooded 22'));
select ok(pg_temp.told('flooded 22'), 'hosts are told of a request that they were not told of once it is verified');
select private.verify_guest_booking(tests.booking_token('flooded 13'));
select ok(not pg_temp.told('flooded 13'), 'hosts are not told of a verified request of a sender who has sent too many');

-- Days of new recipients: of a network, and of a podcast
delete from private.email_windows;
delete from private.rate_limits;
select private.set_plan_limit('free', 'max_new_recipients_per_day', 2);
select is(pg_temp.request('theirs', 90 + n, 'n' || n || '@guests.test', '203.0.113.50') #>> '{email,dueAt}',
  private.format_timestamp(at), format('the email of request %s of a network that may email two people a day', n))
from (values (1, now()), (2, now()), (3, now() + interval '1 day'), (4, now() + interval '1 day'), (5, null))
  v (n, at);
select is(pg_temp.request('flooded', 100, 'n5@guests.test', '203.0.113.50') -> 'email',
  '{"status": "waiting", "dueAt": null}', 'the emails of a network are counted over all podcasts');
select is(pg_temp.request('flooded', 101, 'n6@guests.test', '203.0.113.51') #>> '{email,dueAt}',
  private.format_timestamp(now()), 'the emails of a network do not delay those of another');
select is(pg_temp.request('theirs', 102, 'n7@guests.test', '203.0.113.52') #>> '{email,dueAt}', null,
  'the emails of requests on the page of a podcast are counted over all networks');
select is(pg_temp.request('thirds', 102, 'n7@guests.test', '203.0.113.52') #>> '{email,dueAt}',
  private.format_timestamp(now()), 'requests on one page do not delay the emails of another podcast of its owner');
select private.next_email_time(private.email_window_digest('pages_of:' || p.owner_id), 20, now())
from podcasts p, generate_series(1, 18) where p.id = (tests.link('thirds')).podcast_id;
select is(pg_temp.request('thirds', 103, 'n9@guests.test', '203.0.113.53') #>> '{email,dueAt}',
  private.format_timestamp(now() + interval '1 day'),
  'the podcasts of an owner together email ten times the daily budget of new recipients');
select is(pg_temp.request('theirs', 103, 'eve@test.example', '203.0.113.50', 'eve') #>> '{email,dueAt}',
  private.format_timestamp(now()), 'neither network nor podcast delay the email to a caller''s own address');
select private.set_plan_limit('free', 'max_new_recipients_per_day', null);
select is(pg_temp.request('theirs', 104, 'n8@guests.test', '203.0.113.50') #>> '{email,dueAt}',
  private.format_timestamp(now()), 'an unlimited free plan delays no email of a network');

select * from tests.finish();
rollback;
