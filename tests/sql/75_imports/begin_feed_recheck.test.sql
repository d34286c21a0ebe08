-- begin_feed_recheck and finish_feed_recheck: a locked feed is read again.
begin;
select tests.start();

create function tests.said(statement text) returns text language plpgsql as $$
declare hint text; detail text; answer jsonb;
begin
  perform set_config('response.status', '', true);
  execute statement into answer;
  return coalesce(nullif(concat_ws(' ', nullif(current_setting('response.status', true), ''), answer ->> 'code'), ''),
    answer ->> 'status');
exception when others then
  get stacked diagnostics hint = pg_exception_hint, detail = pg_exception_detail;
  return concat_ws(' ', sqlstate, nullif(hint, ''), nullif(detail, ''));
end $$;
create function tests.locked(name text, email text default null) returns void language plpgsql security definer as $$
begin
  perform tests.podcast(name || '/show', 'ola'), tests.import(name, name || '/show', 'pending'),
    tests.import_item('a', name);
  perform private.finish_staging(tests.id(name), jsonb_build_object('locked', true, 'lockedOwner', email),
    '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}', '[]');
end $$;
create function tests.row(name text) returns text language sql security definer as $$
  select (status, verification_method, is_locked_source, locked_owner_email)::text from public.podcast_imports
  where id = tests.id(name) $$;
-- The worker's part: digits into a digest
create function tests.issue(name text, code text, at timestamptz default now()) returns timestamptz
  language sql security definer as $$
  select private.issue_ownership_code(tests.id(name),
    sha256(decode(private.ownership_code_email(tests.id(name)) ->> 'codeKey', 'hex') || code::bytea), at) $$;
create function tests.try(name text, code text, at timestamptz default now()) returns text language sql as $$
  select tests.said(format('select private.verify_import_ownership(tests.id(%L), %L, %L)', name, code, at)) $$;

select tests.locked('one', 'jane@example.com'), tests.locked('four', 'joan@example.com'), tests.locked('five');
update public.podcast_imports set status = 'preview', verification_method = null where id = tests.id('one');
select tests.act_as('ola');
-- begin_feed_recheck and finish_feed_recheck
select is(public.begin_feed_recheck(tests.id('four')),
  jsonb_build_object('feedUrl', 'https://feeds.example/a.xml', 'method', 'email_code', 'verificationToken', null,
    'caller', tests.id('ola')), 'begin_feed_recheck returns the feed''s URL, the method and the caller');
select is(tests.said('select public.begin_feed_recheck(tests.id(''one''))'), 'PT400 NOT_APPLICABLE',
  'begin_feed_recheck returns 400 for a verified import');
select matches(public.begin_feed_recheck(tests.id('five')) ->> 'verificationToken', '^castbase-verify-[0-9a-f-]{36}$',
  'begin_feed_recheck returns the verification token');
select tests.act_as('postgres');
create temp table token as select verification_token as token from public.podcast_imports where id = tests.id('five');
create function tests.recheck(name text, channel jsonb) returns text language sql as $$
  select tests.said(format('select private.finish_feed_recheck(tests.id(%L), %L, tests.id(''ola''))', name,
    channel)) $$;
create function tests.texts(variadic texts text[]) returns jsonb language sql as $$
  select jsonb_build_object('locked', true, 'verifyTexts',
    jsonb_agg(jsonb_build_object('text', t, 'purpose', 'verify'))) from unnest(texts) t $$;
select is(tests.recheck('five', channel), 'PT400 STILL_LOCKED',
  'finish_feed_recheck returns STILL_LOCKED for ' || channel::text)
from (values ('{"locked": true}'::jsonb),
  ('{"locked": true, "verifyTexts": null, "lockedOwner": "yes", "ownerEmail": ""}'),
  (tests.texts('castbase-verify-'))) v (channel)
union all select is(tests.recheck('five', tests.texts((select private.ownership_code_email(tests.id('four')) ->> 'x'),
  'castbase-verify-00000000-0000-4000-8000-000000000000')), 'PT400 STILL_LOCKED',
  'finish_feed_recheck returns STILL_LOCKED for another import''s token');
select is(tests.row('five'), '(verification_required,feed_recheck,t,)', 'STILL_LOCKED does not change the import');
select is(tests.recheck('five', tests.texts('x', token) || '{"ownerEmail": "jane@example.com"}'), 'preview',
  'finish_feed_recheck moves an import to preview when the feed has the token') from token;
select is(tests.row('five'), '(preview,,t,)', 'the token counts before an owner email, and the source stays locked');
select is(tests.recheck('five', '{"locked": false}'), 'PT400 NOT_APPLICABLE',
  'finish_feed_recheck returns 400 for an import in preview');
select tests.locked('six'), tests.locked('seven'), tests.locked('eight'), tests.locked('nine');
select is(tests.recheck('six',
  tests.texts((select verification_token from public.podcast_imports where id = tests.id('six')))
  || '{"locked": false, "lockedOwner": "jane@example.com"}'), 'preview',
  'finish_feed_recheck moves an import to preview when the feed is unlocked');
select is(tests.row('six'), '(preview,,f,)', 'an unlocked feed is no longer a locked source');
select is(tests.recheck('seven', '{"locked": null}'), 'preview',
  'finish_feed_recheck takes a feed without podcast:locked as unlocked');
select tests.empty_queue('ownership_codes');
select is(tests.recheck('eight', '{"locked": true, "ownerEmail": "Joe@Mail.example"}'), 'verification_required',
  'finish_feed_recheck keeps an import unverified when an owner email appears');
select is(tests.row('eight'), '(verification_required,email_code,t,j***@m***.example)',
  'a new owner email changes the method to email_code');
select is((select array_agg(m) from tests.queued('ownership_codes') m),
  array[jsonb_build_object('type', 'ownership_code', 'import_id', tests.id('eight'))],
  'a new owner email queues an ownership code');
select is(private.ownership_code_email(tests.id('eight')) ->> 'to', 'joe@mail.example',
  'the ownership code goes to the new owner email');
select is(tests.recheck('eight', '{"locked": true, "ownerEmail": "other@mail.example"}'), 'PT400 STILL_LOCKED',
  'finish_feed_recheck returns STILL_LOCKED when the owner email changes again');
select is(private.ownership_code_email(tests.id('eight')) ->> 'to', 'joe@mail.example',
  'a changed owner email does not replace the first one');
select is(tests.recheck('eight',
  tests.texts((select verification_token from public.podcast_imports where id = tests.id('eight')))), 'preview',
  'finish_feed_recheck accepts the token after an owner was emailed');
select is((select count(*) from private.import_owner_verifications where import_id = tests.id('eight')), 0::bigint,
  'finish_feed_recheck deletes the owner''s email');
select tests.locked('ten', 'jane@example.com');
select is(tests.recheck('ten', '{"locked": true, "lockedOwner": "jane@example.com"}'), 'PT400 STILL_LOCKED',
  'finish_feed_recheck returns STILL_LOCKED while the emailed feed stays locked');
select is(tests.recheck('ten', '{"locked": false}'), 'preview',
  'finish_feed_recheck moves an emailed import to preview when the feed is unlocked');

select * from tests.finish();
rollback;
