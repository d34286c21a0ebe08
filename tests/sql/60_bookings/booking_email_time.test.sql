-- Emails to guests about a change: when they are sent, and what they show to people who have not agreed.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'otto'), tests.open_link('open', 'show'),
  tests.open_link('theirs', 'other');
select private.set_setting('max_emails_from_strangers_per_day', '3');
create temp view emails as
  select i.name, d.type, d.due_at - now() as delay, d.status::text, a.name as guest, a.title, a.body, a.podcast_title,
    a.calendar_event
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  join tests.ids i on i.id::text = a.access ->> 'subject_id';
create function pg_temp.by_host(operation text, name text, rest text default '') returns text language sql as $$
  select tests.value_as(case when name like 'their%%' then 'otto' else 'ola' end,
    format('select public.%I(%L%s)', operation, tests.id(name), rest))
$$;

-- Time
select tests.booking_in('first', 'open', 70, guest => 'may'), tests.booking_in('near', 'open', 0, guest => 'may'),
  tests.booking_in('moved', 'open', 72, guest => 'may'), tests.booking_in('waiting', 'open', 74, guest => 'may');
select set_eq('select name, type, delay from emails', $$ values ('first', 'booking.requested', interval '0'),
  ('near', 'booking.requested', '0'), ('moved', 'booking.requested', '0'), ('waiting', 'booking.requested', '1 day') $$,
  'emails of requests over the day of an address wait for the next one');
select pg_temp.by_host('confirm_booking', 'first'), pg_temp.by_host('confirm_booking', 'near'),
  pg_temp.by_host('reschedule_booking', 'moved', format(', %L', tests.slot(1))),
  pg_temp.by_host('confirm_booking', 'waiting');
select set_eq($$ select name, type, delay from emails where type <> 'booking.requested' $$,
  $$ values ('first', 'booking.confirmed', interval '1 hour'), ('near', 'booking.confirmed', '0'),
    ('moved', 'booking.rescheduled', '0'), ('waiting', 'booking.confirmed', '1 hour') $$,
  'emails about a session wait at most an hour, and not at all within two hours of its start, old or new');
select is((select e.status from emails e where e.name = 'waiting' and e.type = 'booking.requested'), 'canceled',
  'the email of a request that waits is canceled once the request is answered');
select is((select s.last_error from private.delivery_sends s join private.delivery_addresses a using (delivery_id)
  where a.access ->> 'subject_id' = tests.id('waiting')::text), 'The booking changed before the email was sent',
  'the email of a request that is canceled has a reason');
select is((select e.status from emails e where e.name = 'first' and e.type = 'booking.requested'), 'canceled',
  'the email of a request that is not sent yet is canceled once the request is answered');
select pg_temp.by_host('cancel_booking', 'first');
select results_eq($$ select e.type, e.calendar_event ->> 'sequence', e.delay from emails e
    where e.name = 'first' and e.calendar_event is not null order by 2 $$,
  $$ values ('booking.confirmed', '1', interval '1 hour'), ('booking.cancelled', '2', '1 hour') $$,
  'a later email about a session waits no longer than the earlier one, which it replaces');
select tests.booking_in('unmoved', 'open', 78, guest => 'may');
select pg_temp.by_host('reschedule_booking', 'unmoved', format(', %L', tests.slot(79)));
select is((select e.status from emails e where e.name = 'unmoved' and e.type = 'booking.requested'), 'canceled',
  'the email of a request that waits is canceled once the request is moved, because it names the old time');
select private.verify_email('may@guests.example', now());
select tests.booking_in('verified', 'open', 80, guest => 'may');
select pg_temp.by_host('decline_booking', 'verified');
select is((select e.delay from emails e where e.name = 'verified' and e.type = 'booking.declined'), interval '0',
  'emails about a session to a verified address are sent at once');

-- Another podcast
select tests.booking_in('mine ' || n, 'open', 90 + n, guest => 'ned') from generate_series(1, 2) n;
select tests.booking_in('theirs 1', 'theirs', 90, guest => 'ned');
select private.set_setting('max_sender_emails_per_recipient_per_day', '2');
select private.set_setting('max_emails_from_strangers_per_day', '20');
select pg_temp.by_host('confirm_booking', 'mine 1'), pg_temp.by_host('confirm_booking', 'mine 2'),
  pg_temp.by_host('cancel_booking', 'mine 1'), pg_temp.by_host('confirm_booking', 'theirs 1');
select set_eq($$ select name, type, delay from emails where name like 'mine%' and type <> 'booking.requested'
    or name = 'theirs 1' and type = 'booking.confirmed' $$,
  $$ values ('mine 1', 'booking.confirmed', interval '0'), ('mine 2', 'booking.confirmed', '0'),
    ('mine 1', 'booking.cancelled', '1 hour'), ('theirs 1', 'booking.confirmed', '0') $$,
  'many emails of one podcast do not delay those of another');

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
