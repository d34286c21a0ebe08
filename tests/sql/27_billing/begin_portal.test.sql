-- begin_portal: the customer of the caller's own account.
begin;
select tests.start();

select tests.person('ola'), tests.person('eva'), tests.person('early', false), tests.subscription('ola');
create function pg_temp.portal(who text) returns text language sql as $$
  select tests.describe_error(format('select private.begin_portal(tests.id(%L))', who)) $$;
select is(private.begin_portal(tests.id('ola')),
  jsonb_build_object('id', tests.id('ola/subscription'), 'customerId', 'cus_ola', 'appUrl', 'https://casts.test'),
  'begin_portal returns the subscription and the customer of the user');
select is(pg_temp.portal('eva'),
  'PT409 / The account has no billing portal yet; start a checkout first / NO_BILLING_CUSTOMER',
  'begin_portal rejects a user without a customer');
select is(split_part(pg_temp.portal('early'), ' / ', 3), 'ACCOUNT_REQUIRED',
  'begin_portal rejects a user without an account');
select private.set_setting('max_portal_sessions_per_hour', '1');
select is(split_part(pg_temp.portal('ola'), ' / ', 3), 'RATE_LIMITED',
  'begin_portal rejects a call over max_portal_sessions_per_hour');
select tests.access('begin_portal', 'select private.begin_portal(gen_random_uuid())', '42501: anon ola service');

select * from tests.finish();
rollback;
