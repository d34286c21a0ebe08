-- Queues: work that leaves the database is a pgmq message, written by the transaction that needs it. The worker
-- processes and retries the message, or moves it to the dead-letter queue <queue>_dlq with its last error.
create table private.queues (
  name            text primary key,
  max_attempts    int not null,
  backoff_base    interval not null,   -- doubled with every attempt, with jitter
  backoff_max     interval not null,
  description     text not null,
  is_paused       boolean not null default false,  -- its messages wait: an operator set it, or no job reads them yet
  max_concurrency int,                             -- messages in process at once, over all workers; null: unlimited
  fair_key        text,                            -- member of its messages whose values take turns; null: none
  constraint max_concurrency_is_positive check (max_concurrency > 0),
  constraint fair_key_has_max_concurrency check (fair_key is null or max_concurrency is not null),  -- leases count
  constraint max_attempts_in_range check (max_attempts between 1 and 100),
  constraint backoff_base_not_above_max check (backoff_base > interval '0' and backoff_base <= backoff_max)
);
comment on table private.queues is
  'The retry policy of each queue. private.install() writes the rows and creates the queues.';
alter table private.queues enable row level security;
-- No policy, no grant.

create function private.wake_worker(queue text default null) returns boolean
language plpgsql security definer  -- reads the secret, sends the request
set search_path = ''
as $$
declare
  secret text;
begin
  select decrypted_secret into secret from vault.decrypted_secrets where name = 'worker_secret';
  if secret is null then
    raise log 'castbase: worker_secret is missing from Vault; worker not woken';
    return false;
  end if;
  perform net.http_post(
    url := private.get_setting('worker_url'),
    body := jsonb_build_object('queue', queue),
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret));
  return true;
end $$;
grant execute on function private.wake_worker to service_role;
comment on function private.wake_worker is
  'Asks the worker to drain one queue, or all. pg_net sends the request after the transaction commits.';

create function private.leave_waking_to_cron(is_left boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('castbase.leaves_waking_to_cron', case when is_left then 'yes' else '' end, true);
end $$;
comment on function private.leave_waking_to_cron is
  'Decides whether the rest of the transaction leaves it to cron to wake the worker for what it enqueues.';

create function private.wake_worker_once(_queue text) returns void
language plpgsql volatile security definer  -- callers may not read private.queues
set search_path = ''
as $$
declare
  flag text := 'castbase.worker_woken_' || _queue;
begin
  if coalesce(current_setting(flag, true), '') = ''
     and not exists (select from private.queues q where q.name = _queue and q.is_paused) then
    perform set_config(flag, 'yes', true);
    perform private.wake_worker(_queue);
  end if;
end $$;
comment on function private.wake_worker_once is
  'Wakes the worker for a queue that is not paused, at most once per transaction.';

-- Queue functions default to clock_timestamp(), because pgmq dates messages by it.
create function private.enqueue(
  _queue text, message jsonb, delay_seconds int default 0, at timestamptz default clock_timestamp())
returns bigint
language plpgsql security definer  -- callers have no grant on the queues
set search_path = ''
as $$
declare
  id bigint;
begin
  -- as pgmq.send, which is a set-returning function around the same statement
  execute format('insert into pgmq.%I (vt, message) values ($1, $2) returning msg_id', 'q_' || _queue)
    into id using at + make_interval(secs => delay_seconds), message;
  if delay_seconds = 0 and coalesce(current_setting('castbase.leaves_waking_to_cron', true), '') = '' then
    perform private.wake_worker_once(_queue);
  end if;
  return id;
end $$;
comment on function private.enqueue is
  'Writes a message in the caller''s transaction and wakes the worker, at most once per transaction and queue, unless '
  'the transaction leaves it to cron or the message is delayed.';

create function private.enqueue_unless_waiting(
  _queue text, _messages jsonb[], _delay_seconds int, at timestamptz default clock_timestamp(),
  min_wait_seconds int default null)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  locked  bigint[];
  waiting bigint[];
  joined  jsonb[];
begin
  -- a locked message is not claimed before this transaction ends, so that its run sees the change
  execute format('select array(
      select q.msg_id from pgmq.%I q
      where q.message = any ($1) and (q.read_ct > 0 or $2 is null or q.vt >= $2) for update skip locked)',
    'q_' || _queue)
    into locked using _messages, at + make_interval(secs => min_wait_seconds);
  -- a message in process has a lease; a statement of its own sees those of claims that ended before the lock
  waiting := array(
    select own.msg_id from unnest(locked) own (msg_id)
    where own.msg_id not in (
      select l.msg_id from private.leases l
      where l.queue = _queue and l.expires_at > at));
  execute format('select array(select q.message from pgmq.%I q where q.msg_id = any ($1) and q.read_ct = 0)',
    'q_' || _queue) into joined using waiting;
  -- failed ones: the new message has all attempts
  execute format('delete from pgmq.%I q where q.msg_id = any ($1) and q.message <> all ($2)',
    'q_' || _queue) using waiting, joined;
  perform private.enqueue(_queue, m, _delay_seconds, at)
  from unnest(_messages) m where m not in (select j from unnest(joined) j);  -- hashed
end $$;
comment on function private.enqueue_unless_waiting is
  'Enqueues those of the messages, which are distinct, of which no equal one waits for its first attempt. Replaces '
  'equal ones that wait for another attempt. With min_wait_seconds, a message that is due sooner does not count. The '
  'queue must have max_concurrency, because leases tell what is in process, and an index on message.';

create function private.wake_worker_if_pending() returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  queue text;
  woken int := 0;
begin
  for queue in
    select q.name from private.queues q cross join lateral pgmq.metrics(q.name) m
    where not q.is_paused and m.queue_visible_length > 0
  loop
    woken := woken + private.wake_worker(queue)::int;
  end loop;
  return woken;
end $$;
comment on function private.wake_worker_if_pending is
  'Wakes the worker for each queue with visible messages. Cron calls it, in case the wake-up of a transaction was '
  'lost.';

-- Keys take turns: the few messages of one customer do not wait for another's many. The cheap questions come first:
-- most claims meet no second key, or a free key among the first messages.
create function private.lock_fair_messages(_queue text, _fair_key text, max_jobs int, at timestamptz) returns bigint[]
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  busy_keys     text[];
  in_process    bigint[];
  has_more_keys boolean;
  ids           bigint[];
begin
  select array_agg(b.key), array_agg(b.in_process) into busy_keys, in_process
  from (
    select coalesce(l.fair_key, '') as key, count(*) as in_process from private.leases l
    where l.queue = _queue and l.expires_at > at
    group by 1) b;
  if cardinality(busy_keys) = 1 then  -- two ranges of the index; neither holds what was deleted of the busy key
    execute format($other$
      select exists (select from pgmq.%1$I q where coalesce(q.message ->> %2$L, '') < $1)
        or exists (select from pgmq.%1$I q where coalesce(q.message ->> %2$L, '') > $1)$other$,
      'q_' || _queue, _fair_key) into has_more_keys using busy_keys[1];
  end if;
  if busy_keys is null or not has_more_keys then
    return null;
  end if;
  execute format($free$
    select array(
      select l.msg_id
      from (
        select q.msg_id, coalesce(q.message ->> $2, '') as key from pgmq.%1$I q
        where q.vt <= $1 order by q.vt limit 100) f
      cross join lateral (
        select q.msg_id from pgmq.%1$I q where q.msg_id = f.msg_id and q.vt <= $1 for update skip locked) l
      where f.key <> all ($3)
      limit $4)$free$, 'q_' || _queue) into ids using at, _fair_key, busy_keys, max_jobs;
  if cardinality(ids) < max_jobs then  -- locks these again, and further ones
    execute format($any$
      select array(
        select l.msg_id
        from (
          select f.msg_id
          from (
            select q.msg_id, q.vt, coalesce(q.message ->> $2, '') as key from pgmq.%1$I q
            where q.vt <= $1 order by q.vt limit 1000) f
          left join unnest($3, $4) b (key, in_process) on b.key = f.key
          order by coalesce(b.in_process, 0), f.vt) f
        cross join lateral (
          select q.msg_id from pgmq.%1$I q where q.msg_id = f.msg_id and q.vt <= $1 for update skip locked) l
        limit $5)$any$, 'q_' || _queue) into ids using at, _fair_key, busy_keys, in_process, max_jobs;
  end if;
  return ids;
end $$;
comment on function private.lock_fair_messages is
  'Locks up to max_jobs of the 1,000 messages that have been visible for longest: first those of the keys with the '
  'fewest messages in process, then those visible for longest. Messages without the member share a key. Returns null '
  'and locks nothing if no key is in process, or if all messages have the key that is.';

create function private.claim_jobs(
  _queue text, max_jobs int, visibility_timeout_seconds int, at timestamptz default clock_timestamp(),
  completed_ids bigint[] default '{}', completed_attempts int[] default null)
returns table (msg_id bigint, attempt int, message jsonb)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  visible_at constant timestamptz := at + make_interval(secs => visibility_timeout_seconds);
  policy     private.queues;
  ids        bigint[];
  slots      int[];
  claimed    bigint[];
  attempts   int[];
  keys       text[];
  crashed    bigint[];
begin
  if cardinality(completed_ids) > 0 then
    perform private.acknowledge_jobs(_queue, completed_ids, completed_attempts);
  end if;
  select * into strict policy from private.queues q where q.name = _queue;
  if policy.is_paused then
    return;
  end if;
  if policy.fair_key is not null then
    ids := private.lock_fair_messages(_queue, policy.fair_key, max_jobs, at);
  end if;
  if ids is null then
    -- two simple statements are planned faster than one: both are planned again for each claim
    execute format($read$
      select array(
        select q.msg_id from pgmq.%I q where q.vt <= $1
        order by q.vt limit $2  -- retries wait in line with new messages
        for update skip locked)$read$, 'q_' || _queue) into ids using at, max_jobs;
  end if;
  if ids <> '{}' and policy.max_concurrency is not null then
    slots := private.lock_free_leases(_queue, policy.max_concurrency, cardinality(ids), at);
    ids := ids[:cardinality(slots)];
  end if;
  if ids = '{}' then
    return;
  end if;
  for claim_jobs.msg_id, claim_jobs.attempt, claim_jobs.message in execute format($claim$
    update pgmq.%I q set vt = $1, read_ct = q.read_ct + 1 where q.msg_id = any ($2)
    returning q.msg_id, q.read_ct, q.message$claim$, 'q_' || _queue) using visible_at, ids
  loop
    claimed := claimed || claim_jobs.msg_id;
    attempts := attempts || claim_jobs.attempt;
    keys := array_append(keys, claim_jobs.message ->> policy.fair_key);
    if claim_jobs.attempt > policy.max_attempts then
      crashed := crashed || claim_jobs.msg_id;
    else
      return next;
    end if;
  end loop;
  if policy.max_concurrency is not null then
    perform private.grant_leases(_queue, slots, claimed, attempts, keys, visible_at);
  end if;
  if cardinality(crashed) > 0 then
    perform private.fail_job(_queue, c, 'The worker crashed on every attempt') from unnest(crashed) c;
    perform private.wake_worker_once(_queue);  -- a consumer that gets nothing ends, although more may wait
  end if;
end $$;
comment on function private.claim_jobs is
  'Claims up to max_jobs visible messages for the worker, those that have been visible for longest, or with a fair_key '
  'those of the keys with the fewest in process; none of a paused queue, and only as many as max_concurrency has left. '
  'First acknowledges what the worker completed before. A message that the worker neither completes nor fails becomes '
  'visible after the visibility timeout; after max_attempts it moves to the dead-letter queue.';

-- Lock order: the queue row before the lease. An attempt number must be the message's current one, so that a worker
-- that lost its message to another one cannot complete, fail or extend it.
create function private.lock_job(_queue text, _msg_id bigint, _attempt int default null)
returns table (read_ct int, message jsonb, enqueued_at timestamptz)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return query execute format($lock$
    select q.read_ct, q.message, q.enqueued_at from pgmq.%I q
    where q.msg_id = $1 and q.read_ct = coalesce($2, q.read_ct) for update$lock$,
    'q_' || _queue) using _msg_id, _attempt;
end $$;
comment on function private.lock_job is
  'Locks a message until the transaction ends. No row when it was deleted, or when another attempt has claimed it.';

create function private.acknowledge_jobs(_queue text, msg_ids bigint[], attempts int[] default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  id      bigint;
  deleted bigint[];
begin
  if cardinality(msg_ids) = 1 then  -- planned for each call: the simpler statement
    execute format('delete from pgmq.%I q where q.msg_id = $1 and q.read_ct = coalesce($2, q.read_ct)
      returning array[q.msg_id]', 'q_' || _queue) into deleted using msg_ids[1], attempts[1];
  else
    for id in execute format($delete$
      delete from pgmq.%1$I d where d.msg_id = any (array(
        select q.msg_id from pgmq.%1$I q
        where q.msg_id = any ($1) and q.read_ct = coalesce(($2)[array_position($1, q.msg_id)], q.read_ct)
        order by q.msg_id  -- every caller locks them in this order
        for update)) returning d.msg_id$delete$, 'q_' || _queue) using msg_ids, attempts
    loop
      deleted := deleted || id;
    end loop;
  end if;
  -- waits for a claim that grants an expired one
  update private.leases l set msg_id = null, expires_at = null, fair_key = null
  where l.queue = _queue and l.msg_id = any (deleted);
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
  visible_at timestamptz := at + make_interval(secs => seconds);
begin
  perform private.lock_job(_queue, _msg_id, _attempt);
  if not found then
    return false;
  end if;
  -- a message that has failed keeps its attempt until it is claimed again, but has no lease
  perform from private.queues q where q.name = _queue and q.max_concurrency is not null
    and not exists (
      select from private.leases l
      where l.queue = _queue and l.msg_id = _msg_id for update);
  if found then
    return false;
  end if;
  execute format('update pgmq.%I q set vt = $1 where q.msg_id = $2', 'q_' || _queue)
    using visible_at, _msg_id;
  update private.leases l set expires_at = visible_at
  where l.queue = _queue and l.msg_id = _msg_id;
  return true;
end $$;
comment on function private.extend_job_visibility is
  'Extends visibility timeout and lease to `seconds` from `at`. False when the message was deleted, has failed, or '
  'was claimed by another attempt: the worker then stops.';

create function private.requeue_job(
  _queue text, _msg_id bigint, delay_seconds int default 0, _attempt int default null,
  at timestamptz default clock_timestamp())
returns bigint
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  job record;
begin
  select * into job from private.lock_job(_queue, _msg_id, _attempt);
  if not found then
    return null;
  end if;
  perform private.acknowledge_jobs(_queue, array[_msg_id]);
  return private.enqueue(_queue, job.message, delay_seconds, at);
end $$;
comment on function private.requeue_job is
  'Continues a job in another run: sends its message again, with all attempts left, and returns the new id. Null when '
  'the message was deleted or claimed by another attempt.';

create function private.postpone_job(
  _queue text, _msg_id bigint, delay_seconds int, _attempt int default null, at timestamptz default clock_timestamp())
returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_job(_queue, _msg_id, _attempt);
  if not found then
    return false;
  end if;
  perform private.end_leases(_queue, array[_msg_id]);
  execute format('update pgmq.%I q set vt = $1, read_ct = q.read_ct - 1 where q.msg_id = $2', 'q_' || _queue)
    using at + make_interval(secs => delay_seconds), _msg_id;
  return true;
end $$;
comment on function private.postpone_job is
  'Makes a job that was not tried visible again after a delay, with the attempts it had left. False when the message '
  'was deleted or claimed by another attempt.';

create function private.fail_job(
  _queue text, _msg_id bigint, _error text, _is_permanent boolean default false, _retry_after_seconds int default null,
  _attempt int default null, at timestamptz default clock_timestamp())
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  policy  private.queues;
  job     record;
  seconds numeric;
begin
  select * into strict policy from private.queues q where q.name = _queue;
  select * into job from private.lock_job(_queue, _msg_id, _attempt);
  if not found then
    return 'not_found';
  end if;
  perform private.end_leases(_queue, array[_msg_id]);
  if _is_permanent or job.read_ct >= policy.max_attempts then
    perform pgmq.send(_queue || '_dlq', jsonb_build_object(
      'message', job.message, 'msg_id', _msg_id, 'error', left(_error, 2000), 'attempts', job.read_ct,
      'is_permanent', _is_permanent, 'enqueued_at', job.enqueued_at, 'failed_at', at));
    perform pgmq.delete(_queue, _msg_id);
    return 'dead_lettered';
  end if;
  -- exponential, half of it jitter, so that jobs which failed together do not return together; backoff_max limits
  -- retry_after_seconds as well
  seconds := greatest(1, ceil(
    extract(epoch from least(policy.backoff_max, policy.backoff_base * power(2, job.read_ct - 1)))
      * (0.5 + random() / 2)
  ), case when _retry_after_seconds > 0
    then least(_retry_after_seconds, extract(epoch from policy.backoff_max)) end);
  -- only a failure writes headers, so a trigger on that column sees every retry
  execute format($update$
    update pgmq.%I q set vt = $1 + make_interval(secs => $2),
      headers = coalesce(q.headers, '{}') || jsonb_build_object('last_error', $3)
    where q.msg_id = $4$update$, 'q_' || _queue)
    using at, seconds, left(_error, 2000), _msg_id;
  return 'retry_scheduled';
end $$;
comment on function private.fail_job is
  'Schedules the retry of a failed job: after the queue''s backoff or retry_after_seconds, the longer, with the error '
  'in the headers. A permanent failure, or the last attempt, goes to the dead-letter queue. Returns retry_scheduled, '
  'dead_lettered, or not_found for a message that was deleted or claimed by another attempt.';

create function private.delete_jobs(subject jsonb, only_queue text default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  queue text;
begin
  for queue in select q.name from private.queues q where q.name = coalesce(only_queue, q.name) order by q.name loop
    execute format($delete$
      with found as (
        select q.msg_id from pgmq.%1$I q where q.message @> $1
        order by q.msg_id for update  -- in the order of acknowledge_jobs
      ), deleted as (
        delete from pgmq.%1$I q using found f where q.msg_id = f.msg_id
      )
      select private.end_leases($2, array_agg(f.msg_id)) from found f$delete$,
      'q_' || queue) using subject, queue;
    execute format('delete from pgmq.%I q where q.message @> $1', 'q_' || queue || '_dlq')
      using jsonb_build_object('message', subject);
  end loop;
end $$;
comment on function private.delete_jobs is
  'Deletes the messages that contain `subject`, such as {podcast_id}, from all queues and dead-letter queues, or from '
  'one queue and its dead-letter queue.';

create view private.queue_health with (security_invoker = true) as
  select q.name as queue, m.queue_length as depth, m.oldest_msg_age_sec as oldest_message_age_seconds,
         d.queue_length as dead_letters, m.total_messages, q.max_attempts, q.is_paused
  from private.queues q
  cross join lateral pgmq.metrics(q.name) m
  cross join lateral pgmq.metrics(q.name || '_dlq') d;
comment on view private.queue_health is
  'For operators: depth, age of the oldest message, and dead letters of each queue.';
