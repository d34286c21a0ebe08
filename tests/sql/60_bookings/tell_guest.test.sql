-- Emails to guests about a change: when they are sent, and what they show to people who have not agreed.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.open_link('open', 'show'),
  tests.open_link('second', 'show'), tests.open_link('theirs', 'other');
select private.set_setting('max_emails_from_strangers_per_day', '3'),
  private.set_setting('max_sender_emails_per_recipient_per_day', '100');
create temp view emails as
  select i.name, d.type, d.due_at - now() as delay, d.status::text, a.name as guest, a.title, a.body, a.podcast_title,
    a.calendar_event
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  join tests.ids i on i.id::text = a.access ->> 'subject_id';
create function pg_temp.by_host(operation text, name text, rest text default '') returns text language sql as $$
  select tests.value_as(case when name like 'their%%' then 'otto' else 'ola' end,
    format('select public.%I(%L%s)', operation, tests.id(name), rest))
$$;

create function pg_temp.day_of(guest text) returns bytea language sql as $$
  select private.email_window_digest(format('podcast:%s/%s@guests.example', tests.id('show'), guest))
$$;

-- Time: within the days of the address until its holder is told of the booking, then at once
select tests.booking_in('first', 'open', 70, guest => 'may'), tests.booking_in('near', 'open', 0, guest => 'may'),
  tests.booking_in('moved', 'open', 72, guest => 'may'), tests.booking_in('waiting', 'open', 74, guest => 'may'),
  tests.booking_in('declined', 'open', 76, guest => 'may'), tests.booking_in('later', 'open', 78, guest => 'may'),
  tests.booking_in('untold', 'open', 80, guest => 'may');
select set_eq('select name, type, delay from emails', $$ values ('first', 'booking.requested', interval '0'),
  ('near', 'booking.requested', '0'), ('moved', 'booking.requested', '0'), ('waiting', 'booking.requested', '1 day'),
  ('declined', 'booking.requested', '1 day'), ('later', 'booking.requested', '1 day') $$,
  'emails of requests over the day of an address wait for the next one, and there is none after that');
select is((tests.booking('untold')).guest_told_at, null,
  'a request without room for its email is stored as one that its guest is not told of');
select pg_temp.by_host('confirm_booking', name) from unnest('{first,near,waiting,untold}'::text[]) name;
select pg_temp.by_host('reschedule_booking', 'moved', format(', %L', tests.slot(1))),
  pg_temp.by_host('decline_booking', 'declined', $$, 'See https://evil.test/x or mail evil@evil.test' $$);
select set_eq($$ select name, type, delay from emails where type <> 'booking.requested' $$,
  $$ values ('first', 'booking.confirmed', interval '0'), ('near', 'booking.confirmed', '0'),
    ('moved', 'booking.rescheduled', '0'), ('waiting', 'booking.confirmed', '1 day'),
    ('declined', 'booking.declined', '1 day') $$,
  'emails about a session are sent at once, but not before the first one to a guest who is not verified');
select is((select e.status from emails e where e.name = 'waiting' and e.type = 'booking.requested'), 'canceled',
  'the email of a request that waits is canceled once the request is answered');
select is((select s.last_error from private.delivery_sends s join private.delivery_addresses a using (delivery_id)
  where a.access ->> 'subject_id' = tests.id('waiting')::text), 'The booking changed before the email was sent',
  'the email of a request that is canceled has a reason');
select is((select e.status from emails e where e.name = 'first' and e.type = 'booking.requested'), 'canceled',
  'the email of a request that is not sent yet is canceled once the request is answered');
select pg_temp.by_host('cancel_booking', name) from unnest('{first,waiting}'::text[]) name;
select set_eq($$ select e.name, e.type, e.status, e.delay from emails e
    where e.name in ('first', 'waiting') and e.calendar_event is not null $$,
  $$ values ('first', 'booking.confirmed', 'canceled', interval '0'), ('first', 'booking.cancelled', 'pending', '0'),
    ('waiting', 'booking.confirmed', 'canceled', '1 day'), ('waiting', 'booking.cancelled', 'pending', '1 day') $$,
  'a later email about a session waits as long as the earlier one, which it replaces');
select pg_temp.by_host('reschedule_booking', 'later', format(', %L', tests.slot(79)));
select is((select e.status from emails e where e.name = 'later' and e.type = 'booking.requested'), 'canceled',
  'the email of a request that waits is canceled once the request is moved, because it names the old time');
select pg_temp.by_host('reschedule_booking', 'later', format(', %L', tests.slot(9)));
select is_empty($$ select from emails where name = 'later' and status = 'pending' $$,
  'a session that is moved ahead of the first email leaves no email that would arrive after it');
select pg_temp.by_host('reschedule_booking', 'later', format(', %L', tests.slot(79)));
select results_eq($$ select type, delay from emails where name = 'later' and status = 'pending' $$,
  $$ values ('booking.rescheduled', interval '1 day') $$, 'a session that is moved back uses the place that it had');
select tests.booking_in('soon', 'open', 5, guest => 'may');
update private.email_windows w set email_count = 3 where w.digest = pg_temp.day_of('may');
select is(pg_temp.by_host('confirm_booking', 'soon')::jsonb ->> 'guestToldAt', null,
  'a guest gets no email that would arrive after the session, and the host sees it');
select is((select w.email_count from private.email_windows w
  where w.digest = pg_temp.day_of('may')), 3, 'an email without room counts nothing');
delete from private.email_windows;
select pg_temp.by_host('reschedule_booking', 'untold', format(', %L', tests.slot(82)));
select results_eq($$ select type, delay from emails where name = 'untold' $$,
  $$ values ('booking.rescheduled', interval '0') $$, 'the first email to a guest is sent if there is room');
select is((tests.booking('untold')).guest_told_at, now(), 'the booking shows when its guest was told');
select is((select count(*) from private.email_windows w
  where w.digest = pg_temp.day_of('may') and w.email_count = 1), 1::bigint,
  'the first email to a guest is counted for the address');
select pg_temp.by_host('cancel_booking', 'untold');
select is((select sum(w.email_count) from private.email_windows w), 5::bigint,  -- page twice, owner, network twice
  'later emails to a guest who is told are not counted');

-- A podcast's owner may tell as many people of bookings that anyone typed as the owner may newly email
select private.set_plan_limit('free', 'max_new_recipients_per_day', 2);
delete from private.email_windows;
select tests.booking_in('a' || n, case when n = 3 then 'second' else 'open' end, 100 + n)
from generate_series(1, 5) n;
select is((select e.delay from emails e where e.name = 'a' || n), delay,
  format('guest %s of an owner who may email two new people a day is told after %s', n, coalesce(delay::text, 'never')))
from (values (1, interval '0'), (2, '0'), (3, '1 day'), (4, '1 day'), (5, null)) v (n, delay);
select tests.booking_in('b1', 'theirs', 101);
select is((select e.delay from emails e where e.name = 'b1'), interval '0',
  'the guests of one owner do not delay the emails to those of another');
select private.try_reserve_email('user:' || tests.id('ola'), 'invited@guests.example', now(), '0', tests.id('ola'));
select isnt_empty($$ select from private.email_recipients where sender_id = tests.id('ola') $$,
  'the guests of an owner spend nothing of the owner''s invitations');
insert into private.email_recipients (sender_id, digest, first_email_at, complained_at)
select tests.id('otto'), sha256(n::text::bytea), now(), now() from generate_series(1, 2) n;
select tests.booking_in('b2', 'theirs', 103);
select is_empty($$ select from emails where name = 'b2' $$,
  'guests of an owner whose emails are stopped are not told of requests that anyone typed');
delete from private.email_recipients;
select private.set_plan_limit('free', 'max_new_recipients_per_day', 50);

-- Hosts answer each booking; moves are limited for all sessions of a guest who has not agreed
select private.set_setting('max_sender_emails_per_recipient_per_day', '1'),
  private.set_setting('max_emails_from_strangers_per_day', '100');
select tests.booking_in('uwe ' || n, 'second', 140 + n, guest => 'uwe') from generate_series(1, 5) n;
select isnt(pg_temp.by_host('confirm_booking', 'uwe ' || n), null,
  format('answer %s of a host to a guest who is not verified is not limited', n)) from generate_series(1, 4) n;
select is(left(tests.error_of(format('select pg_temp.by_host(%L, %L, %L)', 'reschedule_booking', 'uwe ' || 1 + n % 4,
    format(', %L', tests.slot(160 + n)))), 18), case when n <= 10 then 'none' else 'PT429 RATE_LIMITED' end,
  format('move %s of the sessions of a guest who is not verified', n)) from generate_series(1, 11) n;
select is((tests.booking('uwe 4')).start_time, tests.slot(167), 'a move over the limit of a host changes nothing');
select private.verify_guest_booking(tests.booking_token('uwe 4'));
select isnt(pg_temp.by_host('reschedule_booking', 'uwe 4', format(', %L', tests.slot(180))), null,
  'a session of a guest who is verified has a limit of its own');
select isnt(tests.value_as('otto', format('select public.reschedule_booking(%L, %L)', tests.id('b1'), tests.slot(181))),
  null,
  'the moves of one podcast do not limit those of another');
update bookings set expires_at = now() where id = tests.id('uwe 5');
select private.expire_pending_bookings();
select isnt(pg_temp.by_host('cancel_booking', 'uwe 1'), null, 'a host cancels a session over the limit of moves');
select set_eq($$ select e.name, e.delay from emails e where e.name in ('uwe 1', 'uwe 5')
    and e.type = 'booking.cancelled' $$, $$ values ('uwe 1', interval '0'), ('uwe 5', '0') $$,
  'cancellations and expiries are emailed at once');
select private.set_setting('max_sender_emails_per_recipient_per_day', '100');

-- Pages of other podcasts: the guest has the confirmation, the move and the cancellation at once
select private.set_setting('max_emails_from_strangers_per_day', '2');
select tests.booking_in('flood ' || n, 'theirs', 200 + n, guest => 'pia') from generate_series(1, 5) n;
select is((select count(*) from emails e where e.name like 'flood %' and e.delay = '0'), 2::bigint,
  'requests on one page send an address as many emails a day as the setting says');
select tests.booking_in('pia', 'open', 210, guest => 'pia');
select pg_temp.by_host('confirm_booking', 'pia'),
  pg_temp.by_host('reschedule_booking', 'pia', format(', %L', tests.slot(212))),
  pg_temp.by_host('cancel_booking', 'pia');
select set_eq($$ select e.type, e.delay from emails e where e.name = 'pia' $$,
  $$ values ('booking.requested', interval '0'), ('booking.confirmed', '0'), ('booking.rescheduled', '0'),
    ('booking.cancelled', '0') $$, 'requests on the page of one podcast delay no email of another');
select private.set_setting('max_emails_from_strangers_per_day', '100');

-- What a host writes to people who have not agreed
select is((select e.body ~ 'evil.test' from emails e where e.name = 'declined' and e.type = 'booking.declined'), false,
  'a message to a guest who is not verified has no link');
select is((select translate(e.body, U&'\2060', '') ~ 'https://evil.test/x' from emails e
  where e.name = 'declined' and e.type = 'booking.declined'), true,
  'a message to a guest who is not verified shows its addresses as text');
create function pg_temp.attempt(wanted_name text, wanted_type text) returns jsonb language plpgsql as $$
declare
  attempted uuid;
begin
  update notification_deliveries d set status = 'queued', due_at = now() from private.delivery_addresses a
  where a.delivery_id = d.id and a.access ->> 'subject_id' = tests.id(wanted_name)::text and d.type = wanted_type
  returning d.id into strict attempted;
  return private.begin_email_delivery(attempted);
end $$;
select tests.booking_in('complained', 'open', 130, guest => 'kim');
select pg_temp.by_host('decline_booking', 'complained');
select private.suppress_email(private.email_digest('kim@guests.example'), 'complaint');
select is(pg_temp.attempt('complained', 'booking.declined') ->> 'to', null,
  'a guest who is not verified gets no email about a session after a complaint');
select tests.booking_in('agreed', 'open', 132, guest => 'lou');
select private.verify_guest_booking(tests.booking_token('agreed'));
select pg_temp.by_host('decline_booking', 'agreed', $$, 'See https://show.test/faq' $$);
select private.suppress_email(private.email_digest('lou@guests.example'), 'complaint');
select is(pg_temp.attempt('agreed', 'booking.declined') #>> '{to,address}', 'lou@guests.example',
  'a guest who is verified gets emails about a session after a complaint');
select ok(e.body like '%https://show.test/faq%', 'a message to a guest who is verified keeps its links') from emails e
where e.name = 'agreed' and e.type = 'booking.declined';

-- Names and titles that a stranger may have chosen
update podcasts set title = 'Prizes https://evil.test/a example.test' where id = tests.id('other');
update booking_links set name = 'Click https://evil.test/b' where id = tests.id('theirs');
select tests.request_booking('spam', 'theirs', 30, 'vic',
  '{"name": "Login evil.test/c", "notes": "https://evil.test/d"}');
select is((select e::text from (select guest, title, body, podcast_title from emails where name = 'spam') e),
  (select e::text from (select null, format('Your booking request for Prizes %s', t.title), format(
    'You asked for %s: Click. Please open your booking and confirm your email address. You''ll get another email when '
    'the team confirms or declines the request.', substring(e.body from 'for (.*): Click')) || E'\n\nThis wasn''t you? '
    'Then ignore this email, or unsubscribe from booking requests below.', 'Prizes ' || t.title
    from emails e, (select private.without_links('example.test') as title) t where e.name = 'spam') e),
  'the email of a request shows no link, and nothing that the guest typed');
select tests.value_as('otto', format('select public.confirm_booking(%L)', tests.id('spam')));
select ok(not bool_or(e::text ~ 'evil'), 'emails to an unverified guest show no link of a stranger') from emails e
where e.name = 'spam';
update podcasts set title = 'https://evil.test' where id = tests.id('other');
select tests.request_booking('untitled', 'theirs', 34, 'vic');
select is((select e.title from emails e where e.name = 'untitled'), 'Your booking request for a podcast',
  'the email of a request names no podcast whose title is only a link');
select private.verify_guest_booking(tests.booking_token('untitled'));
select tests.value_as('otto', format('select public.decline_booking(%L)', tests.id('untitled')));
select is((select e.guest from emails e where e.name = 'untitled' and e.type = 'booking.declined'), 'Vic',
  'the email to a guest who is verified has the name');

select * from tests.finish();
rollback;
