-- Emails to people who did not ask for them: budgets per sender and recipient, new recipients, and a recipient's day.
begin;
select tests.start();
select tests.person('ola'), tests.person('eve'), tests.person('vic');
update public.profiles set created_at = '2025-12-01 10:00Z';
select private.set_setting('max_sender_emails_per_recipient_per_day', '2'),
  private.set_setting('max_network_emails_per_recipient_per_day', '1'),
  private.set_setting('max_emails_from_strangers_per_day', '3'),
  private.set_setting('max_new_recipients_per_day', '4'),
  private.set_setting('max_new_recipients_per_day_paid', '6');

-- Runs as a caller; without a name, as an anonymous one.
create function pg_temp.reserve(
  who text, email text, at timestamptz, sender text default null, max_wait interval default '1 day') returns text
language plpgsql as $$
declare detail text;
begin
  perform set_config('request.jwt.claims', case when who is null then '' else
    jsonb_build_object('sub', tests.id(who))::text end, true);
  return (private.reserve_email(coalesce(sender, private.email_sender()), email, at, max_wait)
    at time zone 'UTC')::text;
exception when others then
  get stacked diagnostics detail = pg_exception_detail;
  return sqlstate || ' ' || detail;
end $$;

select is(pg_temp.reserve('eve', 'vic@test.example', '2026-01-01 10:00Z'), '2026-01-01 10:00:00',
  'reserve_email sends within the budgets at once');
select is(pg_temp.reserve('eve', 'vic@test.example', '2026-01-01 11:00Z'), '2026-01-01 11:00:00',
  'reserve_email sends as many emails as the sender''s budget for a recipient');
select is(pg_temp.reserve('eve', 'vic@test.example', '2026-01-01 12:00Z'),
  'PT429 {"rate_limit_reset_at": "2026-01-02T10:00:00.000Z"}',
  'reserve_email raises 429 with the time over the sender''s own budget');
select is(pg_temp.reserve('ola', 'vic@test.example', '2026-01-01 12:00Z'), '2026-01-01 12:00:00',
  'reserve_email leaves another sender''s budget for the same recipient untouched');
select is(pg_temp.reserve('ola', 'vic@test.example', '2026-01-01 13:00Z'), '2026-01-02 10:00:00',
  'reserve_email delays an email to a recipient whom many wrote to until the next day');
select is(pg_temp.reserve('ola', 'vic@test.example', '2026-01-01 13:00Z', 'podcast:1', '1 hour'), '2026-01-01 14:00:00',
  'reserve_email delays no longer than max_wait');
select is(pg_temp.reserve('ola', 'vic@test.example', '2026-01-01 13:00Z', 'podcast:2', null), '2026-01-02 10:00:00',
  'reserve_email without max_wait waits for a day with room');
select is(pg_temp.reserve('ola', 'vic@test.example', '2026-01-01 13:00Z', 'podcast:3', null), '2026-01-03 10:00:00',
  'reserve_email fills the days one after another');
select is(pg_temp.reserve('vic', 'vic@test.example', '2026-01-01 13:00Z'), '2026-01-01 13:00:00',
  'reserve_email never limits a caller''s email to their own confirmed address');
select is((select email_count from private.email_windows
    where digest = private.email_digest('vic@test.example')), 7,
  'reserve_email does not count emails to the caller''s own address');
select is(pg_temp.reserve('ola', 'vic@test.example', '2026-01-05 13:00Z', 'podcast:4'), '2026-01-05 13:00:00',
  'reserve_email begins another window when all promised days have passed');

-- Callers who are not signed in
select set_config('request.headers', '{"x-forwarded-for": "2001:db8:1:2::7"}', true);
select is(pg_temp.reserve(null, 'gil@guest.test', '2026-01-01 10:00Z'), '2026-01-01 10:00:00',
  'reserve_email accepts a caller who is not signed in');
select set_config('request.headers', '{"x-forwarded-for": "2001:db8:1:2::8"}', true);
select matches(pg_temp.reserve(null, 'gil@guest.test', '2026-01-01 10:00Z'), '^PT429',
  'reserve_email counts callers who are not signed in by their network of 64 bits');
select set_config('request.headers', '{"x-forwarded-for": "2001:db8:1:3::8"}', true);
select is(pg_temp.reserve(null, 'gil@guest.test', '2026-01-01 10:00Z'), '2026-01-01 10:00:00',
  'reserve_email leaves another network''s budget untouched');

select tests.person('una', false);
select set_config('request.jwt.claims', jsonb_build_object('sub', tests.id('una'))::text, true);
select is(private.email_sender(), 'network:2001:db8:1:3::/64',
  'email_sender is the network of a caller without an account, of whom one network can have any number');

-- New recipients
select is(pg_temp.reserve('eve', format('new%s@guest.test', n), '2026-01-01 13:00Z'), '2026-01-01 13:00:00',
  format('reserve_email accepts new recipient %s of a day', n + 1))
from generate_series(1, 3) n;
select is(pg_temp.reserve('eve', 'new4@guest.test', '2026-01-01 13:00Z'),
  'PT429 {"rate_limit_reset_at": "2026-01-02T10:00:00.000Z"}',
  'reserve_email raises 429 over the new recipients of a day');
select is(pg_temp.reserve('eve', 'new1@guest.test', '2026-01-01 13:00Z'), '2026-01-01 13:00:00',
  'reserve_email accepts a known recipient over the new recipients of a day');
select is(pg_temp.reserve('eve', 'new5@guest.test', '2026-01-01 13:00Z', 'podcast:1'), '2026-01-01 13:00:00',
  'reserve_email counts no new recipient for a podcast');
select is(pg_temp.reserve('eve', 'new4@guest.test', '2026-01-02 13:00Z'), '2026-01-02 13:00:00',
  'reserve_email accepts new recipients again the next day');

create function pg_temp.max_new(who text, at timestamptz default '2026-01-10Z') returns int language sql as $$
  select (private.email_trust(tests.id(who), at)).max_new_recipients
$$;
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('ola');
select is(pg_temp.max_new('ola'), 6, 'email_trust returns the paid limit for a paid account');
select is(pg_temp.max_new('ola', '2025-12-07Z'), 4, 'email_trust returns the free limit in an account''s first week');

-- Bounces and complaints
create function pg_temp.outcome(reason text, n int, at timestamptz) returns void language sql as $$
  insert into private.email_recipients (sender_id, digest, first_email_at)
  values (tests.id('ola'), private.email_digest(reason || n || '@guest.test'), at) on conflict do nothing;
  select private.record_email_outcome(tests.id('ola'), reason || n || '@guest.test', reason, at);
$$;
select pg_temp.outcome('bounce', n, '2026-01-09Z') from generate_series(1, 2) n;
select is(pg_temp.max_new('ola'), 6, 'email_trust tolerates two bounces');
select pg_temp.outcome('bounce', 3, '2026-01-09Z');
select is(pg_temp.max_new('ola'), 3, 'email_trust halves the limit after three bounces');
select is(pg_temp.max_new('ola', '2026-01-17Z'), 6, 'email_trust forgets bounces after a week');
select pg_temp.outcome('complaint', 1, '2026-01-16Z');
select is(pg_temp.max_new('ola', '2026-01-17Z'), 3, 'email_trust halves the limit after a complaint');
select pg_temp.outcome('complaint', 1, '2026-01-17Z');
select is(pg_temp.max_new('ola', '2026-01-18Z'), 3,
  'email_trust counts two complaints of one recipient once, so that one person cannot stop a sender');
select pg_temp.outcome('complaint', 2, '2026-01-17Z');
select is(pg_temp.max_new('ola', '2026-01-18Z'), 0, 'email_trust stops a sender after complaints of two recipients');
select is(pg_temp.reserve('ola', 'late@guest.test', '2026-01-18Z'), 'PT403 ',
  'reserve_email raises 403 SENDING_STOPPED for new recipients of a stopped sender');
select is(pg_temp.reserve('ola', 'vic@test.example', '2026-01-18Z'), '2026-01-18 00:00:00',
  'reserve_email lets a stopped sender email known recipients');
select private.record_email_outcome(tests.id('eve'), 'nobody@guest.test', 'complaint', now());
select is_empty($$ select from private.email_recipients
  where sender_id = tests.id('eve') and complained_at is not null $$,
  'record_email_outcome ignores an address that the user did not email');
update private.email_recipients set complained_at = now() where complained_at is not null;
select results_eq($$ select sender_id, complaint_count, max_new_recipients, state from private.email_senders
    where state <> 'normal' $$,
  $$ values (tests.id('ola'), 2, 0, 'stopped') $$, 'email_senders shows operators a stopped sender');
select is(private.restore_email_sender(tests.id('ola')), 5,
  'restore_email_sender forgets the bounces and complaints of a sender');
select is_empty($$ select from private.email_senders where state <> 'normal' $$,
  'email_senders shows a restored sender as normal');

-- Emails that follow from an act
create function pg_temp.schedule(sender text, email text, at timestamptz, max_wait interval) returns timestamptz
language sql as $$ select private.schedule_email(sender, email, at, max_wait) $$;
select set_config('request.jwt.claims', '', true);
select is(pg_temp.schedule('podcast:9', 'sid@guest.test', '2026-01-01 10:00Z', '1 hour'), '2026-01-01 10:00Z',
  'schedule_email sends within the budgets at once')
from generate_series(1, 2);
select is(pg_temp.schedule('podcast:9', 'sid@guest.test', '2026-01-01 10:00Z', '1 hour'), '2026-01-01 11:00Z',
  'schedule_email delays over the sender''s budget, at most for max_wait');
select is(pg_temp.schedule('podcast:9', 'vic@test.example', '2026-01-01 10:00Z', '1 hour'), '2026-01-01 10:00Z',
  'schedule_email never delays emails to a confirmed address');
select private.verify_email('sid@guest.test', '2026-01-01 10:00Z');
select is(pg_temp.schedule('podcast:9', 'sid@guest.test', '2026-01-01 10:00Z', '1 hour'), '2026-01-01 10:00Z',
  'schedule_email never delays emails to an address whose holder acted with a token');
select ok(private.is_verified_email('sid@guest.test') and not private.is_verified_email('gil@guest.test'),
  'is_verified_email tells whose holder acted with a token');

select private.purge_email_recipients('2027-01-02 09:00Z');
select is((select count(*)::int from private.email_recipients where first_email_at < '2026-01-02 09:00Z'), 0,
  'purge_email_recipients deletes recipients first emailed a year ago');
select is_empty($$ select from private.email_windows $$, 'purge_email_recipients deletes past counts of emails');
select is_empty($$ select from private.rate_limits where key ~ '@' $$, 'the keys of email budgets hold no addresses');

select * from tests.finish();
rollback;
