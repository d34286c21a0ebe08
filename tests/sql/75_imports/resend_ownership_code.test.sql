-- resend_ownership_code: once a minute, five times an hour. try_reserve_ownership_code.test.sql has its budgets.
begin;
select tests.start();

-- The import 'name/import' of a locked feed, read at that time, of a user of that name.
create function pg_temp.import_locked_feed(name text, email text default null, at interval default '0') returns jsonb
  language sql as $$ select tests.locked_import(name || '/import', email, name, now() + at) $$;
create function pg_temp.resend(name text, at interval) returns text language plpgsql as $$
declare
  status text;
begin
  perform tests.act_as(name);
  status := tests.import_status_of(format('select private.resend_ownership_code(tests.id(%L), %L)', name || '/import',
    now() + at));
  perform tests.act_as('postgres');
  return status;
end $$;
create function pg_temp.rate_limited_until(at interval) returns text language sql as $$
  select format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + at)) $$;

select pg_temp.import_locked_feed('tim', 'joan@example.com'), pg_temp.import_locked_feed('tom');
select is(pg_temp.resend('tim', '0'), 'verification_required', 'resend_ownership_code accepts a first resend at once');
select is(pg_temp.resend('tim', '59 seconds'), pg_temp.rate_limited_until('1 minute'),
  'resend_ownership_code returns 429 within a minute');
select is(pg_temp.resend('tim', n * interval '1 minute'), 'verification_required',
  'resend_ownership_code accepts five resends in an hour') from generate_series(1, 4) n;
select is(pg_temp.resend('tim', '5 minutes'), pg_temp.rate_limited_until('1 hour'),
  'resend_ownership_code returns 429 for a sixth resend in an hour');
select is(pg_temp.resend('tim', '1 hour'), 'verification_required',
  'resend_ownership_code accepts a resend after an hour');
select is(pg_temp.resend('tom', '0'), 'PT409 INVALID_IMPORT_STATE',
  'resend_ownership_code returns 409 for an import that waits for its feed');

select * from tests.finish();
rollback;
