-- take_guest_email: the budgets of automatic emails to guests, and who can spend them.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('second', 'ola'), tests.podcast('other', 'otto');
select private.set_setting(key, max::text) from (values ('max_sender_emails_per_recipient_per_day', 2),
  ('max_automation_unverified_recipients_per_day', 3), ('max_emails_from_strangers_per_day', 20)) v (key, max);
create function pg_temp.take(who text, has_agreed boolean, is_urgent boolean default false,
  podcast text default 'show', after interval default '0') returns text language sql as $$
  select case when t.skip_reason is not null then t.skip_reason when t.send_at = now() + after then 'now'
    else (t.send_at - now() - after)::text end
  from private.take_guest_email(tests.id(podcast), who || '@guests.test', has_agreed, is_urgent, now() + after) t
$$;
create function pg_temp.take_all(people text, has_agreed boolean, is_urgent boolean default false,
  podcast text default 'show') returns text language sql as $$
  select string_agg(pg_temp.take(who, has_agreed, is_urgent, podcast), ' ' order by n)
  from unnest(string_to_array(people, ' ')) with ordinality u (who, n)
$$;
create function pg_temp.reset() returns void language sql as $$
  delete from private.rate_limits;
  delete from private.email_windows;
$$;

-- Guests who agreed
select is(pg_temp.take_all('gus gus gus eve', true), 'now now daily_limit now',
  'take_guest_email has a limit per guest and day');
select is(pg_temp.take('gus', true, podcast => 'other'), 'now', 'take_guest_email counts each podcast for itself');
select is(pg_temp.take('gus', true, after => '1 day'), 'now', 'take_guest_email counts again after a day');
select is(pg_temp.take_all('eve eve gus gus gus', true, true), 'now now now now daily_limit',
  'take_guest_email sends a reminder that cannot wait to a guest who got too many other emails, within its own limit');
select is(pg_temp.take('eve', true), 'now', 'take_guest_email counts urgent emails apart from others');

-- Guests who are not verified
select pg_temp.reset();
select is(pg_temp.take_all('a b c d', false), 'now now now daily_limit',
  'take_guest_email has a limit per account and day for guests who are not verified');
select is(pg_temp.take('e', false, podcast => 'second'), 'daily_limit',
  'take_guest_email counts unverified guests of all podcasts of an owner together');
select is(pg_temp.take('e', false, podcast => 'other'), 'now',
  'take_guest_email leaves the limit of another owner untouched');
select is(pg_temp.take_all('a d v w', true), 'now now now now',
  'take_guest_email sends to guests who agreed, however many unverified ones there were');
select is(pg_temp.take_all('a b c d', false, true), 'now now now daily_limit',
  'take_guest_email has a limit per account and day of its own for urgent emails to unverified guests');
select is(pg_temp.take('d', false, after => '1 day'), 'now',
  'take_guest_email counts unverified guests again after a day');
select is((select count(*) from private.rate_limits r where r.key like '%'
    || encode(sha256(convert_to(format('podcast:%s/unverified/d@guests.test', tests.id('show')), 'UTF8')), 'hex')),
  1::bigint, 'take_guest_email counts nothing for an email that it refuses');

-- One address
select pg_temp.reset();
select is(pg_temp.take_all('gus gus gus', false), 'now now daily_limit',
  'take_guest_email has a limit per unverified guest and day');
select is(pg_temp.take('eve', false), 'now', 'take_guest_email gives back the account''s room for a refused email');
select is(pg_temp.take_all('gus gus', true), 'now now',
  'take_guest_email counts bookings that anyone made with a guest''s address apart from the guest''s own');

-- Many wrote to the address
select pg_temp.reset();
select private.set_setting('max_emails_from_strangers_per_day', '1');
create function pg_temp.wait(waited interval) returns text language sql as $$
  select pg_temp.reset();
  select private.recipient_email_time('podcast:' || tests.id('show'), 'gus@guests.test', now() - waited);
  select pg_temp.take('gus', false)
$$;
select is(pg_temp.wait(waited), expected, format('take_guest_email %s for a guest whom the podcast emailed %s ago',
  what, waited))
from (values (interval '23 hours', '01:00:00', 'waits an hour'), ('22 hours', 'daily_limit', 'sends nothing'))
  v (waited, expected, what);
select is(pg_temp.take_all('gus', true), 'now', 'take_guest_email does not delay emails to a guest who agreed');

-- Complaints about the owner
select pg_temp.reset();
insert into private.email_recipients (sender_id, digest, first_email_at, complained_at)
select tests.id('ola'), private.email_digest(n || '@guests.test'), now(), now() from generate_series(1, 2) n;
select is(pg_temp.take('gus', false), 'daily_limit',
  'take_guest_email sends nothing to unverified guests of an owner whom recipients complained about');
select is(pg_temp.take('gus', true), 'now',
  'take_guest_email sends to guests who agreed, even if recipients complained about the owner');

select * from tests.finish();
rollback;
