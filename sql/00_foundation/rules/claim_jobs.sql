-- Claims of messages by the worker. Postgres plans dynamic SQL again for each call, which is half of a claim's cost. So
-- install_queue generates a function per queue, and a connection keeps its plans. They always use indexes: a plan that
-- was made for an empty queue would read all messages of a long one.
create function private.fair_key(message jsonb, member text) returns text
language plpgsql immutable security invoker parallel safe set search_path = ''
as $$
begin
  return coalesce(message ->> member, '');
end $$;
comment on function private.fair_key is
  'The value whose turn it can be: the message''s member that queues.fair_key names. Messages without it share one.';

create function private.generate_claim(_queue text, _fair_key text) returns void
language plpgsql volatile security invoker set search_path = ''
as $generate$
begin
  execute format($create$
create or replace function private.%3$I(
  max_jobs int, visibility_timeout_seconds int, at timestamptz, completed_ids bigint[], completed_attempts int[])
returns table (msg_id bigint, attempt int, message jsonb)
language plpgsql volatile security invoker
set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $claim$
declare
  policy     private.queues;
  has_turns  boolean := %4$L is not null;  -- keys with messages in process, and others that wait
  keys       text[];                       -- with messages in process
  in_process bigint[];                     -- by key
  places     int := max_jobs;
  ids        bigint[];
  crashed    bigint[];
begin
  select * into strict policy from private.queues q where q.name = %2$L;
  if cardinality(completed_ids) > 0 then
    delete from pgmq.%1$I d where d.msg_id = any (array(
      select q.msg_id from pgmq.%1$I q
      where q.msg_id = any (completed_ids)
        and q.read_ct = coalesce(completed_attempts[array_position(completed_ids, q.msg_id)], q.read_ct)
      order by q.msg_id  -- every caller locks them in this order
      for update));
  end if;
  if max_jobs = 0 or policy.is_paused then
    return;
  end if;

  if policy.max_concurrency is not null then  -- what follows waits for no lock
    perform pg_advisory_xact_lock(hashtextextended('queue-capacity/' || %2$L, 0));
  end if;
  if has_turns or policy.max_concurrency is not null then
    select array_agg(b.key), array_agg(b.in_process),
      least(max_jobs, policy.max_concurrency - coalesce(sum(b.in_process), 0))
    into keys, in_process, places
    from (
      select private.fair_key(q.message, %4$L) as key, count(*) as in_process from pgmq.%1$I q
      where private.message_state(q.read_ct, q.headers) = 'claimed' and q.vt > at
      group by 1) b;
    if places <= 0 then
      return;
    end if;
    has_turns := has_turns and (cardinality(keys) > 1 or cardinality(keys) = 1 and (
      -- two ranges of the index; neither holds what was deleted of the busy key
      exists (
        select from pgmq.%1$I q
        where private.message_state(q.read_ct, q.headers) = 'waiting'
          and private.fair_key(q.message, %4$L) < keys[1])
      or exists (
        select from pgmq.%1$I q
        where private.message_state(q.read_ct, q.headers) = 'waiting'
          and private.fair_key(q.message, %4$L) > keys[1])));
  end if;
  if has_turns then  -- most claims find keys that have no message in process
    ids := array(
      select l.msg_id
      from (
        select q.msg_id, private.fair_key(q.message, %4$L) as key from pgmq.%1$I q
        where q.vt <= at order by q.vt limit 1000) f
      cross join lateral (
        select q.msg_id from pgmq.%1$I q where q.msg_id = f.msg_id and q.vt <= at for update skip locked) l
      where f.key <> all (keys)
      limit places);
    if cardinality(ids) < places then  -- locks these again, and further ones
      ids := array(
        select l.msg_id
        from (
          select f.msg_id
          from (
            select q.msg_id, q.vt, private.fair_key(q.message, %4$L) as key from pgmq.%1$I q
            where q.vt <= at order by q.vt limit 1000) f
          left join unnest(keys, in_process) b (key, in_process) on b.key = f.key
          order by coalesce(b.in_process, 0), f.vt) f
        cross join lateral (
          select q.msg_id from pgmq.%1$I q where q.msg_id = f.msg_id and q.vt <= at for update skip locked) l
        limit places);
    end if;
  else
    ids := array(
      select q.msg_id from pgmq.%1$I q where q.vt <= at
      order by q.vt limit places  -- retries wait in line with new messages
      for update skip locked);
  end if;

  for %3$I.msg_id, %3$I.attempt, %3$I.message in
    update pgmq.%1$I q
    set vt = at + make_interval(secs => visibility_timeout_seconds), read_ct = q.read_ct + 1,
      headers = q.headers - 'waits_for'
    where q.msg_id = any (ids)
    returning q.msg_id, q.read_ct, q.message
  loop
    if %3$I.attempt > policy.max_attempts then
      crashed := crashed || %3$I.msg_id;
    else
      return next;
    end if;
  end loop;
  if cardinality(crashed) > 0 then
    perform private.fail_job(%2$L, c, 'The worker crashed on every attempt', at => at) from unnest(crashed) c;
    perform private.wake_worker_once(%2$L);  -- a consumer that gets nothing ends, although more may wait
  end if;
end $claim$$create$, 'q_' || _queue, _queue, 'claim_from_' || _queue, _fair_key);
  execute format('comment on function private.%I is %L', 'claim_from_' || _queue,
    format('claim_jobs for the queue %s. Generated by private.install().', _queue));
end $generate$;
comment on function private.generate_claim is 'Generates private.claim_from_<queue>, which claim_jobs calls.';

create function private.claim_jobs(
  _queue text, max_jobs int, visibility_timeout_seconds int, at timestamptz default clock_timestamp(),
  completed_ids bigint[] default '{}', completed_attempts int[] default null)
returns table (msg_id bigint, attempt int, message jsonb)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return query execute format('select * from private.%I($1, $2, $3, $4, $5)', 'claim_from_' || _queue)
    using max_jobs, visibility_timeout_seconds, at, completed_ids, completed_attempts;
end $$;
comment on function private.claim_jobs is
  'Claims up to max_jobs visible messages for the worker, those that have been visible for longest; none of a paused '
  'queue, and only as many as max_concurrency has left. With a fair_key, of the first 1,000 visible messages those of '
  'the keys with the fewest in process come first. First acknowledges what the worker completed before. A message that '
  'the worker neither completes nor fails becomes visible after the visibility timeout; after max_attempts it moves to '
  'the dead-letter queue.';

-- A claim of no messages only acknowledges.
create function private.acknowledge_jobs(_queue text, msg_ids bigint[], attempts int[] default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  execute format('select private.%I(0, 0, null, $1, $2)', 'claim_from_' || _queue) using msg_ids, attempts;
end $$;
grant execute on function private.acknowledge_jobs to service_role;
comment on function private.acknowledge_jobs is
  'Deletes messages that the worker completed. With attempts, messages that another attempt has claimed stay.';

create function private.extend_job_visibility(
  _queue text, _msg_id bigint, seconds int, _attempt int default null, at timestamptz default clock_timestamp())
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  is_extended boolean;
begin
  -- a message whose time is over may have lost its place to another one
  execute format($update$
    update pgmq.%I q set vt = $1
    where q.msg_id = $2 and q.read_ct = coalesce($3, q.read_ct)
      and private.message_state(q.read_ct, q.headers) = 'claimed'
      and (q.vt > $4 or exists (select from private.queues p where p.name = $5 and p.max_concurrency is null))
    returning true$update$, 'q_' || _queue)
    into is_extended using at + make_interval(secs => seconds), _msg_id, _attempt, at, _queue;
  return coalesce(is_extended, false);
end $$;
comment on function private.extend_job_visibility is
  'Extends the visibility timeout to `seconds` from `at`. False when the message was deleted, has failed or was '
  'claimed by another attempt, or when its timeout has ended in a queue with max_concurrency: the worker then stops.';
