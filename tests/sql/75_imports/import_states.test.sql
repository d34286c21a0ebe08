-- Every function in every state: calls that the state does not allow are rejected and change nothing.
begin;
select tests.start();

select tests.podcast('show', 'ola');

-- An import in each state, with an item in each state. The tables of imports and queues are compared before and after.
create temp table states (state text, status public.import_status, method public.import_verification_method,
  started boolean);
insert into states values
  ('being read', 'pending', null, false), ('waiting for a code', 'verification_required', 'email_code', false),
  ('waiting for its feed', 'verification_required', 'feed_recheck', false),
  ('previewed', 'preview', null, false), ('running', 'running', null, true), ('completed', 'completed', null, true),
  ('partial', 'partial', null, true), ('failed', 'failed', null, true),
  ('not readable', 'failed', null, null), ('canceled while it was read', 'canceled', null, null),
  ('canceled unproved', 'canceled', 'feed_recheck', false), ('canceled in preview', 'canceled', null, false),
  ('canceled while it ran', 'canceled', null, true);
create temp table verbs (verb text, call text);
insert into verbs values
  ('start', 'public.start_import(tests.id(''show''), ''https://feeds.example/b.xml'')'),
  ('verify-ownership', 'public.verify_import_ownership(tests.id(''import''), ''123456'')'),
  ('recheck-feed', 'public.begin_feed_recheck(tests.id(''import''))'),
  ('recheck-feed, read', 'private.finish_feed_recheck(tests.id(''import''), ''{"locked": false}'', tests.id(''ola''))'),
  ('resend-code', 'public.resend_ownership_code(tests.id(''import''))'),
  ('confirm', 'public.confirm_import(tests.id(''import''))'),
  ('get', 'public.get_import(tests.id(''import''))'),
  ('cancel', 'public.cancel_import(tests.id(''import''))'),
  ('retry-failed', 'public.retry_failed_import_items(tests.id(''import''))'),
  ('item retry', 'public.retry_import_item(tests.id(''import''), tests.id(''failed''))'),
  ('resume', 'public.resume_import(tests.id(''import''))');

create function pg_temp.picture() returns text language sql as $$
  select jsonb_build_object(
    'imports', (select jsonb_agg(to_jsonb(i) order by i.id) from public.podcast_imports i),
    'items', (select jsonb_agg(to_jsonb(i) order by i.id) from public.podcast_import_items i),
    'owners', (select jsonb_agg(to_jsonb(o)) from private.import_owner_verifications o),
    'podcasts', (select jsonb_agg(to_jsonb(p)) from public.podcasts p),
    'messages', (select jsonb_agg(to_jsonb(m)) from private.import_item_messages m),
    'turns', (select jsonb_agg(to_jsonb(r)) from private.rate_limits r),
    'queued', (select jsonb_agg(q.message) from (select message from pgmq.q_import_items union all select message
      from pgmq.q_ownership_codes) q),
    'events', (select count(*) from private.events))::text $$;

create function pg_temp.made(import states) returns void language plpgsql as $$
begin
  delete from public.podcast_imports;
  if import.state = 'not readable' then
    perform tests.import('import', 'show', 'pending');
    perform tests.remember('failed', gen_random_uuid()) where not tests.exists('failed');
    perform private.fail_import_feed(tests.id('import'), 'The server responded with status 404', 'HTTP_ERROR');
    return;
  end if;
  perform tests.import('import', 'show', case when import.status in ('running', 'completed', 'partial',
    'failed') then 'canceled' else import.status end);
  perform tests.import_item(s::text, 'import', s) from unnest(enum_range(null::public.import_item_status)) s
  where case import.status when 'completed' then s not in ('pending', 'processing', 'failed')
  when 'partial' then s not in ('pending', 'processing')
    when 'failed' then s not in ('pending', 'processing', 'completed') else true end;
  perform tests.remember('failed', gen_random_uuid()) where not tests.exists('failed');
  update public.podcast_imports i set verification_method = import.method, locked_owner_email = 'j***@e***.com',
    verification_token = 'castbase-verify-' || i.id,
    staged_at = case when import.status <> 'pending' and import.started is not null then now() end,
    started_at = case when import.started then now() end;
  if import.status in ('running', 'completed', 'partial', 'failed') then
    update public.podcast_imports set status = 'running';  -- finishes at once without open items
  end if;
  if import.method = 'email_code' then
    insert into private.import_owner_verifications (import_id, owner_email, code_key, code_hash, code_expires_at,
      issued_at)
    values (tests.id('import'), 'jane@example.com', sha256('key'), sha256(sha256('key') || '123456'::bytea),
      now() + interval '15 minutes', now());
  end if;
  perform tests.empty_queue('import_items'), tests.empty_queue('ownership_codes');
end $$;

-- The result of each call: the new status or the error, and whether anything changed.
create temp table trials (verb text, state text, outcome text, changed boolean);
create function pg_temp.try(verb text, call text, import states) returns void language plpgsql as $$
declare
  before  text;
  after   text;
  outcome text;
  hint    text;
begin
  perform pg_temp.made(import);
  if (select i.status from public.podcast_imports i) <> import.status then
    raise sqlstate 'XX998' using message = format('The import should be %s', import.status);
  end if;
  before := pg_temp.picture();
  begin
    perform tests.act_as('ola') where call ~ '^public';
    execute 'select ' || call;
    perform tests.act_as('postgres');
    outcome := (select string_agg(i.status::text, ', ' order by i.id = tests.id('import') desc)
      from public.podcast_imports i);
  exception when others then
    get stacked diagnostics hint = pg_exception_hint;
    outcome := concat_ws(' ', sqlstate, nullif(hint, ''));
    perform tests.act_as('postgres');
  end;
  after := pg_temp.picture();
  insert into trials values (verb, import.state, outcome, before <> after);
end $$;
select pg_temp.try(v.verb, v.call, s) from states s, verbs v;

-- The allowed calls and their results; every other call returns the error of its function.
create temp table allowed (verb text, state text, outcome text);
insert into allowed
select 'start', state, status || ', pending' from states where status in ('completed', 'partial', 'failed', 'canceled')
union all select 'get', state, status::text from states
union all select 'cancel', state, 'canceled' from states
where status in ('pending', 'verification_required', 'preview', 'running')
union all values
  ('verify-ownership', 'waiting for a code', 'preview'),
  ('recheck-feed', 'waiting for a code', 'verification_required'),
  ('recheck-feed', 'waiting for its feed', 'verification_required'),
  ('recheck-feed, read', 'waiting for a code', 'preview'), ('recheck-feed, read', 'waiting for its feed', 'preview'),
  ('resend-code', 'waiting for a code', 'verification_required'),
  ('confirm', 'previewed', 'running'),
  ('retry-failed', 'partial', 'running'), ('retry-failed', 'failed', 'running'),
  ('retry-failed', 'canceled while it ran', 'running'),
  ('item retry', 'partial', 'running'), ('item retry', 'failed', 'running'), ('item retry', 'running', 'running'),
  ('resume', 'canceled unproved', 'verification_required'), ('resume', 'canceled in preview', 'preview'),
  ('resume', 'canceled while it ran', 'running');
create temp table refusals (verb text, outcome text);
insert into refusals values ('start', 'PT409 IMPORT_IN_FLIGHT'), ('verify-ownership', 'PT409 INVALID_IMPORT_STATE'),
  ('recheck-feed', 'PT400 NOT_APPLICABLE'), ('recheck-feed, read', 'PT400 NOT_APPLICABLE'),
  ('resend-code', 'PT409 INVALID_IMPORT_STATE'), ('confirm', 'PT400 NOT_IN_PREVIEW'),
  ('cancel', 'PT409 INVALID_IMPORT_STATE'), ('retry-failed', 'PT409 INVALID_IMPORT_STATE'),
  ('item retry', 'PT409 INVALID_IMPORT_STATE'), ('resume', 'PT409 INVALID_IMPORT_STATE');
-- a completed import has no failed item
insert into allowed values ('item retry', 'completed', 'PT404'), ('item retry', 'not readable', 'PT404');
delete from allowed where (verb, state) = ('retry-failed', 'not readable');
select is(t.outcome, coalesce(a.outcome, r.outcome),
  format('%s of an import %s returns %s', t.verb, t.state, coalesce(a.outcome, r.outcome)))
from trials t left join allowed a using (verb, state) left join refusals r using (verb);
select is(t.changed, t.outcome !~ '^PT' and t.verb <> 'get',
  format('%s of an import %s changes rows only when it succeeds', t.verb, t.state))
from trials t;
select is((select count(*) from trials), 13 * 11::bigint, 'the trials cover every state and every function');
select is((select count(distinct status) from states),
  (select count(*) from unnest(enum_range(null::public.import_status))), 'the states cover every import status');

-- An item's retry, by the item's state
create temp table item_trials (status public.import_item_status, outcome text, changed boolean);
create function pg_temp.retry(item public.import_item_status) returns void language plpgsql as $$
declare
  before  text;
  outcome text;
  hint    text;
begin
  perform pg_temp.made(s) from states s where s.state = 'running';
  before := pg_temp.picture();
  begin
    perform tests.act_as('ola'), public.retry_import_item(tests.id('import'), tests.id(item::text)),
      tests.act_as('postgres');
    outcome := (select format('%s, failed %s', i.status, m.failed_count) from public.podcast_import_items i
      join public.podcast_imports m on m.id = i.import_id where i.id = tests.id(item::text));
  exception when others then
    get stacked diagnostics hint = pg_exception_hint;
    outcome := concat_ws(' ', sqlstate, nullif(hint, ''));
    perform tests.act_as('postgres');
  end;
  insert into item_trials values (item, outcome, pg_temp.picture() <> before);
end $$;
select pg_temp.retry(s) from unnest(enum_range(null::public.import_item_status)) s;
select is(t.outcome || t.changed, case t.status when 'failed' then 'pending, failed 0true'
  else 'PT409 IMPORT_ITEM_NOT_FAILEDfalse' end, format('retry_import_item accepts failed items only: one that is %s',
    t.status))
from item_trials t;
select is((select count(*) from item_trials),
  (select count(*) from unnest(enum_range(null::public.import_item_status))), 'the trials cover every item status');

-- A hosting migration
create function pg_temp.migration(call text, state text) returns text language plpgsql as $$
declare
  outcome text := 'ok';
  hint    text;
  before  text;
begin
  perform pg_temp.made(s) from states s where s.state = migration.state;
  update public.podcast_imports set is_hosting_migration = true;
  before := pg_temp.picture();
  begin
    perform tests.act_as('ola');
    execute 'select ' || call;
  exception when others then
    get stacked diagnostics hint = pg_exception_hint;
    outcome := concat_ws(' ', sqlstate, hint);
  end;
  perform tests.act_as('postgres');
  return outcome || case when pg_temp.picture() <> before then ', changed' else '' end;
end $$;
create temp table migrations as
  select v.verb, s.state, s.status, pg_temp.migration(v.call, s.state) as outcome from verbs v, states s
  where v.verb in ('confirm', 'retry-failed', 'item retry', 'resume', 'cancel', 'get');
select is(outcome, case when verb = 'get' then 'ok' when verb <> 'cancel' then 'PT409 MANAGED_BY_HOSTING_MIGRATION'
  when status in ('pending', 'verification_required', 'preview', 'running') then 'ok, changed'
  else 'PT409 INVALID_IMPORT_STATE' end, format('%s of a hosting migration %s', verb, state)) from migrations;
select is((select count(*) from migrations), 13 * 6::bigint, 'the trials cover hosting migrations in every state');

-- Beside another import in flight nothing runs again
create function pg_temp.beside(call text, state text) returns text language plpgsql as $$
declare
  outcome text := 'ok';
  detail  text;
  hint    text;
  before  text;
begin
  perform pg_temp.made(s) from states s where s.state = beside.state;
  insert into public.podcast_imports (podcast_id, feed_url)
    values (tests.id('show'), 'https://feeds.example/other.xml');
  before := pg_temp.picture();
  begin
    perform tests.act_as('ola');
    execute 'select ' || call;
  exception when others then
    get stacked diagnostics detail = pg_exception_detail, hint = pg_exception_hint;
    outcome := concat_ws(' ', sqlstate, hint, case detail::jsonb ->> 'importId'
      when (select id::text from public.podcast_imports where feed_url ~ 'other') then 'its id' end);
  end;
  perform tests.act_as('postgres');
  return outcome || case when pg_temp.picture() <> before then ', changed' else '' end;
end $$;
create temp table beside_in_flight as
  select v.verb, s.state, pg_temp.beside(v.call, s.state) as outcome from verbs v join allowed a using (verb)
  join states s using (state)
  where v.verb in ('retry-failed', 'item retry', 'resume', 'start') and a.outcome !~ '^PT'
  and s.status in ('partial', 'failed', 'canceled');
select is(outcome, 'PT409 IMPORT_IN_FLIGHT its id', format('%s of an import %s returns 409 beside one in flight', verb,
  state))
from beside_in_flight;
select is((select string_agg(verb || ' ' || count, ', ' order by verb collate "C")
  from (select verb, count(*) from beside_in_flight group by 1) n), 'item retry 2, resume 3, retry-failed 3, start 7',
  'the trials beside an import in flight cover every state that allows the call without one');

select * from tests.finish();
rollback;
