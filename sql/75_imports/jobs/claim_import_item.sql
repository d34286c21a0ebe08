-- The worker claims an item and begins it in the same transaction, which saves a round trip for each.
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

create function private.claim_import_item(
  visibility_timeout_seconds int, at timestamptz default clock_timestamp(), completed_id bigint default null,
  completed_attempt int default null)
returns table (msg_id bigint, attempt int, message jsonb, item jsonb)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  visible_at constant timestamptz := at + make_interval(secs => visibility_timeout_seconds);
  policy     private.queues;
  slots      int[];
begin
  -- As private.claim_jobs does with max_jobs 1, but with static statements: those of claim_jobs are planned for each
  -- claim, which takes longer than to run them.
  if completed_id is not null then
    delete from pgmq.q_import_items q where q.msg_id = completed_id
      and q.read_ct = coalesce(completed_attempt, q.read_ct);
    if found then
      update private.leases l set msg_id = null, expires_at = null
      where l.queue = 'import_items' and l.msg_id = completed_id;
    end if;
  end if;
  select * into strict policy from private.queues q where q.name = 'import_items';
  if policy.is_paused then
    return;
  end if;
  select q.msg_id into claim_import_item.msg_id from pgmq.q_import_items q where q.vt <= claim_import_item.at
  order by q.vt limit 1 for update skip locked;
  if not found then
    return;
  end if;
  if policy.max_concurrency is not null then
    slots := private.lock_free_leases('import_items', policy.max_concurrency, 1, claim_import_item.at);
    if slots = '{}' then
      return;
    end if;
  end if;
  update pgmq.q_import_items q set vt = visible_at, read_ct = q.read_ct + 1 where q.msg_id = claim_import_item.msg_id
  returning q.read_ct, q.message into claim_import_item.attempt, claim_import_item.message;
  if policy.max_concurrency is not null then
    perform private.grant_lease(
      'import_items', slots[1], claim_import_item.msg_id, claim_import_item.attempt, visible_at);
  end if;
  if claim_import_item.attempt > policy.max_attempts then
    perform private.fail_job('import_items', claim_import_item.msg_id, 'The worker crashed on every attempt');
    perform private.wake_worker_once('import_items');
    return;
  end if;
  item := private.try_begin_import_item(
    claim_import_item.message, claim_import_item.attempt, claim_import_item.msg_id);
  return next;
end $$;
comment on function private.claim_import_item is
  'Claims one message of import_items as claim_jobs does, after it acknowledged another, and begins its item. item is '
  'the result of begin_import_item; null when it could not begin: the worker then begins it, and handles the error.';
