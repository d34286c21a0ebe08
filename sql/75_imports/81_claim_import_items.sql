-- The worker claims items and begins them in the same transaction, which saves a round trip for each.
create function private.try_begin_import_item(message jsonb, attempt int, msg_id bigint) returns jsonb
language plpgsql volatile security invoker set search_path = ''
set lock_timeout = '200ms'  -- gives way to a transaction that needs the claimed message
as $$
begin
  return private.begin_import_item((message ->> 'import_item_id')::uuid, attempt, msg_id);
exception
  when lock_not_available or serialization_failure or deadlock_detected then
    return null;
  when others then
    raise log 'castbase: the claim of message % could not begin its item: % (%)', msg_id, sqlerrm, sqlstate;
    return null;
end $$;
comment on function private.try_begin_import_item is
  'Begins the item of a message as begin_import_item does; null when that fails or waits.';

create function private.claim_import_items(
  max_jobs int, visibility_timeout_seconds int, at timestamptz default clock_timestamp(),
  completed_ids bigint[] default '{}', completed_attempts int[] default null)
returns table (msg_id bigint, attempt int, message jsonb, item jsonb)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  for msg_id, attempt, message in
    select * from private.claim_jobs('import_items', max_jobs, visibility_timeout_seconds, claim_import_items.at,
      claim_import_items.completed_ids, claim_import_items.completed_attempts)
  loop
    item := private.try_begin_import_item(message, attempt, msg_id);
    return next;
  end loop;
end $$;
comment on function private.claim_import_items is
  'Claims messages of import_items as claim_jobs does, and begins their items. item is the result of '
  'begin_import_item; null when it could not begin: the worker then begins it, and handles the error.';
