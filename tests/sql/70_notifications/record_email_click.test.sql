-- record_email_click: a click marks the delivery clicked and leads to the stored destination only.
begin;
select tests.start();
select private.set_setting('app_url', 'https://app.test');
select tests.person('ola'), tests.sent_email('mail', 'ola'), tests.sent_email('other', 'ola'),
  tests.sent_email('plain', 'ola', destination => null);
create function pg_temp.click_as(who text, token text) returns text language sql as
  $$ select tests.value_as(who, format('select public.record_email_click(%L)', token)) $$;

select is(pg_temp.click_as('anon', token), 'https://app.test', 'record_email_click returns app_url for ' || what)
from (values
  ('an unknown token', 'mail'), ('an empty token', ''), ('null', null), ('a token for opening', 'mail open'),
  ('a token for unsubscribing', 'mail unsubscribe'), ('a URL', 'https://evil.test/'),
  ('a token of 100,000 characters', repeat('x', 100000))) v (what, token);
select is(private.record_email_click('mail click', now() + interval '90 days'), 'https://app.test',
  'record_email_click returns app_url for an expired token');
select is(tests.delivery_state('mail'), 'sent', 'record_email_click marks nothing for another or expired token');

select is(pg_temp.click_as('anon', 'mail click'), 'https://app.test/chat',
  'record_email_click returns the stored destination');
select is(tests.delivery_state('mail'), 'clicked clicked_at', 'record_email_click marks the delivery clicked');
select is(tests.delivery_state('other'), 'sent', 'record_email_click marks no other delivery');
select is(private.record_email_click('mail click', now() + interval '1 day'), 'https://app.test/chat',
  'record_email_click returns the destination of a token that was used');
select is((select d.clicked_at from notification_deliveries d where d.id = tests.id('mail')), now(),
  'record_email_click keeps the time of the first click');
select is(pg_temp.click_as('ola', 'plain click'), 'https://app.test',
  'record_email_click returns app_url for a token without a destination');
select is(tests.delivery_state('plain'), 'clicked clicked_at',
  'record_email_click marks a delivery whose token has no destination');
select tests.sent_email('bounced', 'ola', status => 'bounced');
select is(pg_temp.click_as('anon', 'bounced click'), 'https://app.test/chat',
  'record_email_click returns the destination of a delivery that bounced');
select is(tests.delivery_state('bounced'), 'bounced clicked_at',
  'record_email_click keeps the status bounced and sets the time of the click');

select * from tests.finish();
rollback;
