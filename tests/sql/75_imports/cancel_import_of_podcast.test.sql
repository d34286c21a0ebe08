-- cancel_import_of_podcast: an import in flight ends when its podcast is pending deletion.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.set_plan('ola', 'pro');
-- The import's status after a change of the podcast's status
create function pg_temp.after(change public.podcast_status) returns text language plpgsql as $$
declare
  state text;
begin
  perform tests.set_status('show', change);
  state := tests.state_of('one');
  perform tests.set_status('show', 'active');
  return state;
end $$;
create function pg_temp.new_import(status public.import_status) returns void language plpgsql as $$
begin
  delete from public.podcast_imports;
  perform tests.import('one', 'show', status), tests.import_item('a', 'one');
end $$;

do $$ begin perform pg_temp.new_import('pending'); end $$;
select is(pg_temp.after('paused'), 'pending: 0/0/0 of 1', 'pausing a podcast keeps its pending import');
select is(pg_temp.after('pending_deletion'), 'canceled: 0/0/0 of 1',
  'deleting a podcast cancels an import whose feed is being read');
do $$ begin perform pg_temp.new_import('verification_required'); end $$;
select is(pg_temp.after('paused'), 'verification_required: 0/0/0 of 1',
  'pausing a podcast keeps its import that waits for a proof of ownership');
select is(pg_temp.after('pending_deletion'), 'canceled: 0/0/0 of 1',
  'deleting a podcast cancels an import that waits for a proof of ownership');
do $$ begin perform pg_temp.new_import('preview'); end $$;
select is(pg_temp.after('paused'), 'preview: 0/0/0 of 1', 'pausing a podcast keeps its import in preview');
select is(pg_temp.after('pending_deletion'), 'canceled: 0/0/0 of 1', 'deleting a podcast cancels an import in preview');
select is(tests.items_of('one'), 'a pending', 'deleting a podcast skips no item of an import in preview');

-- A running import: a is in transfer, b waits for a retry, c is enqueued
select tests.running_import(), tests.begin_item('a'), tests.begin_item('b');
select is(private.fail_job('import_items', tests.message_id_of('b'), 'status 503'), 'retry_scheduled',
  'fail_job schedules a retry of an item before its podcast is deleted');
select is(pg_temp.after('paused'), 'running: 0/0/0 of 3', 'pausing a podcast keeps its running import');
select is(pg_temp.after('pending_deletion'), 'canceled: 0/0/2 of 3', 'deleting a podcast cancels its running import');
select is(tests.items_of('one'), 'a processing, b skipped_canceled, c skipped_canceled',
  'deleting a podcast skips enqueued import items and those between two attempts');
select is((select array_agg(message ->> 'import_item_id') from pgmq.q_import_items), array[tests.id('a')::text],
  'deleting a podcast deletes the messages of waiting import items and keeps the one in transfer');
select is(tests.call_as_ana('resume_import'), '{"status": "running"}',
  'resume_import continues an import after its podcast''s deletion was canceled');
select is(pg_temp.after('pending_deletion'), 'canceled: 0/0/2 of 3', 'deleting a podcast cancels a resumed import');

-- The item in transfer
select tests.set_status('show', 'pending_deletion');
select is(tests.outcome_of(format($$ select private.finish_import_item(tests.id('a'), %L, 1000, 'audio/mpeg', 1) $$,
    tests.store_object(format('podcasts/%s/e/%s/audio/%s.mp3', tests.id('show'), tests.id('a'), gen_random_uuid())))),
  'PT409 PODCAST_PENDING_DELETION', 'finish_import_item creates no episode of a podcast pending deletion');
select is(private.begin_import_item(tests.id('a'), 2) ->> 'skip', 'skipped_canceled',
  'begin_import_item skips an item whose transfer was interrupted by the deletion');
select is(tests.state_of('one'), 'canceled: 0/0/3 of 3',
  'an import of a podcast pending deletion stays canceled when its last item closes');
select tests.set_status('show', 'active');

-- Imports that have finished
do $$ begin perform tests.failed_items(); end $$;
select is(pg_temp.after('pending_deletion'), 'partial: 1/2/0 of 3', 'deleting a podcast keeps an import that finished');

-- delete_podcast itself
do $$ begin perform pg_temp.new_import('running'); end $$;
select tests.act_as('ola');
select is(public.delete_podcast(tests.id('show'), 'show') ->> 'status', 'pending_deletion',
  'delete_podcast accepts a podcast whose import runs');
select tests.act_as('postgres');
select is(tests.state_of('one'), 'canceled: 0/0/1 of 1', 'delete_podcast cancels the running import');

select * from tests.finish();
rollback;
