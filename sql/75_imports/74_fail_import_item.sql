-- Items that do not become episodes: the worker says so, or nobody lived to say it.
create function private.skip_import_item(import_item_id uuid, status public.import_item_status default 'skipped_oversize', reason text default null)
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.end_import_item(private.hold_import_item(skip_import_item.import_item_id), skip_import_item.status, skip_import_item.reason);
end $$;
comment on function private.skip_import_item is 'The item is left out, for a reason that no further attempt would change. False when it had ended.';
revoke all on function private.skip_import_item from public, anon, authenticated, service_role;

create function private.fail_import_item(import_item_id uuid, error text, code text default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.end_import_item(private.hold_import_item(fail_import_item.import_item_id), 'failed',
    coalesce(nullif(fail_import_item.error, ''), 'Nobody said why'), fail_import_item.code);
end $$;
comment on function private.fail_import_item is 'The item failed for good; a podcaster may have it tried again. False when it had ended.';
revoke all on function private.fail_import_item from public, anon, authenticated, service_role;

-- However a message is parked, its item says so; a trigger, so that nothing that parks has to know of imports.
-- private.install() puts it on the dead-letter queue.
create function private.fail_dead_import_item() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if pg_input_is_valid(new.message #>> '{message,import_item_id}', 'uuid') then
    perform private.fail_import_item((new.message #>> '{message,import_item_id}')::uuid, new.message ->> 'error', 'RETRIES_EXHAUSTED');
  end if;
  return null;
end $$;
revoke all on function private.fail_dead_import_item from public, anon, authenticated, service_role;
