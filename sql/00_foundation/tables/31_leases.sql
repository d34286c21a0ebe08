-- Leases: a message of a queue with max_concurrency has one while a worker processes it, so that the limit holds over
-- all workers. The lease ends with the message's visibility timeout: a worker that died blocks the queue no longer than
-- that. A queue has rows for the leases that it ever granted at once, because rows that are updated in place stay few.
create table private.leases (
  queue      text not null references private.queues on delete cascade,
  slot       int not null,  -- from 1 to max_concurrency
  msg_id     bigint,        -- null: free
  expires_at timestamptz,   -- in the past: free
  fair_key   text,          -- value of the message's member queues.fair_key
  primary key (queue, slot),
  constraint message_has_expiry check (num_nulls(msg_id, expires_at) in (0, 2))
) with (fillfactor = 50);
comment on table private.leases is
  'The messages in process, of queues with max_concurrency. lock_free_leases adds missing rows.';
alter table private.leases enable row level security;
-- No policy, no grant.

create function private.end_leases(_queue text, _msg_ids bigint[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.leases l set msg_id = null, expires_at = null, fair_key = null
  where l.queue = _queue and l.slot in (
    select e.slot from private.leases e
    where e.queue = _queue and e.msg_id = any (_msg_ids)
    for update skip locked);  -- a claim has locked an expired one, and grants it
end $$;
comment on function private.end_leases is 'Frees the leases of locked messages.';

create function private.lock_free_leases(_queue text, _max_concurrency int, max_leases int, at timestamptz)
returns int[]
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  slots        int[];
  missing      int[];
  has_all_rows boolean := false;
begin
  loop
    slots := array(
      select l.slot from private.leases l
      where l.queue = _queue and l.slot <= _max_concurrency
        and (l.msg_id is null or l.expires_at <= at)
      order by l.slot limit max_leases
      for update skip locked);  -- another transaction grants, extends or ends a locked one
    exit when cardinality(slots) = max_leases or has_all_rows;
    missing := array(  -- some more, because claims wait for another that adds the same
      select n from generate_series(1, _max_concurrency) n
      except select l.slot from private.leases l where l.queue = _queue
      order by 1 limit greatest(16, max_leases - cardinality(slots)));
    insert into private.leases (queue, slot) select _queue, n from unnest(missing) n
    on conflict on constraint leases_pkey do nothing;
    has_all_rows := missing = '{}';
  end loop;
  return slots;
end $$;
comment on function private.lock_free_leases is
  'Locks free leases of a queue and returns their slots, at most max_leases. A claim locks messages before leases, and '
  'grants all that it locks: it makes no other claim skip a lease that stays free. A lease that a dead letter frees at '
  'once is the exception, after which the claim wakes the worker.';

create function private.grant_leases(
  _queue text, slots int[], msg_ids bigint[], attempts int[], fair_keys text[], _expires_at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if 1 < any (attempts) then
    perform private.end_leases(_queue, msg_ids);  -- of a worker that lost its message
  end if;
  update private.leases l set msg_id = g.msg_id, fair_key = g.fair_key, expires_at = _expires_at
  from unnest(slots, msg_ids, fair_keys) g (slot, msg_id, fair_key)
  where l.queue = _queue and l.slot = g.slot;
end $$;
comment on function private.grant_leases is 'Grants locked leases to claimed messages, one each.';
