-- Ownership codes: what a stranger spends keeps no owner from proving that a feed is theirs.
begin;
select tests.start();
select tests.person('eve'), tests.person('vic'), tests.person('ola'), tests.person('meg');
create function pg_temp.email_of(who text) returns text language sql security definer as $$
  select email from auth.users where id = tests.id(who) $$;

-- An import of a person's own podcast, whose feed names an owner, read at a time.
create function pg_temp.import(name text, who text, email text, at interval default '0') returns text
language plpgsql as $$
begin
  return tests.locked_import(name, email, who, now() + at) ->> 'method';
exception when others then
  return sqlstate;
end $$;
create function pg_temp.resend(name text, who text, at interval) returns text language plpgsql as $$
declare
  status text;
begin
  perform tests.act_as(who);
  status := tests.import_status_of(
    format('select private.resend_ownership_code(tests.id(%L), %L)', name, now() + at));
  perform tests.act_as('postgres');
  return status;
end $$;
create function pg_temp.verify(name text, who text, code text, at interval default '0') returns text
language plpgsql as $$
declare
  status text;
begin
  perform tests.act_as(who);
  status := tests.verify_ownership(name, code, now() + at);
  perform tests.act_as('postgres');
  return status;
end $$;

-- Emails: eve starts and cancels imports of a feed that names vic.
select is(pg_temp.import('eve' || n, 'eve', pg_temp.email_of('vic')), 'email_code',
  format('finish_staging sends code %s of a day to an owner for one user', n)) from generate_series(1, 10) n;
select is(pg_temp.import('vic1', 'vic', pg_temp.email_of('vic')), 'email_code',
  'finish_staging sends the owner a code after a stranger had ten sent to them');
select is(pg_temp.import('ola1', 'ola', pg_temp.email_of('vic')), 'email_code',
  'finish_staging sends a code for another user after a stranger had ten sent to the owner');
select is(pg_temp.import('eve11', 'eve', pg_temp.email_of('vic')), 'feed_recheck',
  'finish_staging requires a recheck over the budget of a user for an owner');
select isnt((select verification_token from public.podcast_imports where id = tests.id('eve11')), null,
  'finish_staging gives an import over the budget a verification token');
select is(tests.recheck_feed('eve11', jsonb_build_object('locked', true, 'ownerEmail', pg_temp.email_of('vic')), 'eve'),
  'PT400 STILL_LOCKED', 'finish_feed_recheck returns STILL_LOCKED over the budget of its caller for an owner');
select is(tests.recheck_feed('eve11', jsonb_build_object('locked', true, 'ownerEmail', pg_temp.email_of('vic')), 'ola'),
  'verification_required', 'finish_feed_recheck emails a code while its caller has budget left');
select is((select verification_method::text from public.podcast_imports where id = tests.id('eve11')), 'email_code',
  'finish_feed_recheck changes the method to email_code while its caller has budget left');
select is(pg_temp.resend('eve1', 'eve', '1 hour'),
  format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 day')),
  'resend_ownership_code returns 429 over the budget of its caller for an owner');
select is(pg_temp.import('eve12', 'eve', pg_temp.email_of('vic'), '1 day'), 'email_code',
  'finish_staging sends a code again a day after the first of a spent budget');

-- The recipient's day
select private.set_setting('max_emails_from_strangers_per_day', '2');
select is(pg_temp.import('meg1', 'meg', 'jane@example.com'), 'email_code', 'finish_staging emails an owner a code');
select is(pg_temp.import('meg2', 'meg', 'jane@example.com'), 'email_code', 'finish_staging emails an owner two codes');
select is(pg_temp.import('ola2', 'ola', 'jane@example.com'), 'feed_recheck',
  'finish_staging requires a recheck of a feed whose owner got all emails of the day');
select is((select email_count from private.email_windows where digest = sha256('users/jane@example.com'::bytea)), 2,
  'finish_staging counts no email that it does not send');
select is_empty($$ select from private.rate_limits
  where key = private.email_rate_limit_key('emails', 'user:' || tests.id('ola') || '/jane@example.com') $$,
  'finish_staging spends no budget of a user whose code is not sent');
select is(pg_temp.resend('meg1', 'meg', '1 hour'),
  format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 day')),
  'resend_ownership_code returns 429 until the recipient''s day has room');
select is(pg_temp.import('vic2', 'vic', pg_temp.email_of('vic')), 'email_code',
  'finish_staging sends the owner a code on a day that strangers filled');
select is(pg_temp.resend('vic2', 'vic', n * interval '1 minute'), 'verification_required',
  format('resend_ownership_code sends the owner code %s of an hour', n)) from generate_series(1, 5) n;
select matches(pg_temp.resend('vic2', 'vic', '6 minutes'), '^PT429',
  'resend_ownership_code returns the owner 429 for a sixth resend in an hour');
select is((select count(*)::int from tests.queued('ownership_codes') m
    where m ->> 'import_id' in (tests.id('ola2')::text)), 0, 'finish_staging queues no code for a recheck');

-- A sender whom complaints stopped
insert into private.email_recipients (sender_id, digest, first_email_at, complained_at)
select tests.id('meg'), private.email_digest(n || '@guest.test'), now(), now() from generate_series(1, 2) n;
select is(pg_temp.import('meg3', 'meg', 'new@example.com'), 'feed_recheck',
  'finish_staging requires a recheck for a user whose emails are stopped');
select is(pg_temp.import('meg4', 'meg', pg_temp.email_of('meg')), 'email_code',
  'finish_staging sends a user whose emails are stopped a code to their own address');

-- An import whose user was deleted
select tests.podcast('gone/show', 'ola'), tests.import('gone', 'gone/show', 'pending'), tests.import_item('a', 'gone');
update public.podcast_imports set created_by = null where id = tests.id('gone');
select is(private.finish_staging(tests.id('gone'), '{"locked": true, "lockedOwner": "joan@example.com"}', '{}', '[]')
  ->> 'method', 'email_code', 'finish_staging emails a code for an import whose user was deleted');
select isnt_empty($$ select from private.rate_limits where key
    = private.email_rate_limit_key('emails', 'podcast:' || tests.id('gone/show') || '/joan@example.com') $$,
  'finish_staging counts a code for the podcast if the import''s user was deleted');

-- Wrong codes: eve guesses with several imports.
select private.set_setting('max_emails_from_strangers_per_day', '1000');
delete from public.podcast_imports;
delete from private.rate_limits;
select pg_temp.import('guess' || n, 'eve', pg_temp.email_of('vic')), tests.issue_ownership_code('guess' || n, '111111')
from generate_series(1, 5) n;
select is(pg_temp.verify('guess' || n, 'eve', '222222'), '400 INVALID',
  format('verify_import_ownership counts wrong codes of one caller (%s)', n))
from generate_series(1, 4) n, generate_series(1, 5);
select is(pg_temp.verify('guess5', 'eve', code), '400 LOCKED_OUT',
  'verify_import_ownership locks out a caller with twenty wrong codes, with the code ' || code)
from unnest('{222222,111111}'::text[]) code;
select pg_temp.import('vics', 'vic', pg_temp.email_of('vic')), tests.issue_ownership_code('vics', '111111');
select is(pg_temp.verify('vics', 'vic', '111111'), 'preview',
  'verify_import_ownership accepts the owner''s code after twenty wrong codes of a stranger');
select pg_temp.import('olas', 'ola', pg_temp.email_of('vic')), tests.issue_ownership_code('olas', '111111');
select is(pg_temp.verify('olas', 'ola', '111111'), 'preview',
  'verify_import_ownership accepts another caller''s code after twenty wrong codes of a stranger');
select is((select request_count from private.rate_limits
    where key = private.email_rate_limit_key('ownership_code_attempts_daily', pg_temp.email_of('vic'))), 20,
  'verify_import_ownership counts only wrong codes');

-- Throw-away accounts
select tests.person('fay' || n), pg_temp.import('fays' || n, 'fay' || n, pg_temp.email_of('vic')),
  tests.issue_ownership_code('fays' || n, '111111') from generate_series(1, 8) n;
select is(pg_temp.verify('fays' || n, 'fay' || n, '222222'), '400 INVALID',
  format('verify_import_ownership counts the wrong codes of an address over all callers (%s)', n))
from generate_series(1, 6) n, generate_series(1, 5);
select is(pg_temp.verify('fays7', 'fay7', code), '400 LOCKED_OUT',
  'verify_import_ownership locks out strangers after fifty wrong codes of an address, with the code ' || code)
from unnest('{222222,111111}'::text[]) code;
select is((select failed_attempts from private.import_owner_verifications where import_id = tests.id('fays7')), 0,
  'verify_import_ownership counts no code of a caller who is locked out');
select is_empty($$ select from private.rate_limits where key = private.email_rate_limit_key(
    'ownership_code_attempts', tests.id('fay7') || '/' || pg_temp.email_of('vic')) $$,
  'verify_import_ownership spends no tries of a caller while an address is locked out');
select pg_temp.import('vics2', 'vic', pg_temp.email_of('vic')), tests.issue_ownership_code('vics2', '111111');
select is(pg_temp.verify('vics2', 'vic', '222222'), '400 INVALID',
  'verify_import_ownership compares the owner''s code after fifty wrong codes of strangers');
select is(pg_temp.verify('vics2', 'vic', '111111'), 'preview',
  'verify_import_ownership accepts the owner''s code after fifty wrong codes of strangers');
select is(pg_temp.verify('fays8', 'fay8', '111111', '14 minutes'), '400 LOCKED_OUT',
  'verify_import_ownership locks out strangers for a day');
select tests.issue_ownership_code('fays8', '333333', now() + interval '1 day');
select is(pg_temp.verify('fays8', 'fay8', '333333', '1 day'), 'preview',
  'verify_import_ownership accepts a stranger''s code a day later');
select is_empty($$ select from private.rate_limits where key ~ '@' $$, 'the keys of ownership codes hold no addresses');

select * from tests.finish();
rollback;
