-- confirm_email_address: lifts the suppression of the caller's own address with an emailed code.
begin;
select tests.start();
select tests.person('ola'), tests.person('ana'), tests.anonymous_user('nemo');
select private.suppress_email(private.email_digest('ola@test.example'), reason)
from unnest(array['bounce', 'complaint']) reason;
select private.suppress_email(private.email_digest('ola@test.example'), 'unsubscribed', 'chat.message'),
  private.suppress_email(private.email_digest('ana@test.example'), 'bounce');

create function pg_temp.request(who text) returns text language sql as
  $$ select tests.result_of(who, 'select public.request_email_confirmation()') $$;
create function pg_temp.confirm(who text, code text, at timestamptz default now()) returns jsonb language plpgsql as $$
declare
  result jsonb;
begin
  perform tests.act_as(who);
  result := private.confirm_email_address(code, at);
  perform tests.act_as('postgres');
  return result;
end $$;

select is(pg_temp.confirm('ola', '123456') ->> 'hint', 'EXPIRED',
  'confirm_email_address returns EXPIRED before a code is requested');
select is(pg_temp.request('ola'), 'ok 1', 'request_email_confirmation returns the status');
select is(pg_temp.confirm('ola', '123456') ->> 'hint', 'INVALID',
  'confirm_email_address rejects every code before one is sent');
select tests.issue_email_confirmation('ola', '123456');
select is(pg_temp.request('ola'), 'ok 1', 'request_email_confirmation replaces the code');
select is(pg_temp.confirm('ola', '123456') ->> 'hint', 'INVALID',
  'confirm_email_address rejects a replaced code');
select is(tests.result_of('ola', format('select public.confirm_email_address(%L)', code)), 'PT400',
  format('confirm_email_address rejects the code %L', code))
from unnest(array['', '12345', '1234567', '12345a', ' 123456', '１２３４５６', E'123456\n', null]) code;
select is(tests.issue_email_confirmation('ola', '123456'), true, 'issue_email_confirmation makes the last code valid');
select is(pg_temp.confirm('ana', '123456') ->> 'hint', 'EXPIRED',
  'confirm_email_address rejects the code of another user');
select is(pg_temp.confirm('ola', '654321') ->> 'hint', 'INVALID', 'confirm_email_address rejects a wrong code')
from generate_series(1, 3);
select is(private.is_email_suppressed('ola@test.example'), true,
  'confirm_email_address lifts nothing for a wrong code');
select is(pg_temp.confirm('ola', '123456', now() + interval '1 hour') ->> 'hint', 'EXPIRED',
  'confirm_email_address returns EXPIRED an hour after the request');
update auth.users set email = 'new@test.example' where id = tests.id('ola');
select is(private.email_confirmation_email(tests.id('ola')), null,
  'email_confirmation_email returns null for another address than that of the request');
select is(pg_temp.confirm('ola', '123456') ->> 'hint', 'EXPIRED',
  'confirm_email_address rejects the code of another address');
update auth.users set email = 'ola@test.example' where id = tests.id('ola');
savepoint before;
select is(pg_temp.confirm('ola', '123456', now() + interval '59 minutes'),
  '{"email": "ola@test.example", "isSuppressed": false, "reason": null, "since": null}',
  'confirm_email_address returns the status without a suppression');
select is(private.is_email_suppressed('ola@test.example'), false,
  'confirm_email_address lifts a bounce and a complaint');
select is(private.is_email_suppressed('ola@test.example', 'chat.message'), true,
  'confirm_email_address leaves types off that were turned off');
select is(private.is_email_suppressed('ana@test.example'), true,
  'confirm_email_address lifts no suppression of another address');
select is(pg_temp.confirm('ola', '123456') ->> 'hint', 'EXPIRED', 'confirm_email_address accepts a code once');
rollback to before;
select is(pg_temp.confirm('ola', '654321') ->> 'hint', 'INVALID', 'confirm_email_address rejects a fifth wrong code');
select is(pg_temp.confirm('ola', '123456') ->> 'hint', 'LOCKED_OUT',
  'confirm_email_address locks a code after five wrong ones');

select * from tests.access('confirm_email_address', 'select public.confirm_email_address(''123456'')',
  '42501: anon; PT403: nemo');

select * from tests.finish();
rollback;
