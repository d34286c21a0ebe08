-- require_fresh_sign_in: what a token's amr says about the last sign-in.
begin;
select tests.start();

create function pg_temp.answer(amr jsonb) returns text language plpgsql as $$
begin
  perform set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'amr', amr)::text, true);
  return tests.error_of('select private.require_fresh_sign_in(''2027-01-10 12:00Z'')');
end $$;

select is(pg_temp.answer(tests.amr('2027-01-10 12:00Z'::timestamptz + age)),
  case when is_fresh then 'none' else 'PT403 REAUTHENTICATION_REQUIRED' end,
  format('require_fresh_sign_in %s a sign-in of %s', case when is_fresh then 'accepts' else 'rejects' end, age))
from (values
  ('0 seconds'::interval, true), ('-9 minutes -59 seconds', true), ('-10 minutes', false), ('-1 year', false),
  ('1 minute', true), ('61 seconds', false), ('1 year', false)) v (age, is_fresh);
select is(pg_temp.answer(tests.amr('2027-01-10 09:00Z') || tests.amr('2027-01-10 11:59Z') || tests.amr('2026-01-01Z')),
  'none', 'require_fresh_sign_in counts the newest of several methods');
select is(pg_temp.answer(amr::jsonb), 'PT403 REAUTHENTICATION_REQUIRED',
  format('require_fresh_sign_in rejects the amr %s', amr))
from (values ('null'), ('[]'), ('["password", "otp"]'), ('[{"method": "password"}]'), ('{}'), ('"password"'), ('1'),
  ('[{"timestamp": "1799582400"}]'), ('[{"timestamp": null}]'), ('[{"timestamp": true}]'), ('[{"timestamp": [1]}]'),
  ('[[1799582400]]'), ('{"method": "password", "timestamp": 1799582400}'), ('[{"timestamp": 1e400}]'),
  ('[{"timestamp": -1e400}]')) v (amr);
select is(pg_temp.answer('["otp", {"method": "password", "timestamp": 1799582400.5}]'), 'none',
  'require_fresh_sign_in reads a timestamp beside a method without one');
select is(pg_temp.answer(tests.amr('2027-01-10 09:00Z') || jsonb_build_object('method', method,
    'timestamp', 1799582400)), 'PT403 REAUTHENTICATION_REQUIRED',
  format('require_fresh_sign_in does not count %s, which an old session can have', method))
from (values ('totp'), ('mfa/phone'), ('mfa/webauthn'), ('token_refresh')) v (method);
select set_config('request.jwt.claims', '{"role": "authenticated"}', true);
select is(tests.describe_error('select private.require_fresh_sign_in()'),
  'PT403 / This needs a sign-in of the last ten minutes; sign in again, then repeat the request / '
  'REAUTHENTICATION_REQUIRED', 'require_fresh_sign_in says what to do when the token has no amr');
select set_config('request.jwt.claims', '', true);
select is(tests.error_of('select private.require_fresh_sign_in()'), 'PT403 REAUTHENTICATION_REQUIRED',
  'require_fresh_sign_in rejects a caller without a token');

select * from tests.finish();
rollback;
