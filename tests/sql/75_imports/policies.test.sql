-- Access to the tables and functions of imports by role.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('other', 'otto');
select tests.import('one', 'show', 'verification_required'), tests.import_item('a', 'one');
insert into public.podcast_import_channels (import_id, podcast_id, fields, losses)
  values (tests.id('one'), tests.id('show'), '{"title": "Night Trains"}', '[]');
insert into private.import_owner_verifications (import_id, owner_email, code_key)
  values (tests.id('one'), 'jane@example.com', sha256('x'));

select is(tests.result_of(who, 'select from public.' || name), expected,
  format('select from %2$s as %1$s returns %3$s', who, name, expected))
from unnest(array['podcast_imports', 'podcast_import_items', 'podcast_import_item_texts', 'podcast_import_channels'])
  name,
  (values ('ola', 'ok 1'), ('ana', 'ok 1'), ('service', 'ok 1'), ('vic', 'ok 0'), ('otto', 'ok 0'),
    ('stranger', 'ok 0'), ('anon', '42501')) v (who, expected);
select is_empty($$ select from public.podcast_imports i, public.podcast_import_items t
  where (i::text || t::text) ~* 'jane@' $$, 'rows that realtime sends do not contain the owner''s email');

-- Every function requires an admin. podcast_statuses.test.sql tries those that write in every status.
create temp table verbs (call text);
grant select on verbs to anon, authenticated, service_role;
insert into verbs values ($$ start_import(tests.id('show'), 'https://feeds.example/a.xml') $$),
  ($$ verify_import_ownership(tests.id('one'), '123456') $$),
  ($$ begin_feed_recheck(tests.id('one')) $$), ($$ resend_ownership_code(tests.id('one')) $$),
  ($$ get_import(tests.id('one')) $$);
select is(tests.result_of(who, 'select public.' || call), expected, format('%2$s as %1$s returns %3$s', who, call,
  expected))
from verbs, (values ('vic', 'PT403'), ('otto', 'PT403'), ('stranger', 'PT403'), ('anon', '42501'),
  ('service', '42501')) v (who, expected);
select is(tests.result_of('ola', 'select public.' || replace(replace(call, '''one''', '''none'''), '''show''',
  '''none''')), 'PT404', 'a function of imports returns 404 for an unknown id: ' || call)
from verbs, tests.remember('none', gen_random_uuid());
select is(tests.result_of('vic', 'select private.' || call), 'PT403',
  'a private function of imports returns 403 to a member: ' || call)
from unnest(array['start_import(tests.id(''show''), ''https://feeds.example/a.xml'')',
  'verify_import_ownership(tests.id(''one''), ''123456'')',
  'begin_feed_recheck(tests.id(''one''))', 'resend_ownership_code(tests.id(''one''))',
  'get_import(tests.id(''one''))']) call;

select tests.set_status('show', 'pending_deletion');
select tests.act_as('ola');
select is(tests.error_of($$ select public.get_import(tests.id('one')) $$), 'none',
  'get_import returns an import of a podcast pending deletion');
select tests.act_as('postgres');
select is(tests.error_of($$ select private.finish_feed_recheck(tests.id('one'), '{"locked": false}',
  tests.id('ola')) $$),
  'PT409 PODCAST_PENDING_DELETION', 'finish_feed_recheck returns 409 for a podcast pending deletion');
update public.podcast_imports set status = 'canceled' where id = tests.id('one');
select tests.set_status('show', 'active'), tests.import('read', 'show', 'pending');
select private.stage_import_items(tests.id('read'), '[{"guid": "a", "position": 0}]');
select tests.set_status('show', 'pending_deletion');
select is(tests.error_of(statement), 'PT409 PODCAST_PENDING_DELETION',
  'a staging function returns 409 for a podcast pending deletion: ' || statement)
from unnest(array[$$ select private.stage_import_items(tests.id('read'), '[{"guid": "b", "position": 1}]') $$,
  $$ select private.finish_staging(tests.id('read'), '{}', '{}', '[]') $$]) statement;
select is(private.discard_staging(tests.id('read')), false,
  'discard_staging keeps an import that its podcast''s deletion canceled');

select * from tests.finish();
rollback;
