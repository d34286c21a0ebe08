-- verify_import_ownership: the code that the owner of a locked feed is emailed.
begin;
select tests.start();

-- The email
select tests.locked_import('one', 'jane@example.com');
select is(private.ownership_code_email(tests.id('one')) - 'codeKey',
  '{"to": "jane@example.com", "language": "en", "podcastTitle": "one/show", "feedUrl": "https://feeds.example/a.xml"}',
  'ownership_code_email returns the recipient, the language, the podcast and the feed');
select matches(private.ownership_code_email(tests.id('one')) ->> 'codeKey', '^[0-9a-f]{64}$',
  'ownership_code_email returns the key of the code''s digest');
select tests.act_as('ola');
select is(tests.verify_ownership('one', '123456'), '400 INVALID',
  'verify_import_ownership rejects every code before one is issued');
select tests.act_as('postgres');
select is(tests.issue_ownership_code('one', '123456'), now() + interval '15 minutes',
  'issue_ownership_code returns an expiry in fifteen minutes');
select is_empty($$ select from private.import_owner_verifications o where o::text ~ '123456' $$,
  'import_owner_verifications does not contain the code');

-- Codes
select tests.act_as('ola');
select is(tests.import_status_of(format('select public.verify_import_ownership(tests.id(''one''), %L)', code)), 'PT400',
  format('verify_import_ownership rejects the code %L', code))
from unnest(array['', '12345', '1234567', '12345a', ' 123456', '123456 ', '１２３４５６', E'123456\n', null]) code;
select is(tests.verify_ownership('one', '654321'), '400 INVALID', 'verify_import_ownership rejects a wrong code')
from generate_series(1, 4);
select is(tests.verification_of('one'), '(verification_required,email_code,t,j***@e***.com)',
  'verify_import_ownership does not change the import for a wrong code');
select is(tests.verify_ownership('one', '123456', now() + interval '15 minutes'), '400 EXPIRED',
  'verify_import_ownership returns EXPIRED fifteen minutes after the code was issued');
select is(tests.verify_ownership('one', '123456', now() + interval '14 minutes 59 seconds'), 'preview',
  'verify_import_ownership accepts a code until it expires');
select tests.act_as('postgres');
select is(tests.verification_of('one'), '(preview,,t,j***@e***.com)',
  'verify_import_ownership moves the import to preview and clears the verification method');
select is((select count(*) from private.import_owner_verifications where import_id = tests.id('one')), 0::bigint,
  'verify_import_ownership deletes the owner''s email');
select is(private.ownership_code_email(tests.id('one')), null,
  'ownership_code_email returns null for a verified import');
select is(private.issue_ownership_code(tests.id('one'), sha256('x')), null,
  'issue_ownership_code returns null for a verified import');
select tests.act_as('ola');
select is(tests.verify_ownership('one', '123456'), 'PT409 INVALID_IMPORT_STATE',
  'verify_import_ownership returns 409 for a verified import');
select is(tests.import_status_of('select public.resend_ownership_code(tests.id(''one''))'),
  'PT409 INVALID_IMPORT_STATE', 'resend_ownership_code returns 409 for a verified import');

-- A repeated attempt to send the same code
select tests.act_as('postgres'), tests.locked_import('same', 'jim@example.com'),
  tests.issue_ownership_code('same', '123456');
select tests.act_as('ola');
select is(tests.verify_ownership('same', '000000'), '400 INVALID', 'verify_import_ownership rejects a wrong code');
select tests.act_as('postgres');
select is(private.issue_ownership_code(v.import_id, v.code_hash, now() + interval '1 minute'),
    now() + interval '15 minutes', 'issue_ownership_code keeps the expiry of a code that a repeated attempt issues')
from private.import_owner_verifications v where v.import_id = tests.id('same');
select is(v.failed_attempts, 1, 'issue_ownership_code keeps the wrong attempts when it issues the same code')
from private.import_owner_verifications v where v.import_id = tests.id('same');
select is(private.issue_ownership_code(v.import_id, v.code_hash, now() + interval '1 hour'),
    now() + interval '75 minutes', 'issue_ownership_code renews the expiry of an expired code')
from private.import_owner_verifications v where v.import_id = tests.id('same');

-- Five wrong codes
select tests.act_as('postgres'), tests.locked_import('two', 'jane@example.com'), tests.issue_ownership_code('two',
  '000000');
select tests.act_as('ola');
select is(tests.verify_ownership('two', '100000'), '400 INVALID',
  'verify_import_ownership returns INVALID for the first five wrong codes') from generate_series(1, 5);
select is(tests.verify_ownership('two', '000000'), '400 LOCKED_OUT',
  'verify_import_ownership returns LOCKED_OUT for the right code after five wrong ones');
select is(tests.verify_ownership('two', '000000', now() + interval '1 hour'), '400 LOCKED_OUT',
  'verify_import_ownership still returns LOCKED_OUT an hour later');
select is(public.resend_ownership_code(tests.id('two')),
  '{"status": "verification_required", "method": "email_code", "ownerEmail": "j***@e***.com"}',
  'resend_ownership_code accepts an import that is locked out');
select is(tests.verify_ownership('two', '000000'), '400 INVALID',
  'resend_ownership_code invalidates the previous code');
select tests.act_as('postgres');
select is((select count(*) from tests.queued('ownership_codes') m where m ->> 'import_id' = tests.id('two')::text),
  2::bigint, 'resend_ownership_code enqueues another email');
select tests.issue_ownership_code('two', '111111');
select tests.act_as('ola');
select is((public.verify_import_ownership(tests.id('two'), '111111')) - 'detection',
  jsonb_build_object('importId', tests.id('two'), 'status', 'preview', 'totalItems', 1),
  'verify_import_ownership accepts the resent code of a locked-out import and returns the preview');
select tests.act_as('postgres'), tests.locked_import('three', 'jane@example.com'), tests.locked_import('four',
  'joan@example.com'),
  tests.issue_ownership_code('three', '333333'), tests.issue_ownership_code('four', '444444');
select tests.act_as('ola');
select is(tests.verify_ownership('three', '444444'), '400 INVALID',
  'verify_import_ownership rejects the code of another import');
select tests.act_as('postgres'), tests.issue_ownership_code('three', '335533');
select tests.act_as('ola');
select is(tests.verify_ownership('three', '333333'), '400 INVALID',
  'verify_import_ownership rejects a code that was replaced');
select tests.act_as('postgres');
update public.podcast_imports set status = 'canceled' where id = tests.id('three');
select is(private.ownership_code_email(tests.id('three')), null,
  'ownership_code_email returns null for a canceled import');
select tests.act_as('ola');
select is(tests.verify_ownership('three', '335533'), 'PT409 INVALID_IMPORT_STATE',
  'verify_import_ownership returns 409 for a canceled import');
select tests.act_as('postgres');

select tests.locked_import('five'), tests.act_as('ola');
select is(tests.verify_ownership('five', '123456'), 'PT409 INVALID_IMPORT_STATE',
  'verify_import_ownership returns 409 for an import that waits for its feed');
select tests.act_as('postgres');

-- The limits per email address hold over all imports
delete from private.rate_limits;
create function tests.rate_limit_counts() returns text language sql security definer as $$
  select string_agg(turn, ', ' order by turn) from (
    select case when key ~ 'emails_hourly' then 'address' else replace(replace(key, tests.id('ola')::text, 'ola'),
      tests.id('ana')::text, 'ana') end || ' ' || request_count as turn
    from private.rate_limits where key !~ 'resends|emails_daily|attempts') t $$;
select tests.person('ana'), tests.locked_import('c1', 'Mia@example.com'), tests.locked_import('c2', 'mia@example.com'),
  tests.locked_import('c3'), tests.locked_import('c4');
select tests.act_as('ola');
select is(tests.import_status_of(format('select private.resend_ownership_code(tests.id(%L), %L)', name, now())),
  'verification_required', 'resend_ownership_code accepts emails within the hourly limit of the address')
from unnest('{c1,c2}'::text[]) name;
select tests.act_as('postgres');
select is(tests.import_status_of($$ select private.finish_feed_recheck(tests.id('c3'),
  '{"locked": true, "ownerEmail": "mia@example.com"}', tests.id('ana')) $$), 'verification_required',
  'finish_feed_recheck accepts an email within the hourly limit of the address');
select is(tests.rate_limit_counts(), 'address 5, locked_feed_imports:ana 1, locked_feed_imports:ola 2',
  'finish_feed_recheck counts for its caller and for the address');
select tests.locked_import('c5', 'mia@example.com');
select is(tests.import_status_of($$ select tests.locked_import('c6', 'mia@example.com') $$),
  format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 hour')),
  'finish_staging returns 429 for a seventh email to an address in an hour');
select is(tests.recheck_feed('c4', '{"locked": true, "ownerEmail": "mia@example.com"}'),
  format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 hour')),
  'finish_feed_recheck returns 429 for a seventh email to an address in an hour');
select tests.act_as('ola');
select is(tests.import_status_of($$ select private.resend_ownership_code(tests.id('c1'),
  now() + interval '2 minutes') $$),
  format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 hour')),
  'resend_ownership_code returns 429 for a seventh email to an address in an hour');
select tests.act_as('postgres');
select is_empty($$ select from private.rate_limits where key ~* 'mia' $$,
  'private.rate_limits does not contain the email address of an owner');
select tests.issue_ownership_code(name, '777777') from unnest('{c1,c2,c3,c5}'::text[]) name;
select tests.act_as('ola');
select is(tests.verify_ownership(name, '000000'), '400 INVALID',
  'verify_import_ownership returns INVALID for twenty attempts per address') from unnest('{c1,c2,c3,c5}'::text[]) name,
  generate_series(1, 5);
select tests.act_as('postgres');
delete from public.podcast_imports where id = tests.id('c5');
update private.rate_limits set request_count = 5 where key ~ '^ownership_code_emails_hourly';
select tests.locked_import('c7', 'mia@example.com'), tests.issue_ownership_code('c7', '777777');
select tests.act_as('ola');
select is(tests.verify_ownership('c7', '777777'), '400 LOCKED_OUT',
  'verify_import_ownership returns LOCKED_OUT for any code after twenty attempts per address');
select is(tests.verify_ownership('c7', '777777', now() + interval '59 minutes'), '400 EXPIRED',
  'verify_import_ownership returns EXPIRED for an old code of a locked-out address');
select tests.act_as('postgres'), tests.issue_ownership_code('c7', '888888', now() + interval '1 hour'),
  tests.act_as('ola');
select is(tests.verify_ownership('c7', '888888', now() + interval '1 hour'), 'preview',
  'verify_import_ownership accepts a code an hour after twenty attempts per address');
select tests.act_as('postgres');

select * from tests.finish();
rollback;
