-- record_email_open: the pixel of an email marks its delivery opened, once.
begin;
select tests.start();
select tests.person('ola'), tests.sent_email('mail', 'ola'), tests.sent_email('other', 'ola');
create function pg_temp.open_as(who text, token text) returns text language sql as
  $$ select tests.result_of(who, format('select public.record_email_open(%L)', token)) $$;

select is(pg_temp.open_as('anon', token), 'ok 1', 'record_email_open ignores ' || what) from (values
  ('an unknown token', 'mail'), ('an empty token', ''), ('null', null), ('a token for clicks', 'mail click'),
  ('a token for unsubscribing', 'mail unsubscribe'), ('a token of 100,000 characters', repeat('x', 100000)))
  v (what, token);
select private.record_email_open('mail open', now() + interval '90 days');
select is(tests.delivery_state('mail'), 'sent', 'record_email_open marks nothing for another or expired token');

select is(pg_temp.open_as('anon', 'mail open'), 'ok 1', 'record_email_open accepts a token from an anonymous caller');
select is(tests.delivery_state('mail'), 'opened opened_at', 'record_email_open marks the delivery opened');
select is((select d.opened_at from notification_deliveries d where d.id = tests.id('mail')), now(),
  'record_email_open sets the time of the opening');
select is(tests.delivery_state('other'), 'sent', 'record_email_open marks no other delivery');
select is((select t.used_at from private.email_tokens t where t.digest = sha256('mail open')), now(),
  'record_email_open consumes the token');
update notification_deliveries set opened_at = null where id = tests.id('mail');
select is(pg_temp.open_as('anon', 'mail open'), 'ok 1', 'record_email_open accepts a used token without an error');
select is(tests.delivery_state('mail'), 'opened', 'record_email_open ignores a used token');
select is(pg_temp.open_as('ola', 'other open'), 'ok 1', 'record_email_open accepts a token from a signed-in user');

select tests.sent_email('clicked', 'ola', status => 'clicked'),
  tests.sent_email('canceled', 'ola', status => 'canceled');
select private.record_email_open('clicked open'), private.record_email_open('canceled open');
select is(tests.delivery_state('clicked'), 'clicked opened_at',
  'record_email_open keeps the status clicked and sets the time of the opening');
select is(tests.delivery_state('canceled'), 'canceled', 'record_email_open leaves a canceled delivery as it is');

select * from tests.finish();
rollback;
