-- Running: what the worker is told of an item, and where cancel, resume and the retries lead.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('sam');
create function tests.said(statement text) returns text language plpgsql as $$
declare hint text; detail text; answer text;
begin
  execute statement into answer; return answer;
exception when others then
  get stacked diagnostics hint = pg_exception_hint, detail = pg_exception_detail;
  return concat_ws(' ', sqlstate, nullif(hint, ''), nullif(detail, ''));
end $$;
create function tests.items(import text) returns text language sql security definer as $$
  select string_agg(guid || ' ' || status, ', ' order by position) from public.podcast_import_items where import_id = tests.id(import) $$;
create function tests.state(import text) returns text language sql security definer as $$
  select format('%s: %s/%s/%s of %s', status, completed_count, failed_count, skipped_count, total_items) from public.podcast_imports where id = tests.id(import) $$;
create function tests.verb(name text, item text default null) returns text language sql as $$
  select tests.said(format('select public.%I(tests.id(''one'')%s)', name, case when item is not null then ', ' || quote_literal(tests.id(item)) end)) from tests.act_as('ana') $$;
create function tests.fresh(status public.import_status default 'running') returns void language plpgsql security definer as $$
begin
  delete from public.podcast_imports; perform pgmq.purge_queue('import_items'), pgmq.purge_queue('import_items_dlq');
  perform tests.import('one', 'show', 'preview'), tests.import_item(g, 'one') from unnest('{a,b,c}'::text[]) g limit 1;
  perform tests.import_item(g, 'one') from unnest('{b,c}'::text[]) g;
  update public.podcast_imports i set status = 'running';
  perform private.dispatch_import(tests.id('one'));
end $$;
create function tests.begin(item text, msg bigint default null) returns text language sql as $$ select coalesce(private.begin_import_item(tests.id(item), 1, msg) ->> 'skip', 'go') $$;
create function tests.msg(item text, which text default 'last') returns bigint language sql as $$
  select case which when 'last' then max(msg_id) else min(msg_id) end from pgmq.q_import_items where message ->> 'import_item_id' = tests.id(item)::text $$;

-- Who
select tests.fresh();
select is(tests.result_of(who, format('select public.%I(tests.id(''one'')%s)', verb, case verb when 'retry_import_item' then ', tests.id(''a'')' end)), said, format('%s: %s by %s', said, verb, who))
from unnest('{cancel_import,resume_import,retry_failed_import_items,retry_import_item}'::text[]) verb,
  (values ('anon', '42501'), ('service', '42501'), ('sam', 'PT403'), ('vic', 'PT403')) v (who, said);
select is(tests.result_of('service', 'select private.' || call), '42501', 'only the worker''s own connection runs ' || call)
from unnest(array['begin_import_item(tests.id(''a''), 1)', 'finish_import_item(tests.id(''a''), ''x'', 1, ''x'', 1)', 'fail_import_item(tests.id(''a''), ''x'')', 'skip_import_item(tests.id(''a''))']) call;

-- The worker
select is(tests.begin('a'), 'go', 'a pending item is taken up');
select is(tests.begin('a'), 'go', 'and again after its worker died');
select is(private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/u', 6, 10, '"e"'), true, 'how far it came is kept');
select is(private.begin_import_item(tests.id('a'), 2) -> 'transfer', '{"path": "p/1", "contentType": "audio/mpeg", "uploadUrl": "https://s.example/u", "received": 6, "maxReceived": 6, "total": 10, "etag": "\"e\"", "storedBytes": null}', 'for the next run');
select private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/u', 10, 10, '"e"');
select is((select received from private.import_transfers), 10::bigint, 'as it goes on');
select private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/v', 6, 10, '"f"');
select is((private.begin_import_item(tests.id('a'), 2) -> 'transfer') - '{path,contentType,uploadUrl,total,storedBytes}'::text[], '{"received": 6, "maxReceived": 10, "etag": "\"f\""}', 'and the most that it ever had, after it began anew');
update public.podcast_import_items set status = 'pending' where id = tests.id('a');
select is(private.begin_import_item(tests.id('a'), 1) #> '{transfer,maxReceived}', '6', 'unless someone has it tried again');
select private.delete_import_transfer(tests.id('a'));
select is(private.begin_import_item(tests.id('a'), 2) -> 'transfer', 'null', 'or begins anew');
select is(private.save_import_transfer(tests.id('b'), 'p/2', 'audio/mpeg', null, 0, null, null), false, 'nothing is kept for an item that nobody is at');
select is(private.skip_import_item(tests.id('a'), error_message => 'Too big'), true, 'an item is skipped');
select is((select (status, error_message)::text from public.podcast_import_items where id = tests.id('a')), '(skipped_oversize,"Too big")', 'with its reason');
select is(private.fail_import_item(tests.id('a'), 'late'), false, 'what has ended does not fail');
select is(private.fail_import_item(tests.id('b'), 'The source answered 404', 'HTTP_ERROR'), true, 'one that failed');
select is((select (status, error_message, error_code)::text from public.podcast_import_items where id = tests.id('b')), '(failed,"The source answered 404",HTTP_ERROR)', 'says why');
select is(tests.begin('a') || ' ' || tests.begin('b'), 'skipped_oversize failed', 'neither is taken up again');
select is(private.begin_import_item(gen_random_uuid(), 1), '{"skip": "not_found"}', 'nor is one that is gone');
select is(tests.state('one'), 'running: 0/1/1 of 3', 'while one is left the import runs');
select private.add_import_item_warnings(tests.id('c'), '[{"code": "X", "message": "x"}]'), private.add_import_item_warnings(tests.id('c'), '[{"code": "X", "message": "x"}]');
select is((select warnings from public.podcast_import_items where id = tests.id('c')), '[{"code": "X", "message": "x"}]', 'what is to be said of an item is said once');
select private.add_import_item_warnings(tests.id('c'), '[{"code": "Y", "message": "y"}, {"code": "X", "message": "x2"}, {"code": "Y", "message": "y2"}, {"code": "A", "message": "a"}]');
select is((select warnings from public.podcast_import_items where id = tests.id('c')), '[{"code": "X", "message": "x"}, {"code": "Y", "message": "y"}, {"code": "A", "message": "a"}]', 'also beside what is new');
insert into public.episodes (podcast_id, guid, title) values (tests.id('show'), 'c', 'C');
select is(tests.begin('c'), 'skipped_duplicate', 'an episode that the podcast got meanwhile is not fetched');
select is(tests.state('one'), 'failed: 0/1/2 of 3', 'and the import has ended');
delete from public.episodes where guid = 'c';

-- Dead letters
select tests.fresh();
select is(private.fail_job('import_items', tests.msg('a'), 'The worker ended', is_permanent => true), 'dead_lettered', 'a message that is parked');
select is((select (status, error_message, error_code)::text from public.podcast_import_items where id = tests.id('a')), '(failed,"The worker ended",RETRIES_EXHAUSTED)', 'fails its item, with its reason');
update pgmq.q_import_items set read_ct = 6, vt = clock_timestamp() where msg_id = tests.msg('b');
select private.claim_jobs('import_items', 4, 60);
select is((select error_code from public.podcast_import_items where id = tests.id('b')), 'RETRIES_EXHAUSTED', 'so does one with which every worker died');
select is(tests.state('one'), 'running: 0/2/0 of 3', 'both count');
select lives_ok(format($$ select pgmq.send('import_items_dlq', %L) $$, m), 'a dead letter that is none of ours is parked all the same') from unnest(array['{}', '{"message": 1}', '{"message": {"import_item_id": "x"}}', jsonb_build_object('message', jsonb_build_object('import_item_id', gen_random_uuid()))::text]) m;
select tests.fresh();
create temp table past_msg as select tests.msg('a') as id;
update pgmq.q_import_items set read_ct = 6, vt = clock_timestamp() + interval '1 minute';
select ok(private.fail_import_item(tests.id('a'), 'The source answered 404', 'HTTP_ERROR', id), 'an item fails, and its worker dies before it says so to the queue') from past_msg;
select is(tests.verb('retry_import_item', 'a')::jsonb ->> 'status', 'pending', 'it is tried again'), tests.act_as('postgres');
select is(tests.begin('a', tests.msg('a')), 'go', 'and taken up');
update pgmq.q_import_items set vt = clock_timestamp() where msg_id = (select id from past_msg);
select is_empty($$ select from private.claim_jobs('import_items', 1, 60) $$, 'when the old message''s time is up it is parked');
select is((select (message ->> 'msg_id')::bigint from pgmq.q_import_items_dlq), id, 'as itself') from past_msg;
select is((select status from public.podcast_import_items where id = tests.id('a')), 'processing', 'which fails nothing that another message is at');
select ok(not private.fail_import_item(tests.id('a'), 'late', msg_id => id), 'nor does its worker, if it lives') from past_msg;
select ok(not private.skip_import_item(tests.id('a'), error_message => 'late', msg_id => id), 'which skips nothing either') from past_msg;
select is((select status from public.podcast_import_items where id = tests.id('a')), 'processing', 'the item is the live worker''s');
select ok(private.skip_import_item(tests.id('a'), error_message => 'big', msg_id => tests.msg('a')), 'who ends it');

-- Two attempts at one message: the first worker stood still beyond its lease
select tests.fresh();
update pgmq.q_import_items set read_ct = 2;
select is(tests.begin('a', tests.msg('a')), 'superseded', 'who was claimed before does not take up an item');
select is(private.begin_import_item(tests.id('a'), 2, tests.msg('a')) ->> 'skip', null, 'who was claimed last does');
select ok(not private.fail_import_item(tests.id('a'), 'late', msg_id => tests.msg('a'), attempt => 1), 'the first fails nothing of the second''s');
select ok(not private.skip_import_item(tests.id('a'), error_message => 'late', msg_id => tests.msg('a'), attempt => 1), 'nor skips it');
select ok(not private.save_import_transfer(tests.id('a'), 'p/1', 'audio/mpeg', 'https://s.example/u', 6, 10, '"e"', tests.msg('a'), 1), 'nor says how far it came');
select is_empty($$ select from private.import_transfers $$, 'which nobody keeps');
select ok(private.save_import_transfer(tests.id('a'), 'p/2', 'audio/mpeg', 'https://s.example/v', 6, 10, '"e"', tests.msg('a'), 2), 'the second says it');
select ok(private.fail_import_item(tests.id('a'), 'no', msg_id => tests.msg('a'), attempt => 2), 'and ends the item');

-- Two messages for one item
select tests.fresh();
create temp table first_msg as select tests.msg('a') as id;
select private.dispatch_import(tests.id('one'), tests.id('a'));
select is(tests.begin('a', id), 'superseded', 'of two messages for an item the older is for nothing') from first_msg;
select is(tests.begin('a', tests.msg('a')), 'go', 'the newer is taken up');
select is(tests.begin('a', id), 'superseded', 'also while that one is being worked on') from first_msg;
create temp table next_msg as select private.requeue_job('import_items', tests.msg('a')) as id;
select is(tests.begin('a', id), 'go', 'a job that goes on in another run has the item with its new message') from next_msg;
select is(tests.begin('a', (select id from first_msg)), 'superseded', 'the older is for nothing still');
select private.acknowledge_jobs('import_items', array[id]) from next_msg;
select is(tests.begin('a', (select id from first_msg)), 'go', 'until no other is left');

-- Cancel
select tests.fresh();
select tests.begin('a');
select is(tests.verb('cancel_import'), '{"status": "canceled"}', 'what runs is canceled');
select tests.act_as('postgres');
select ok((select finished_at is not null from public.podcast_imports), 'and has an end');
select is(tests.begin('a') || ' ' || tests.begin('b'), 'go skipped_canceled', 'what was begun is finished, what was not is acknowledged');
select is(tests.items('one') || '; ' || tests.state('one'), 'a processing, b skipped_canceled, c skipped_canceled; canceled: 0/0/2 of 3', 'and skipped');
select private.fail_import_item(tests.id('a'), 'x');
select tests.begin('c');
select is(tests.state('one'), 'canceled: 0/1/2 of 3', 'what is canceled stays so');

-- Resume
select tests.empty_queue('import_items');
select is(tests.verb('resume_import'), '{"status": "running"}', 'what had started goes on');
select tests.act_as('postgres');
select is(tests.items('one') || '; ' || tests.state('one'), 'a failed, b pending, c pending; running: 0/1/0 of 3', 'with what was not done');
select is((select count(*) from tests.queued('import_items')), 2::bigint, 'and a message for each');
select is((select finished_at from public.podcast_imports), null, 'its end is open again');
select is(tests.verb('resume_import'), 'PT409 INVALID_IMPORT_STATE', 'what runs is not resumed');
select tests.act_as('postgres');
select tests.begin('b');
create temp table old_msg as select tests.msg('c') as id;
select is(tests.verb('cancel_import'), '{"status": "canceled"}', 'canceled again'), tests.act_as('postgres');
select is(tests.verb('resume_import'), '{"status": "running"}', 'and resumed before its messages were met'), tests.act_as('postgres');
select is(tests.begin('c', id), 'superseded', 'the old ones are for nothing') from old_msg;
select is(tests.begin('c', tests.msg('c')), 'go', 'the new ones count');

select tests.fresh();
update public.podcast_imports set status = 'canceled';
update public.podcast_import_items set status = 'skipped_oversize';
select is(tests.verb('resume_import'), '{"status": "completed"}', 'with nothing left to do it ends at once'), tests.act_as('postgres');
delete from public.podcast_imports;
select tests.import('one', 'show'), tests.import_item('a', 'one');
select tests.verb('cancel_import'), tests.act_as('postgres');
select is(tests.verb('resume_import'), '{"status": "preview"}', 'what was never confirmed is in preview again'), tests.act_as('postgres');
select is((select count(*) from tests.queued('import_items') m where m ->> 'import_id' = tests.id('one')::text), 0::bigint, 'and dispatches nothing');
delete from public.podcast_imports;
select tests.import('one', 'show', 'verification_required'), tests.import_item('a', 'one');
select tests.verb('cancel_import'), tests.act_as('postgres');
select is(tests.verb('retry_failed_import_items'), 'PT409 INVALID_IMPORT_STATE', 'what was never confirmed is not retried'), tests.act_as('postgres');
select is(tests.verb('resume_import'), '{"status": "verification_required"}', 'a canceled proof of ownership is still owed'), tests.act_as('postgres');
delete from public.podcast_imports;
select tests.import('one', 'show', 'pending'), tests.import_item('a', 'one');
select tests.verb('cancel_import'), tests.act_as('postgres');
select is(tests.verb('resume_import'), 'PT409 INVALID_IMPORT_STATE', 'a feed that was not read to its end is not previewed'), tests.act_as('postgres');

-- Retry
create function tests.ended() returns void language plpgsql security definer as $$
begin
  perform tests.fresh();
  perform private.fail_import_item(tests.id('a'), 'x', 'HTTP_ERROR'), private.fail_import_item(tests.id('b'), 'x');
  update public.podcast_import_items set status = 'completed' where id = tests.id('c');
  perform pgmq.purge_queue('import_items');
end $$;
select tests.ended();
select is(tests.verb('retry_failed_import_items')::jsonb, '{"status": "running", "retriedCount": 2}', 'what failed is tried again'), tests.act_as('postgres');
select is(tests.items('one') || '; ' || tests.state('one'), 'a pending, b pending, c completed; running: 1/0/0 of 3', 'all of it, and is no failure meanwhile');
select is((select array_agg(distinct (error_message, error_code)::text) from public.podcast_import_items), '{"(,)"}', 'the reasons are gone');
select is((select count(*) from tests.queued('import_items')), 2::bigint, 'each has a message');
select is(tests.verb('retry_failed_import_items'), 'PT409 INVALID_IMPORT_STATE', 'what runs is not retried as a whole'), tests.act_as('postgres');
update public.podcast_import_items set status = 'completed' where import_id = tests.id('one');
select is(tests.verb('retry_failed_import_items'), 'PT409 INVALID_IMPORT_STATE', 'what is completed has nothing to retry'), tests.act_as('postgres');

select tests.ended();
select is(tests.verb('retry_import_item', 'b')::jsonb ->> 'status', 'pending', 'one item is tried again by itself'), tests.act_as('postgres');
select is(tests.items('one') || '; ' || tests.state('one'), 'a failed, b pending, c completed; running: 1/1/0 of 3', 'the other failed still');
select is((select array_agg(m ->> 'import_item_id') from tests.queued('import_items') m), array[tests.id('b')::text], 'one message is sent');
select is(tests.verb('retry_import_item', 'a')::jsonb ->> 'status', 'pending', 'also while the import runs'), tests.act_as('postgres');
select is((select count(*) from tests.queued('import_items')), 2::bigint, 'without a second message for the first');
select is(tests.verb('retry_import_item', 'a'), 'PT409 IMPORT_ITEM_NOT_FAILED', 'but not twice'), tests.act_as('postgres');
select is(tests.verb('retry_import_item', 'show'), 'PT404', 'nor what is not its item'), tests.act_as('postgres');
delete from public.podcast_imports;
select tests.import('one', 'show', 'preview'), tests.import_item('h', 'one', 'skipped_user_limit'), tests.import_item('f', 'one', 'failed');
update public.podcast_imports set status = 'running';
select is(tests.verb('retry_import_item', 'h'), 'PT409 IMPORT_ITEM_NOT_FAILED', 'what the limit holds is not retried'), tests.act_as('postgres');
select is(tests.state('one'), 'failed: 0/1/1 of 2', 'and nothing has changed');

select tests.fresh();
select private.fail_import_item(tests.id('a'), 'x'), tests.verb('cancel_import'), tests.act_as('postgres');
select tests.begin('b'), tests.empty_queue('import_items');
select is(tests.verb('retry_import_item', 'a'), 'PT409 INVALID_IMPORT_STATE', 'of a canceled import no item is retried alone'), tests.act_as('postgres');
select is(tests.verb('retry_failed_import_items')::jsonb, '{"status": "running", "retriedCount": 3}', 'as a whole it goes on with everything that is not done'), tests.act_as('postgres');
select is((select count(*) from tests.queued('import_items')), 3::bigint, 'failed, skipped and pending');

-- Items that were begun and whose message is gone
create function tests.stranded() returns void language plpgsql as $$
begin
  perform tests.fresh(), tests.begin('a'), tests.begin('b');
  delete from pgmq.q_import_items where msg_id = tests.msg('a');
  update public.podcast_import_items set status = 'completed' where id = tests.id('c');
  perform tests.verb('cancel_import'), tests.act_as('postgres');
end $$;
select tests.stranded();
select is(tests.verb('resume_import'), '{"status": "running"}', 'what was begun and has no message'), tests.act_as('postgres');
select is(tests.items('one'), 'a pending, b processing, c completed', 'waits anew when its import is resumed, and what has one goes on');
select is((select count(*) from pgmq.q_import_items where message ->> 'import_item_id' = tests.id(item)::text), 1::bigint, 'each has a message') from unnest('{a,b}'::text[]) item;
select tests.stranded();
select is(tests.verb('retry_failed_import_items')::jsonb, '{"status": "running", "retriedCount": 1}', 'so it does when it is retried, and is counted'), tests.act_as('postgres');
select is(tests.items('one'), 'a pending, b processing, c completed', 'alone');
select tests.stranded();
select private.requeue_job('import_items', tests.msg('b'));
select tests.verb('resume_import'), tests.act_as('postgres');
select is(tests.items('one'), 'a pending, b processing, c completed', 'a message that was sent anew is one');

-- A place that is taken
select tests.ended(), tests.import('two', 'show');
select is(tests.verb(v, i), format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('two')), v || ' while another import has the place'), tests.act_as('postgres')
from (values ('retry_failed_import_items', null), ('retry_import_item', 'a')) v (v, i);
update public.podcast_imports set status = 'canceled' where id = tests.id('two');
select is(tests.verb('retry_failed_import_items')::jsonb ->> 'status', 'running', 'once it is free, it is there'), tests.act_as('postgres');
select is(tests.said(format('select public.resume_import(%L)', tests.id('two'))), format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('one')), 'not for the other then') from tests.act_as('ana');
select tests.act_as('postgres');
update public.podcast_imports set status = 'canceled' where id = tests.id('one');
update public.podcast_imports set status = 'preview' where id = tests.id('two');
select is(tests.verb('resume_import'), format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('two')), 'nor for one that had started'), tests.act_as('postgres');

delete from public.podcast_import_items where import_id = tests.id('one') and status = 'pending';
select is(tests.verb('resume_import'), format('PT409 IMPORT_IN_FLIGHT {"importId": "%s"}', tests.id('two')), 'nor for one that would end at once'), tests.act_as('postgres');

-- A queue that takes nothing
create function tests.closed() returns trigger language plpgsql as $$ begin raise using errcode = coalesce(nullif(current_setting('tests.trouble', true), ''), '53100'), message = 'no'; end $$;
create function tests.close_queue(on_it text) returns void language plpgsql security definer as $$
begin
  execute case on_it when 'yes' then 'create trigger closed before insert on pgmq.q_import_items for each row execute function tests.closed()' else 'drop trigger closed on pgmq.q_import_items' end;
end $$;
select tests.ended(), tests.close_queue('yes');
create temp table was as select tests.items('one') as items, tests.state('one') as state;
select is(tests.verb(v, i)::jsonb ->> 'code', 'DISPATCH_FAILED', v || ' tells that its dispatch failed'), tests.act_as('postgres') from (values ('retry_failed_import_items', null), ('retry_import_item', 'a')) v (v, i);
select set_config('tests.trouble', '57014', true);
select is(tests.verb('retry_failed_import_items')::jsonb ->> 'code', 'DISPATCH_FAILED', 'also when the statement''s time is up'), tests.act_as('postgres');
select set_config('tests.trouble', '', true);
select results_eq($$ select tests.items('one'), tests.state('one') $$, 'select items, state from was', 'and everything is as it was');
select tests.close_queue('no'), tests.fresh(), tests.verb('cancel_import'), tests.act_as('postgres');
select tests.begin('a'), tests.close_queue('yes');
select is(tests.verb(v)::jsonb ->> 'code', 'DISPATCH_FAILED', v || ' of a canceled one tells so too'), tests.act_as('postgres') from unnest('{resume_import,retry_failed_import_items}'::text[]) v;
select is(tests.state('one') || ' ' || tests.items('one'), 'canceled: 0/0/3 of 3 a skipped_canceled, b skipped_canceled, c skipped_canceled', 'which is canceled still');
select tests.close_queue('no');

-- A podcast on its way out
select tests.fresh();
update public.podcasts set status = 'pending_deletion';
select is(tests.verb('cancel_import'), 'PT409 PODCAST_PENDING_DELETION', 'nothing moves there'), tests.act_as('postgres');
select is(tests.begin('a'), 'failed', 'nothing is fetched for it');
select is((select error_code from public.podcast_import_items where id = tests.id('a')), 'PODCAST_PENDING_DELETION', 'and the item says why');

select * from tests.finish();
rollback;
