-- record_rejected_address: the mail server does not have an address.
begin;
select tests.start();
select tests.person('ola');
select tests.sent_email('first', 'gus@guests.test', 'automation.email', 'queued'),
  tests.sent_email('second', 'ann@guests.test', 'automation.email', 'queued');
update private.delivery_addresses set sender_id = tests.id('ola');
insert into private.email_recipients (sender_id, digest, first_email_at)
select tests.id('ola'), private.email_digest(email), now() 
from unnest(array['gus@guests.test', 'ann@guests.test']) email;

select private.record_rejected_address('Gus@Guests.test', '550 5.1.1 No such user', tests.id('first'), '2026-01-01Z');
select is(tests.delivery_state('first'), 'bounced failed_at', 'record_rejected_address bounces the delivery');
select is(tests.delivery_state('second'), 'queued', 'record_rejected_address leaves other deliveries as they are');
select results_eq(
  'select s.digest, s.type, s.reason, s.detail, s.created_at from private.email_suppressions s',
  $$ values (private.email_digest('gus@guests.test'), null, 'bounce', '550 5.1.1 No such user',
    '2026-01-01Z'::timestamptz) $$, 'record_rejected_address suppresses the address, with the server''s reply');
select results_eq(
  'select r.digest from private.email_recipients r where r.bounced_at is not null',
  $$ values (private.email_digest('gus@guests.test')) $$,
  'record_rejected_address records the bounce for the user who caused the email');
select private.record_rejected_address('bob@guests.test', '550 5.1.1 No such user');
select is(private.is_email_suppressed('bob@guests.test'), true,
  'record_rejected_address suppresses an address without a delivery');
select is(tests.result_of(who, $$ select private.record_rejected_address('eve@guests.test', 'x') $$), '42501',
  format('record_rejected_address as %s returns 42501', who)) from unnest(array['anon', 'ola']) who;

select * from tests.finish();
rollback;
