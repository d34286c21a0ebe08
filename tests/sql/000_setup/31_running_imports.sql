-- A running import of three items, and what the tests of items, resume and retries ask of it. The podcast is 'show',
-- its owner ola, its admin ana.
create function tests.running_import() returns void language plpgsql security definer as $$
begin
  delete from public.podcast_imports;
  perform pgmq.purge_queue('import_items'), pgmq.purge_queue('import_items_dlq');
  perform tests.import('one', 'show', 'preview');
  perform tests.import_item('a', 'one'), tests.import_item('b', 'one'), tests.import_item('c', 'one');
  update public.podcast_imports i set status = 'running';
  perform private.dispatch_import(tests.id('one'), null, clock_timestamp());
end $$;
-- Items a and b have failed, c is completed.
create function tests.failed_items() returns void language plpgsql security definer as $$
begin
  perform tests.running_import();
  perform private.fail_import_item(tests.id('a'), 'x', 'HTTP_ERROR'), private.fail_import_item(tests.id('b'), 'x');
  update public.podcast_import_items set status = 'processing' where id = tests.id('c') and status = 'pending';
  update public.podcast_import_items set status = 'completed' where id = tests.id('c');
  perform pgmq.purge_queue('import_items');
end $$;
-- Canceled; item a is in progress without a message, b with one, c is completed.
create function tests.orphaned_item() returns void language plpgsql as $$
begin
  perform tests.running_import(), tests.begin_item('a'), tests.begin_item('b');
  delete from pgmq.q_import_items where msg_id = tests.message_id_of('a');
  update public.podcast_import_items set status = 'processing' where id = tests.id('c') and status = 'pending';
  update public.podcast_import_items set status = 'completed' where id = tests.id('c');
  perform tests.call_as_ana('cancel_import');
end $$;
create function tests.items_of(import text) returns text language sql security definer as $$
  select string_agg(guid || ' ' || status, ', ' order by position)
  from public.podcast_import_items where import_id = tests.id(import) $$;
create function tests.state_of(import text) returns text language sql security definer as $$
  select format('%s: %s/%s/%s of %s', status, completed_count, failed_count, skipped_count, total_items)
  from public.podcast_imports where id = tests.id(import) $$;
create function tests.begin_item(item text, msg bigint default null) returns text language sql as $$
  select coalesce(private.begin_import_item(tests.id(item), 1, msg) ->> 'skip', 'go') $$;
create function tests.message_id_of(item text, which text default 'last') returns bigint language sql as $$
  select case which when 'last' then max(msg_id) else min(msg_id) end from pgmq.q_import_items
  where message ->> 'import_item_id' = tests.id(item)::text $$;
-- The outcome of a public function of imports for ana.
create function tests.call_as_ana(name text, item text default null, import text default 'one') returns text
  language plpgsql as $$
declare
  outcome text;
begin
  perform tests.act_as('ana');
  outcome := tests.outcome_of(format('select public.%I(tests.id(%L)%s)', name, import,
    case when item is not null then ', ' || quote_literal(tests.id(item)) end));
  perform tests.act_as('postgres');
  return outcome;
end $$;
-- A queue that rejects messages, with the SQLSTATE of the setting tests.trouble.
create function tests.reject_message() returns trigger language plpgsql as $$
begin
  raise using errcode = coalesce(nullif(current_setting('tests.trouble', true), ''), '53100'), message = 'no';
end $$;
create function tests.close_queue() returns void language plpgsql security definer as $$
begin
  create trigger closed before insert on pgmq.q_import_items for each row execute function tests.reject_message();
end $$;
create function tests.open_queue() returns void language plpgsql security definer as $$
begin
  drop trigger closed on pgmq.q_import_items;
end $$;

select unnest(array['1..1', 'ok 1 - the factories of running imports are created']);  -- a TAP report, for pg_prove
