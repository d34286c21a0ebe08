-- Proving that a locked feed is one's own: by the code that its owner is mailed, or by what the feed says when it is read again.
begin;
select tests.start();

create function tests.said(statement text) returns text language plpgsql as $$
declare hint text; detail text; answer jsonb;
begin
  perform set_config('response.status', '', true);
  execute statement into answer;
  return coalesce(nullif(concat_ws(' ', nullif(current_setting('response.status', true), ''), answer ->> 'code'), ''), answer ->> 'status');
exception when others then
  get stacked diagnostics hint = pg_exception_hint, detail = pg_exception_detail;
  return concat_ws(' ', sqlstate, nullif(hint, ''), nullif(detail, ''));
end $$;
create function tests.locked(name text, email text default null) returns void language plpgsql security definer as $$
begin
  perform tests.podcast(name || '/show', 'ola'), tests.import(name, name || '/show', 'pending'), tests.import_item('a', name);
  perform private.finish_staging(tests.id(name), jsonb_build_object('locked', true, 'lockedOwner', email), '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}', '[]');
end $$;
create function tests.row(name text) returns text language sql security definer as $$
  select (status, verification_method, is_locked_source, locked_owner_email)::text from public.podcast_imports where id = tests.id(name) $$;
-- The worker's part: digits into a digest
create function tests.issue(name text, code text, at timestamptz default now()) returns timestamptz language sql security definer as $$
  select private.issue_ownership_code(tests.id(name), sha256(decode(private.ownership_code_email(tests.id(name)) ->> 'codeKey', 'hex') || code::bytea), at) $$;
create function tests.try(name text, code text, at timestamptz default now()) returns text language sql as $$
  select tests.said(format('select private.verify_import_ownership(tests.id(%L), %L, %L)', name, code, at)) $$;

-- The mail
select tests.locked('one', 'jane@example.com');
select is(private.ownership_code_email(tests.id('one')) - 'codeKey', '{"to": "jane@example.com", "podcastTitle": "one/show", "feedUrl": "https://feeds.example/a.xml"}', 'what the mail says');
select matches(private.ownership_code_email(tests.id('one')) ->> 'codeKey', '^[0-9a-f]{64}$', 'with a key for the code''s digest');
select tests.act_as('ola');
select is(tests.try('one', '123456'), '400 INVALID', 'before it went out no code is right');
select tests.act_as('postgres');
select is(tests.issue('one', '123456'), now() + interval '15 minutes', 'a code lives for fifteen minutes');
select is_empty($$ select from private.import_owner_verifications o where o::text ~ '123456' $$, 'and is stored nowhere');

-- Codes
select tests.act_as('ola');
select is(tests.said(format('select public.verify_import_ownership(tests.id(''one''), %L)', code)), 'PT400', format('%L is no code', code))
from unnest(array['', '12345', '1234567', '12345a', ' 123456', '123456 ', '１２３４５６', E'123456\n', null]) code;
select is(tests.try('one', '654321'), '400 INVALID', 'a wrong code is refused, and counted') from generate_series(1, 4);
select is(tests.row('one'), '(verification_required,email_code,t,j***@e***.com)', 'nothing else happens');
select is(tests.try('one', '123456', now() + interval '15 minutes'), '400 EXPIRED', 'after its time the code is over');
select is(tests.try('one', '123456', now() + interval '14 minutes 59 seconds'), 'preview', 'until then it opens the import');
select tests.act_as('postgres');
select is(tests.row('one'), '(preview,,t,j***@e***.com)', 'which has nothing to prove any more');
select is((select count(*) from private.import_owner_verifications where import_id = tests.id('one')), 0::bigint, 'its owner''s address is forgotten');
select is(private.ownership_code_email(tests.id('one')), null, 'nobody is mailed again');
select is(private.issue_ownership_code(tests.id('one'), sha256('x')), null, 'and no code issued');
select tests.act_as('ola');
select is(tests.try('one', '123456'), 'PT409 INVALID_IMPORT_STATE', 'a second time there is nothing to verify');
select is(tests.said('select public.resend_ownership_code(tests.id(''one''))'), 'PT409 INVALID_IMPORT_STATE', 'nor to send again');

-- Five wrong ones
select tests.act_as('postgres'), tests.locked('two', 'jane@example.com'), tests.issue('two', '000000');
select tests.act_as('ola');
select is(tests.try('two', '100000'), '400 INVALID', 'five wrong codes') from generate_series(1, 5);
select is(tests.try('two', '000000'), '400 LOCKED_OUT', 'lock out the right one too');
select is(tests.try('two', '000000', now() + interval '1 hour'), '400 LOCKED_OUT', 'for good');
select is(public.resend_ownership_code(tests.id('two')), '{"status": "verification_required", "method": "email_code", "ownerEmail": "j***@e***.com"}', 'until another code is asked for');
select is(tests.try('two', '000000'), '400 INVALID', 'which the old one is not');
select tests.act_as('postgres');
select is((select count(*) from tests.queued('ownership_codes') m where m ->> 'import_id' = tests.id('two')::text), 2::bigint, 'and is mailed');
select tests.issue('two', '111111');
select tests.act_as('ola');
select is((public.verify_import_ownership(tests.id('two'), '111111')) - 'detection', jsonb_build_object('importId', tests.id('two'), 'status', 'preview', 'totalItems', 1), 'the new one opens, and says what can be looked at');
select tests.act_as('postgres'), tests.locked('three', 'jane@example.com'), tests.locked('four', 'joan@example.com'), tests.issue('three', '333333'), tests.issue('four', '444444');
select tests.act_as('ola');
select is(tests.try('three', '444444'), '400 INVALID', 'another import''s code opens nothing');
select tests.act_as('postgres'), tests.issue('three', '335533');
select tests.act_as('ola');
select is(tests.try('three', '333333'), '400 INVALID', 'nor does one that was followed by another');
select tests.act_as('postgres');
update public.podcast_imports set status = 'canceled' where id = tests.id('three');
select is(private.ownership_code_email(tests.id('three')), null, 'of a canceled import nobody is mailed');
select tests.act_as('ola');
select is(tests.try('three', '335533'), 'PT409 INVALID_IMPORT_STATE', 'and no code opens it');

-- Once a minute, five times an hour
select tests.act_as('postgres');
create function tests.resend(at interval) returns text language sql as $$
  select tests.said(format('select private.resend_ownership_code(tests.id(''four''), %L)', now() + at)) $$;
select tests.act_as('ola');
select is(tests.resend('0'), 'verification_required', 'a code is sent again');
select is(tests.resend('59 seconds'), format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 minute')), 'once a minute');
select is(tests.resend(n * interval '1 minute'), 'verification_required', 'and five times') from generate_series(1, 4) n;
select is(tests.resend('5 minutes'), format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 hour')), 'an hour');
select is(tests.resend('1 hour'), 'verification_required', 'then again');
select tests.act_as('postgres');
select tests.locked('five'), tests.act_as('ola');
select is(tests.said('select public.resend_ownership_code(tests.id(''five''))'), 'PT409 INVALID_IMPORT_STATE', 'where no code is asked for none is sent');
select is(tests.try('five', '123456'), 'PT409 INVALID_IMPORT_STATE', 'nor verified');

-- Reading the feed again
select is(public.begin_feed_recheck(tests.id('four')), jsonb_build_object('feedUrl', 'https://feeds.example/a.xml', 'method', 'email_code', 'verificationToken', null, 'caller', tests.id('ola')), 'what the service reads');
select is(tests.said('select public.begin_feed_recheck(tests.id(''one''))'), 'PT400 NOT_APPLICABLE', 'of an import that was verified it reads nothing');
select matches(public.begin_feed_recheck(tests.id('five')) ->> 'verificationToken', '^castbase-verify-[0-9a-f-]{36}$', 'and what it looks for');
select tests.act_as('postgres');
create temp table token as select verification_token as token from public.podcast_imports where id = tests.id('five');
create function tests.recheck(name text, channel jsonb) returns text language sql as $$
  select tests.said(format('select private.finish_feed_recheck(tests.id(%L), %L, tests.id(''ola''))', name, channel)) $$;
create function tests.texts(variadic texts text[]) returns jsonb language sql as $$
  select jsonb_build_object('locked', true, 'verifyTexts', jsonb_agg(jsonb_build_object('text', t, 'purpose', 'verify'))) from unnest(texts) t $$;
select is(tests.recheck('five', channel), 'PT400 STILL_LOCKED', 'the feed is still locked: ' || channel::text)
from (values ('{"locked": true}'::jsonb), ('{"locked": true, "verifyTexts": null, "lockedOwner": "yes", "ownerEmail": ""}'), (tests.texts('castbase-verify-'))) v (channel)
union all select is(tests.recheck('five', tests.texts((select private.ownership_code_email(tests.id('four')) ->> 'x'), 'castbase-verify-00000000-0000-4000-8000-000000000000')), 'PT400 STILL_LOCKED', 'with another''s token');
select is(tests.row('five'), '(verification_required,feed_recheck,t,)', 'so the import stays');
select is(tests.recheck('five', tests.texts('x', token) || '{"ownerEmail": "jane@example.com"}'), 'preview', 'the token opens it') from token;
select is(tests.row('five'), '(preview,,t,)', 'before anybody is mailed, and the feed is still a locked one');
select is(tests.recheck('five', '{"locked": false}'), 'PT400 NOT_APPLICABLE', 'only once');
select tests.locked('six'), tests.locked('seven'), tests.locked('eight'), tests.locked('nine');
select is(tests.recheck('six', tests.texts((select verification_token from public.podcast_imports where id = tests.id('six'))) || '{"locked": false, "lockedOwner": "jane@example.com"}'), 'preview', 'an unlocked feed is open, whatever else it says');
select is(tests.row('six'), '(preview,,f,)', 'and is no locked one any more');
select is(tests.recheck('seven', '{"locked": null}'), 'preview', 'one that does not say so is not locked');
select tests.empty_queue('ownership_codes');
select is(tests.recheck('eight', '{"locked": true, "ownerEmail": "Joe@Mail.example"}'), 'verification_required', 'an address that appeared');
select is(tests.row('eight'), '(verification_required,email_code,t,j***@m***.example)', 'is asked instead');
select is((select array_agg(m) from tests.queued('ownership_codes') m), array[jsonb_build_object('type', 'ownership_code', 'import_id', tests.id('eight'))], 'by a mail with a code');
select is(private.ownership_code_email(tests.id('eight')) ->> 'to', 'joe@mail.example', 'to that address');
select is(tests.recheck('eight', '{"locked": true, "ownerEmail": "other@mail.example"}'), 'PT400 STILL_LOCKED', 'who has been mailed is not asked elsewhere');
select is(private.ownership_code_email(tests.id('eight')) ->> 'to', 'joe@mail.example', 'the address stays');
select is(tests.recheck('eight', tests.texts((select verification_token from public.podcast_imports where id = tests.id('eight')))), 'preview', 'the token still opens it');
select is((select count(*) from private.import_owner_verifications where import_id = tests.id('eight')), 0::bigint, 'and the address is forgotten');
select tests.locked('ten', 'jane@example.com');
select is(tests.recheck('ten', '{"locked": true, "lockedOwner": "jane@example.com"}'), 'PT400 STILL_LOCKED', 'a feed whose owner was mailed says nothing new');
select is(tests.recheck('ten', '{"locked": false}'), 'preview', 'until it is unlocked');

-- By address: whoever starts again, in another podcast, or finds it in the feed, gets no more of it
delete from private.rate_limits;
create function tests.turns() returns text language sql security definer as $$
  select string_agg(turn, ', ' order by turn) from (
    select case when key ~ 'emails_hourly' then 'address' else replace(replace(key, tests.id('ola')::text, 'ola'), tests.id('ana')::text, 'ana') end || ' ' || request_count as turn
    from private.rate_limits where key !~ 'resends|emails_daily|attempts') t $$;
select tests.person('ana'), tests.locked('c1', 'Mia@example.com'), tests.locked('c2', 'mia@example.com'), tests.locked('c3'), tests.locked('c4');
select tests.act_as('ola');
select is(tests.said(format('select private.resend_ownership_code(tests.id(%L), %L)', name, now())), 'verification_required', 'one of six mails to an address') from unnest('{c1,c2}'::text[]) name;
select tests.act_as('postgres');
select is(tests.said($$ select private.finish_feed_recheck(tests.id('c3'), '{"locked": true, "ownerEmail": "mia@example.com"}', tests.id('ana')) $$), 'verification_required', 'also one that appeared in the feed');
select is(tests.turns(), 'address 5, locked_feed_imports:ana 1, locked_feed_imports:ola 2', 'which whoever had it read is charged with');
select tests.locked('c5', 'mia@example.com');
select is(tests.said($$ select tests.locked('c6', 'mia@example.com') $$), format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 hour')), 'no import starts with a seventh');
select is(tests.recheck('c4', '{"locked": true, "ownerEmail": "mia@example.com"}'), format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 hour')), 'nor goes on with one');
select tests.act_as('ola');
select is(tests.said($$ select private.resend_ownership_code(tests.id('c1'), now() + interval '2 minutes') $$), format('PT429 RATE_LIMITED {"rate_limit_reset_at": "%s"}', private.format_timestamp(now() + interval '1 hour')), 'nor has one sent again');
select tests.act_as('postgres');
select is_empty($$ select from private.rate_limits where key ~* 'mia' $$, 'the address is counted and not named');
select tests.issue(name, '777777') from unnest('{c1,c2,c3,c5}'::text[]) name;
select tests.act_as('ola');
select is(tests.try(name, '000000'), '400 INVALID', 'twenty tries of its codes') from unnest('{c1,c2,c3,c5}'::text[]) name, generate_series(1, 5);
select tests.act_as('postgres');
delete from public.podcast_imports where id = tests.id('c5');
update private.rate_limits set request_count = 5 where key ~ '^ownership_code_emails_hourly';
select tests.locked('c7', 'mia@example.com'), tests.issue('c7', '777777');
select tests.act_as('ola');
select is(tests.try('c7', '777777'), '400 LOCKED_OUT', 'lock out a new import as well, and its right code');
select is(tests.try('c7', '777777', now() + interval '59 minutes'), '400 EXPIRED', 'for as long as that code lives');
select tests.act_as('postgres'), tests.issue('c7', '888888', now() + interval '1 hour'), tests.act_as('ola');
select is(tests.try('c7', '888888', now() + interval '1 hour'), 'preview', 'and an hour at most');
select tests.act_as('postgres');

-- Reading an import
select tests.import_item('b', 'nine', 'pending', '{"episodeNumber": 5, "description": "long", "content": "long", "summary": "long", "persons": ["long"], "transcripts": ["long"], "seasonNumber": 2, "episodeType": "full", "enclosure": {"url": "https://a.example/b.mp3"}}');
update public.podcast_import_items set created_at = created_at - interval '1 second' where guid = 'b';
select tests.import_item('c', 'nine', 'failed');
create function tests.got(name text) returns jsonb language sql as $$ select public.get_import(tests.id(name)) $$;
select tests.act_as('ola');
select set_eq('select jsonb_object_keys(tests.got(''nine''))', $$ select attname::text from pg_attribute where attrelid = 'public.podcast_imports'::regclass and attnum > 0 and not attisdropped union all select 'items' $$, 'an import is its row and its items');
select is(jsonb_path_query_array(tests.got('nine'), '$.items[*].guid'), '["b", "a", "c"]', 'in the order in which they were made, and of the feed');
select is(tests.got('nine') #> '{items,0,parsed_payload}', '{"episodeNumber": 5, "seasonNumber": 2, "episodeType": "full", "durationSeconds": null, "enclosure": {"url": "https://a.example/b.mp3"}}', 'with what a list shows of them');
select ok(tests.got('nine')::text !~ 'long', 'and nothing else of the feed');
select is(tests.got('nine') #>> '{items,2,error_message}', 'The source answered 500', 'with what went wrong');
select matches(tests.got('nine') ->> 'created_at', '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$', 'at times in UTC');
select is(tests.got('ten') ->> 'locked_owner_email', 'j***@e***.com', 'and the owner''s address masked');

select * from tests.finish();
rollback;
