-- request_automation_address: asks the holder of an address to confirm it.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'),
  tests.podcast('theirs', 'otto'), tests.podcast('leaving', 'ola'), tests.podcast('third', 'ola');
update public.podcasts set language = 'de' where id = tests.id('theirs');

select tests.access('request_automation_address',
  $$ select public.request_automation_address(tests.id('show'), 'a@mail.example') $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola ada');
select is(tests.value_as('ola', format('select tests.describe_error(%L)', format(
    'select public.request_automation_address(%L, %L)', podcast, email))), error,
  format('request_automation_address(%s) returns: %s', coalesce(email, 'null'), error))
from (values (gen_random_uuid(), 'a@mail.example', 'PT404 / Podcast not found'),
  (tests.id('show'), null, 'PT400 / email must be a valid email address'),
  (tests.id('show'), 'list', 'PT400 / email must be a valid email address'),
  (tests.id('show'), 'A <a@mail.example>', 'PT400 / email must be a valid email address'),
  (tests.id('show'), 'a@mail.example,b@mail.example', 'PT400 / email must be a valid email address'),
  (tests.id('show'), E'a@mail.example\nBcc: b@mail.example', 'PT400 / email must be a valid email address'))
  v (podcast, email, error);
delete from public.automation_addresses;
delete from private.rate_limits;
delete from public.notification_deliveries;

create function pg_temp.request(email text, podcast text default 'show', at timestamptz default now(),
  who text default 'ola') returns jsonb language sql as $$
  select tests.value_as(who, format('select private.request_automation_address(%L, %L, %L)', tests.id(podcast), email,
    at))::jsonb
$$;
create function pg_temp.emails() returns bigint language sql volatile as $$
  select count(*) from public.notification_deliveries where type = 'automation.address_requested'
$$;

-- The response and the email
create temp table responses as select 1 as n, pg_temp.request(' List@MAIL.example ') as response;
select is(response, jsonb_build_object('address', jsonb_build_object('id', a.id, 'podcast_id', tests.id('show'),
    'email', 'list@mail.example', 'status', 'pending', 'confirmed_at', null, 'unsubscribed_at', null,
    'email_status', 'queued', 'email_due_at', null,
    'created_at', private.format_timestamp(a.created_at))),
  'request_automation_address returns the address, and what becomes of the email')
from responses, public.automation_addresses a;
select is((select requested_by from public.automation_addresses), tests.id('ola'),
  'request_automation_address records the user who requested it');
select is(to_jsonb(d) - 'delivery_id', jsonb_build_object('email', 'list@mail.example', 'name', null, 'locale', 'en',
    'timezone', 'UTC', 'podcast_title', 'show', 'title', 'Receive emails of show?', 'body', d.body, 'html', null,
    'url', d.url, 'reply_to', null, 'attachments', '[]'::jsonb, 'access', jsonb_build_object(
      'kind', 'automation_address', 'subject_id', a.id,
      'expires_at', private.format_timestamp(now() + interval '7 days')),
    'calendar_event', null, 'is_essential', false, 'is_unsolicited', true, 'dedupe_key', null,
    'subject', jsonb_build_object('table', 'automation_addresses', 'id', a.id), 'sender_id', tests.id('ola'),
    'podcast_id', tests.id('show'), 'thread_key', 'podcast:' || tests.id('show'),
    'source_id', null),
  'request_automation_address emails the holder a link that is valid for seven days')
from private.delivery_addresses d, public.automation_addresses a;
select matches((select url from private.delivery_addresses), '/automations/confirm-address$',
  'the link of the email leads to the page that confirms an address');
select ok(body like '%show%' and body not like '%{%', 'the email names the podcast') from private.delivery_addresses;
select is((select count(*) from private.access_tokens), 0::bigint,
  'request_automation_address makes no token: the worker does when it sends the email');
select pg_temp.request('liste@mail.example', 'theirs', who => 'otto');
select is((select locale from private.delivery_addresses where email = 'liste@mail.example'), 'de',
  'the email is in the language of the podcast');

-- Limits of emails
create function pg_temp.error(email text, podcast text default 'show', at timestamptz default now(),
  who text default 'ola') returns text language sql as $$
  select tests.value_as(who, format('select tests.error_of(%L)', format(
    'select private.request_automation_address(%L, %L, %L)', tests.id(podcast), email, at)))
$$;
create function pg_temp.detail(email text, podcast text default 'show', at timestamptz default now(),
  who text default 'ola') returns text language sql as $$
  select tests.value_as(who, format('select tests.describe_error(%L)', format(
    'select private.request_automation_address(%L, %L, %L)', tests.id(podcast), email, at)))
$$;
insert into responses select n, pg_temp.request('list@mail.example') from generate_series(2, 3) n;
select is(count(distinct response), 1::bigint, 'the response is the same for each request of an address')
from responses;
select matches(pg_temp.detail('list@mail.example', at => at),
  '^PT429 .* RATE_LIMITED / {"rate_limit_reset_at": "' || private.format_timestamp(now() + interval '30 days') || '"}$',
  'request_automation_address returns 429 with the time for a fourth email of a podcast in 30 days')
from unnest(array[now(), now() + interval '29 days']) at;
select is((select count(*) from private.delivery_addresses where email = 'list@mail.example'), 3::bigint,
  'a podcast emails an address at most three times in 30 days');
select pg_temp.request('list@mail.example', 'show', now() + interval '30 days');
select is((select count(*) from private.delivery_addresses where email = 'list@mail.example'), 4::bigint,
  'a podcast may email an address again after 30 days');

-- The policy of emails to strangers
delete from private.rate_limits;
delete from private.email_windows;
delete from public.notification_deliveries;
select private.set_setting('max_sender_emails_per_recipient_per_day', '2'),
  private.set_setting('max_emails_from_strangers_per_day', '3');
select pg_temp.request('many@mail.example', podcast) from unnest('{show,third}'::text[]) podcast;
select is(pg_temp.error('many@mail.example', 'show', now() + interval '1 hour'), 'PT429 RATE_LIMITED',
  'request_automation_address returns 429 over a user''s budget for a recipient');
select lives_ok($$ select pg_temp.request('many@mail.example', 'theirs', who => 'otto') $$,
  'request_automation_address leaves the budget of another user for the recipient untouched');
select is(pg_temp.emails(), 3::bigint, 'request_automation_address sends each email within the budgets');
select pg_temp.request('many@mail.example', 'show', who => 'ada');
select is(pg_temp.emails(), 4::bigint, 'request_automation_address writes an email beyond the recipient''s day, too');
select results_eq($$ select d.due_at, a.access ->> 'expires_at' from private.delivery_addresses a
    join public.notification_deliveries d on d.id = a.delivery_id
    where a.email = 'many@mail.example' and d.due_at > now() $$,
  $$ values (now() + interval '1 day', private.format_timestamp(now() + interval '8 days')) $$,
  'an email beyond the recipient''s day waits for the next one, and its link is valid for seven days from then');
select private.set_setting('max_sender_emails_per_recipient_per_day', '10'),
  private.set_setting('max_emails_from_strangers_per_day', '20');

-- Limit of requests
delete from private.rate_limits;
delete from public.notification_deliveries;
select pg_temp.request(n || '@mail.example', case when n % 2 = 0 then 'show' else 'third' end, now(), 'ola')
from generate_series(1, 20) n;
select is(tests.value_as('ola', format('select tests.describe_error(%L)', format(
    'select private.request_automation_address(%L, ''21@mail.example'', %L)', tests.id('show'), now()))),
  format('PT429 / Too many requests; try again later / RATE_LIMITED / {"rate_limit_reset_at": "%s"}',
    private.format_timestamp(now() + interval '1 hour')), 'a user requests at most 20 addresses an hour');
select is_empty($$ select from public.automation_addresses where email = '21@mail.example' $$,
  'a request over the limit writes no address');
select lives_ok($$ select pg_temp.request('21@mail.example', who => 'ada') $$, 'the limit of requests is per user');
select lives_ok($$ select pg_temp.request('22@mail.example', 'show', now() + interval '1 hour') $$,
  'a user may request addresses again after an hour');

-- Confirmed addresses
delete from private.rate_limits;
delete from public.notification_deliveries;
update public.automation_addresses set confirmed_at = '2026-01-01Z' where email = 'list@mail.example';
select is(pg_temp.request('list@mail.example') #>> '{address,confirmed_at}', '2026-01-01T00:00:00.000Z',
  'request_automation_address returns the confirmation of an address');
select is(pg_temp.emails(), 0::bigint, 'request_automation_address sends no email to a confirmed address');

-- Unsubscribed addresses
create function pg_temp.unsubscribe() returns void language sql as $$
  select private.suppress_email(private.email_digest('list@mail.example'), 'unsubscribed', 'automation.email',
    at => '2026-02-02Z', podcast_id => tests.id('show'))
$$;
select pg_temp.unsubscribe();
select is((pg_temp.request('list@mail.example') -> 'address') - '{id,podcast_id,email,created_at}'::text[], '{
    "status": "unsubscribed", "confirmed_at": "2026-01-01T00:00:00.000Z", "email_due_at": null,
    "unsubscribed_at": "2026-02-02T00:00:00.000Z", "email_status": "queued"}',
  'request_automation_address asks an unsubscribed address again');
select is(pg_temp.emails(), 1::bigint, 'request_automation_address emails an unsubscribed address');
select pg_temp.request('list@mail.example') from generate_series(2, 3) n;
select is(pg_temp.error('list@mail.example'), 'PT429 RATE_LIMITED',
  'request_automation_address asks an unsubscribed address no more often than others');

-- Number
delete from public.automation_addresses where podcast_id = tests.id('third');
insert into public.automation_addresses (podcast_id, email)
select tests.id('third'), 'n' || n || '@mail.example' from generate_series(1, 50) n;
select is(tests.value_as('ola', $$ select tests.error_of($q$
    select public.request_automation_address(tests.id('third'), 'n51@mail.example') $q$) $$),
  'PT409 TOO_MANY_AUTOMATIONS', 'request_automation_address returns 409 for the 51st address');
select lives_ok($$ select pg_temp.request('n1@mail.example', 'third') $$,
  'request_automation_address accepts a known address when the podcast has 50');
insert into public.automation_addresses (podcast_id, email) values (tests.id('leaving'), 'known@mail.example');
select tests.set_status('leaving', 'pending_deletion');
select is(tests.value_as('ola', format('select tests.error_of(%L)', format(
    'select public.request_automation_address(tests.id(''leaving''), %L)', email))), 'PT409 PODCAST_PENDING_DELETION',
  format('request_automation_address(%s) returns 409 while the podcast is pending deletion', email))
from unnest('{new@mail.example,known@mail.example}'::text[]) email;

select * from tests.finish();
rollback;
