-- begin_feed_recheck and finish_feed_recheck: a locked feed is read again.
begin;
select tests.start();

select tests.locked_import('one', 'jane@example.com'), tests.locked_import('four', 'joan@example.com'),
  tests.locked_import('five');
update public.podcast_imports set status = 'preview', verification_method = null where id = tests.id('one');
select tests.act_as('ola');
select is(public.begin_feed_recheck(tests.id('four')),
  jsonb_build_object('feedUrl', 'https://feeds.example/a.xml', 'method', 'email_code', 'verificationToken', null,
    'callerId', tests.id('ola')), 'begin_feed_recheck returns the feed''s URL, the method and the caller');
select is(tests.import_status_of('select public.begin_feed_recheck(tests.id(''one''))'), 'PT400 NOT_APPLICABLE',
  'begin_feed_recheck returns 400 for a verified import');
select matches(public.begin_feed_recheck(tests.id('five')) ->> 'verificationToken', '^castbase-verify-[0-9a-f-]{36}$',
  'begin_feed_recheck returns the verification token');
select tests.act_as('postgres');
create temp table token as select verification_token as token from public.podcast_imports where id = tests.id('five');
create function tests.texts(variadic texts text[]) returns jsonb language sql as $$
  select jsonb_build_object('locked', true, 'verifyTexts',
    jsonb_agg(jsonb_build_object('text', t, 'purpose', 'verify'))) from unnest(texts) t $$;
select is(tests.recheck_feed('five', channel), 'PT400 STILL_LOCKED',
  'finish_feed_recheck returns STILL_LOCKED for ' || channel::text)
from (values ('{"locked": true}'::jsonb),
  ('{"locked": true, "verifyTexts": null, "lockedOwner": "yes", "ownerEmail": ""}'),
  (tests.texts('castbase-verify-'))) v (channel)
union all select is(tests.recheck_feed('five',
  tests.texts((select private.ownership_code_email(tests.id('four')) ->> 'x'),
  'castbase-verify-00000000-0000-4000-8000-000000000000')), 'PT400 STILL_LOCKED',
  'finish_feed_recheck returns STILL_LOCKED for another import''s token');
select is(tests.verification_of('five'), '(verification_required,feed_recheck,t,)',
  'finish_feed_recheck does not change the import when it returns STILL_LOCKED');
select is(tests.recheck_feed('five', tests.texts('x', token) || '{"ownerEmail": "jane@example.com"}'), 'preview',
  'finish_feed_recheck moves an import to preview when the feed has the token') from token;
select is(tests.verification_of('five'), '(preview,,t,)',
  'finish_feed_recheck prefers the token to an owner email, and the source stays locked');
select is(tests.recheck_feed('five', '{"locked": false}'), 'PT400 NOT_APPLICABLE',
  'finish_feed_recheck returns 400 for an import in preview');
select tests.locked_import('six'), tests.locked_import('seven'), tests.locked_import('eight'),
  tests.locked_import('nine');
select is(tests.recheck_feed('six',
  tests.texts((select verification_token from public.podcast_imports where id = tests.id('six')))
  || '{"locked": false, "lockedOwner": "jane@example.com"}'), 'preview',
  'finish_feed_recheck moves an import to preview when the feed is unlocked');
select is(tests.verification_of('six'), '(preview,,f,)',
  'finish_feed_recheck clears is_locked_source when the feed is unlocked');
select is(tests.recheck_feed('seven', '{"locked": null}'), 'preview',
  'finish_feed_recheck takes a feed without podcast:locked as unlocked');
select tests.empty_queue('ownership_codes');
select is(tests.recheck_feed('eight', '{"locked": true, "ownerEmail": "Joe@Mail.example"}'), 'verification_required',
  'finish_feed_recheck keeps an import unverified when an owner email appears');
select is(tests.verification_of('eight'), '(verification_required,email_code,t,j***@m***.example)',
  'finish_feed_recheck changes the method to email_code when an owner email appears');
select is((select array_agg(m) from tests.queued('ownership_codes') m),
  array[jsonb_build_object('type', 'ownership_code', 'import_id', tests.id('eight'),
    'podcast_id', tests.id('eight/show'))],
  'finish_feed_recheck enqueues an ownership code when an owner email appears');
select is(private.ownership_code_email(tests.id('eight')) ->> 'to', 'joe@mail.example',
  'ownership_code_email returns the owner email that finish_feed_recheck found');
select is(tests.recheck_feed('eight', '{"locked": true, "ownerEmail": "other@mail.example"}'), 'PT400 STILL_LOCKED',
  'finish_feed_recheck returns STILL_LOCKED when the owner email changes again');
select is(private.ownership_code_email(tests.id('eight')) ->> 'to', 'joe@mail.example',
  'finish_feed_recheck keeps the first owner email when the feed changes it');
select is(tests.recheck_feed('eight',
  tests.texts((select verification_token from public.podcast_imports where id = tests.id('eight')))), 'preview',
  'finish_feed_recheck accepts the token after an owner was emailed');
select is((select count(*) from private.import_owner_verifications where import_id = tests.id('eight')), 0::bigint,
  'finish_feed_recheck deletes the owner''s email');
select tests.locked_import('ten', 'jane@example.com');
select is(tests.recheck_feed('ten', '{"locked": true, "lockedOwner": "jane@example.com"}'), 'PT400 STILL_LOCKED',
  'finish_feed_recheck returns STILL_LOCKED while the emailed feed stays locked');
select is(tests.recheck_feed('ten', '{"locked": false}'), 'preview',
  'finish_feed_recheck moves an emailed import to preview when the feed is unlocked');

select * from tests.finish();
rollback;
