-- Emails to people who did not ask for them: budgets per sender and recipient, new recipients, and a recipient's day.
begin;
select tests.start();
select tests.person('ola'), tests.person('eve'), tests.person('vic');
update public.profiles set created_at = '2025-12-01 10:00Z';
select private.set_setting('max_sender_emails_per_recipient_per_day', '2'),
  private.set_setting('max_emails_from_strangers_per_day', '3'),
  private.set_plan_limit('free', 'max_new_recipients_per_day', 4),
  private.set_plan_limit('pro', 'max_new_recipients_per_day', 6);

-- Runs as a caller; without a name, as an anonymous one.
create function pg_temp.reserve(
  who text, email text, at timestamptz, sender text default null) returns text
language plpgsql as $$
declare detail text;
begin
  perform set_config('request.jwt.claims', case when who is null then '' else
    jsonb_build_object('sub', tests.id(who))::text end, true);
  return (private.reserve_email(coalesce(sender, private.email_sender()), email, at) at time zone 'UTC')::text;
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
select is(pg_temp.reserve('vic', 'vic@test.example', '2026-01-01 13:00Z'), '2026-01-01 13:00:00',
  'reserve_email never limits a caller''s email to their own confirmed address');
select is(pg_temp.reserve('ola', 'vic@test.example', '2026-01-01 13:00Z', 'podcast:' || p), '2026-01-01 13:00:00',
  'reserve_email counts emails of each podcast in a day of its own')
from generate_series(1, 3) p, generate_series(1, 2) n;

-- A recipient's day
create function pg_temp.reserve_at(who text, at timestamptz, max_wait interval default '1 hour') returns text
language sql as $$
  select concat_ws(' / ', r.send_at at time zone 'UTC', 'room ' || (r.reset_at at time zone 'UTC'))
  from private.try_reserve_email('user:' || who, 'kim@guest.test', at, max_wait, null) r
$$;
create function pg_temp.count(key text) returns int language sql as $$
  select w.email_count from private.email_windows w where w.digest = sha256(convert_to(key, 'UTF8'))
$$;
select is(pg_temp.reserve_at('a' || n, '2026-01-01 10:00Z'), '2026-01-01 10:00:00',
  'try_reserve_email sends as many emails as a recipient''s day has room for') from generate_series(1, 3) n;
select is(pg_temp.reserve_at('b', '2026-01-01 11:00Z'), 'room 2026-01-02 10:00:00',
  'try_reserve_email returns when there is room after max_wait');
select is(pg_temp.count('users/kim@guest.test'), 3, 'try_reserve_email counts nothing that it does not reserve');
select is_empty($$ select from private.rate_limits
    where key = private.email_rate_limit_key('emails', 'user:b/kim@guest.test') $$,
  'try_reserve_email spends no budget of a sender without a place');
select is(pg_temp.reserve_at('b', '2026-01-01 11:00Z', '23 hours'), '2026-01-02 10:00:00',
  'try_reserve_email waits for room within max_wait');
select is(pg_temp.reserve_at('c' || n, '2026-01-01 11:00Z', '1 day'), '2026-01-02 10:00:00',
  'try_reserve_email fills the second day') from generate_series(1, 2) n;
select is(pg_temp.reserve_at('d' || n, '2026-01-01 12:00Z', '30 days'), 'room 2026-01-03 12:00:00',
  'a flood reserves two days of a recipient, not more') from generate_series(1, 50) n;
select is(pg_temp.reserve_at('e', '2026-01-03 09:59Z'), 'room 2026-01-05 09:59:00',
  'try_reserve_email reserves nothing until two full days have passed');
select is(pg_temp.reserve_at('e', '2026-01-03 10:00Z'), '2026-01-03 10:00:00', 'a flood ends two days after it began');
select is(pg_temp.count('users/kim@guest.test'), 1, 'try_reserve_email begins another window after two full days');
select is(private.next_email_time(sha256('k'), n, '2026-01-01 10:00Z'), 'infinity',
  'next_email_time has no room for a key without emails') from unnest('{0,-1}'::int[]) n;
select is(private.next_email_time(sha256('k'), 1, at), expected, 'next_email_time ' || what)
from (values ('2026-01-01 10:00Z'::timestamptz, '2026-01-01 10:00Z'::timestamptz, 'begins a window'),
  ('2026-01-02 10:00Z', '2026-01-02 10:00Z', 'begins another one after a day that the window did not exceed'),
  ('2026-01-02 11:00Z', '2026-01-03 10:00Z', 'returns the second day'),
  ('2026-01-03 11:00Z', 'infinity', 'returns infinity on the second day if it is full'),
  ('2026-01-04 10:00Z', '2026-01-04 10:00Z', 'begins a third window')) v (at, expected, what);

-- Callers who are not signed in
select set_config('request.headers', '{"x-forwarded-for": "2001:db8:1:3::8"}', true);
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
select is(pg_temp.reserve('eve', 'new5@guest.test', '2026-01-01 13:00Z', 'podcast:9'), '2026-01-01 13:00:00',
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

select private.purge_email_recipients('2027-01-02 09:00Z');
select is((select count(*)::int from private.email_recipients where first_email_at < '2026-01-02 09:00Z'), 0,
  'purge_email_recipients deletes recipients first emailed a year ago');
select is_empty($$ select from private.email_windows $$, 'purge_email_recipients deletes past counts of emails');
select is_empty($$ select from private.rate_limits where key ~ '@' $$, 'the keys of email budgets hold no addresses');

select * from tests.finish();
rollback;
