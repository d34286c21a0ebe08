-- verify_import_ownership: the code that the owner of a locked feed is emailed.
begin;
select tests.start();

-- The email
select tests.locked_import('one', 'jane@example.com');
create function pg_temp.email_with_title(title text) returns jsonb language sql as $$
  update public.podcasts set title = email_with_title.title where id = tests.id('one/show');
  select private.ownership_code_email(tests.id('one')) - 'codeKey' $$;
select is(pg_temp.email_with_title(title), jsonb_build_object('to', 'jane@example.com', 'language', language,
    'locale', language,
    'podcastTitle', shown, 'feedUrl', private.without_active_links('https://feeds.example/a.xml')),
  'ownership_code_email shows no links: ' || title)
from (values ('one/show', 'en', 'one/show'), ('Log in at https://evil.test/login', 'en', 'Log in at'),
  ('https://evil.test', 'en', 'a podcast')) v (title, language, shown);
update public.podcasts set language = 'en-GB' where id = tests.id('one/show');
select is(private.ownership_code_email(tests.id('one')) ->> 'locale', 'en-150',
  'ownership_code_email returns the region of the podcast''s language');
select ok(private.without_active_links('https://feeds.example/a.xml') not like '%://%'
    and replace(private.without_active_links('https://feeds.example/a.xml'), U&'\2060', '')
      = 'https://feeds.example/a.xml', 'without_active_links breaks a URL and keeps it readable');
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

select * from tests.finish();
rollback;
