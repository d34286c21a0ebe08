-- request_email_confirmation: emails a code to the caller's own suppressed address.
begin;
select tests.start();
select tests.person('ola'), tests.person('ana'), tests.person('sso'), tests.anonymous_user('nemo');
update auth.users set is_sso_user = true where id = tests.id('sso');
select private.suppress_email(private.email_digest(name || '@test.example'), 'bounce')
from unnest(array['ola', 'sso']) name;

create function pg_temp.request(who text) returns jsonb language sql as
  $$ select tests.value_as(who, 'select public.request_email_confirmation()')::jsonb $$;

select is(pg_temp.request('ana') -> 'isSuppressed', 'false',
  'request_email_confirmation returns the status of an address without suppressions');
select is(pg_temp.request('sso') -> 'email', 'null',
  'request_email_confirmation returns the status of a user without a confirmed address');
select is((select count(*)::int from tests.queued('email_confirmations')), 0,
  'request_email_confirmation sends nothing to an address without suppressions');
select is(pg_temp.request('ola') ->> 'reason', 'bounce',
  'request_email_confirmation returns the status of a suppressed address');
select results_eq($$ select message from tests.queued('email_confirmations') message $$,
  $$ select jsonb_build_object('user_id', tests.id('ola')) $$, 'request_email_confirmation enqueues one email');
select is(private.email_confirmation_email(tests.id('ola')) - 'codeKey',
  '{"to": "ola@test.example", "language": "en"}', 'email_confirmation_email returns the recipient');
select is(private.email_confirmation_email(tests.id('ola'), now() + interval '1 hour'), null,
  'email_confirmation_email returns null for an expired code');
select is(tests.issue_email_confirmation('ola', '123456'), true, 'issue_email_confirmation makes a code valid');
select is_empty($$ select from private.email_confirmations c where c::text ~ '123456|ola@' $$,
  'private.email_confirmations contains neither code nor address');
create temp table replaced as select code_key from private.email_confirmations;
select lives_ok($$ select pg_temp.request('ola') $$,
  'request_email_confirmation sends a second code');
select is(private.issue_email_confirmation(tests.id('ola'), code_key, sha256('x')), false,
  'issue_email_confirmation makes no code of a replaced request valid') from replaced;
select lives_ok($$ select pg_temp.request('ola') $$,
  'request_email_confirmation sends a third code');
select is(tests.result_of('ola', 'select public.request_email_confirmation()'), 'PT429',
  'request_email_confirmation returns 429 for a fourth code of a day');

select private.purge_notifications(now() + interval '2 hours');
select is_empty('select from private.email_confirmations', 'purge_notifications deletes expired codes');
select * from tests.access('request_email_confirmation', 'select public.request_email_confirmation()',
  '42501: anon; PT403: nemo');

select * from tests.finish();
rollback;
