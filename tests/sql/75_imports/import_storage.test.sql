-- import_storage: what the pending items of an import need, and how many of the newest fit.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.import('one', 'show');
select tests.import_item('a', 'one', payload => '{"enclosure": {"length": 3000}, "durationSeconds": 30}'),
  tests.import_item('b', 'one', payload => '{"enclosure": {"length": 1000}, "durationSeconds": null}'),
  tests.import_item('c', 'one', payload => '{"enclosure": {"length": null}, "durationSeconds": 60}'),
  tests.import_item('d', 'one', payload => '{"enclosure": {"length": 0}}'),
  tests.import_item('dup', 'one', 'skipped_duplicate', '{"enclosure": {"length": 7000}}');
update public.podcast_import_items set published_at = '2020-01-01Z'::timestamptz - position * interval '1 day';
create function pg_temp.storage() returns jsonb language sql as $$
  select private.import_storage(i) from public.podcast_imports i where i.id = tests.id('one') $$;

select is(pg_temp.storage() -> 'neededBytes', '12000',
  'import_storage estimates a size by the duration and the rate of the others, or else by their average');
select is(pg_temp.storage() -> 'itemsWithoutLength', '2', 'import_storage counts the pending items without a length');
select is(pg_temp.storage() -> 'freeBytes', to_jsonb(private.storage_allowance_bytes(tests.id('ola'))),
  'import_storage returns the whole allowance of an account that stores nothing');
select is(pg_temp.storage() -> 'newestThatFit', '4', 'import_storage says that all items fit');
update public.billing_accounts set storage_bytes_used = private.storage_allowance_bytes(user_id) - 4000
  where user_id = tests.id('ola');
select is(pg_temp.storage(), '{"neededBytes": 12000, "freeBytes": 4000, "itemsWithoutLength": 2, "newestThatFit": 2}',
  'import_storage counts the newest items that fit into the bytes left');
update public.billing_accounts set storage_bytes_used = private.storage_allowance_bytes(user_id) + 1
  where user_id = tests.id('ola');
select is(pg_temp.storage() -> 'freeBytes', '0', 'import_storage returns 0 free bytes for a full account');
update public.podcast_import_items set parsed_payload = jsonb_build_object(
  'enclosure', jsonb_build_object('length', private.max_audio_bytes() + 1)) where guid = 'a';
select is(pg_temp.storage() -> 'neededBytes', (
  select to_jsonb(1000 + 60 * 16000 + round((private.max_audio_bytes() + 1 + 1000) / 2.0))),
  'import_storage needs nothing for a file that is too large to be imported');
update public.podcast_import_items set status = 'skipped_user_limit' where status = 'pending';
select is(pg_temp.storage() - 'freeBytes', '{"neededBytes": 0, "itemsWithoutLength": 0, "newestThatFit": 0}',
  'import_storage needs nothing without pending items');

select * from tests.finish();
rollback;
