-- resend_ownership_code, and the limits of its emails per address over all users, podcasts and imports.
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
create function pg_temp.count_emails(email text) returns int language sql as $$
  select request_count from private.rate_limits
  where key = private.email_rate_limit_key('ownership_code_emails_daily', email) $$;
create function pg_temp.rate_limited_until(at interval) returns text language sql as $$
  select format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + at)) $$;

select pg_temp.import_locked_feed('ola', 'Mia@example.com');
select is(pg_temp.resend('ola', n * interval '1 minute'), 'verification_required',
  format('resend_ownership_code sends email %s of an hour to an address', n + 1)) from generate_series(1, 4) n;
select pg_temp.import_locked_feed('ben', 'mia@example.com', '5 minutes');
select is(pg_temp.resend('ben', '6 minutes'), pg_temp.rate_limited_until('1 hour'),
  'resend_ownership_code returns 429 for a seventh email to an address in an hour');
select is(pg_temp.count_emails('mia@example.com'), 6,
  'resend_ownership_code does not count an email over the hourly limit for the day');
select is(pg_temp.resend('ben', n * interval '1 hour'), 'verification_required',
  format('resend_ownership_code sends email %s of a day to an address', n + 6)) from generate_series(1, 4) n;
select is((select count(*) from tests.queued('ownership_codes')), 10::bigint,
  'finish_staging and resend_ownership_code queue the ten emails of a day');
select is(pg_temp.resend(name, '5 hours'), pg_temp.rate_limited_until('1 day'),
  format('resend_ownership_code returns 429 for an eleventh email to an address in a day (%s)', name))
from unnest('{ola,ben}'::text[]) name;
select is(tests.import_status_of($$ select pg_temp.import_locked_feed('eve', 'mia@example.com', '6 hours') $$),
  pg_temp.rate_limited_until('1 day'),
  'finish_staging returns 429 for an eleventh email to an address in a day');
select pg_temp.import_locked_feed('una');
select is(tests.import_status_of($$ select private.finish_feed_recheck(tests.id('una/import'),
  '{"locked": true, "ownerEmail": "mia@example.com"}', tests.id('una')) $$), pg_temp.rate_limited_until('1 day'),
  'finish_feed_recheck returns 429 for an eleventh email to an address in a day');
select is((select count(*) from tests.queued('ownership_codes')), 10::bigint,
  'functions that email an ownership code enqueue no email over the daily limit');
select is(pg_temp.count_emails('mia@example.com'), 10,
  'functions that email an ownership code count no email over the daily limit');
select is((select verification_method::text from public.podcast_imports where id = tests.id('una/import')),
  'feed_recheck', 'finish_feed_recheck over the daily limit leaves the import unchanged');
select is(pg_temp.import_locked_feed('ida', 'jane@example.com', '6 hours') ->> 'method', 'email_code',
  'finish_staging accepts an address while another one is over its daily limit');
select is_empty($$ select from private.rate_limits where key ~ '@' $$, 'private.rate_limits contains no email address');
select is(pg_temp.resend('ola', '1 day'), 'verification_required',
  'resend_ownership_code sends an email a day after the first of an address over its daily limit');
select private.set_setting('max_ownership_code_emails_per_day', '1');
select is(pg_temp.resend('ida', '8 hours'), pg_temp.rate_limited_until('1 day 6 hours'),
  'max_ownership_code_emails_per_day sets the limit of a day');
select private.set_setting('max_ownership_code_emails_per_day', '10'),
  private.set_setting('max_ownership_code_emails_per_hour', '1');
select is(pg_temp.resend('ida', '6 hours 2 minutes'), pg_temp.rate_limited_until('7 hours'),
  'max_ownership_code_emails_per_hour sets the limit of an hour');

-- Once a minute, five times an hour
select private.set_setting('max_ownership_code_emails_per_hour', '6');
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
