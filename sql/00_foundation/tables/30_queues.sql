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
  is_standalone   boolean not null default false,  -- only a standalone worker reads it; no message wakes the function
  last_key        text not null default '',        -- whose turn it was, if the queue has max_concurrency as well
  retried_by      text,                            -- what starts the work of a dead letter again, whose subject has
                                                   -- failed as well; null: retry_queue_messages moves it back
  constraint max_concurrency_is_positive check (max_concurrency > 0),
  constraint max_attempts_in_range check (max_attempts between 1 and 100),
  constraint backoff_base_not_above_max check (backoff_base > interval '0' and backoff_base <= backoff_max)
);
comment on table private.queues is
  'The retry policy of each queue. private.install() writes the rows and creates the queues.';
alter table private.queues enable row level security;
-- No policy, no grant.

create function private.message_state(read_ct int, headers jsonb) returns text
language plpgsql immutable security invoker parallel safe set search_path = ''
as $$
begin
  return case when read_ct > 0 and not coalesce(headers ? 'waits_for', false) then 'claimed' else 'waiting' end;
end $$;
comment on function private.message_state is
  '`claimed` by a worker, or `waiting` for the first attempt, a retry, or the end of a delay. A claimed message is in '
  'process until it becomes visible.';

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
     and not exists (
       select from private.queues q where q.name = _queue and (q.is_paused or q.is_standalone)) then
    perform set_config(flag, 'yes', true);
    perform private.wake_worker(_queue);
  end if;
end $$;
comment on function private.wake_worker_once is
  'Wakes the worker for a queue that it reads and that is not paused, at most once per transaction.';

-- Queue functions default to clock_timestamp(), because pgmq dates messages by it.
create function private.enqueue(
  _queue text, message jsonb, delay_seconds int default 0, at timestamptz default clock_timestamp(),
  _request_id text default null)
returns bigint
language plpgsql security definer  -- callers have no grant on the queues
set search_path = ''
as $$
declare
  id bigint;
begin
  -- as pgmq.send, which is a set-returning function around the same statement
  execute format('insert into pgmq.%I (vt, message, headers) values ($1, $2, $3) returning msg_id', 'q_' || _queue)
    into id using at + make_interval(secs => delay_seconds), message,
      private.message_headers(coalesce(_request_id, private.request_id()));
  if delay_seconds = 0 and coalesce(current_setting('castbase.leaves_waking_to_cron', true), '') = '' then
    perform private.wake_worker_once(_queue);
  end if;
  return id;
end $$;
comment on function private.enqueue is
  'Writes a message in the caller''s transaction and wakes the worker, at most once per transaction and queue, unless '
  'the transaction leaves it to cron or the message is delayed. The message''s headers have the request_id, '
  'by default that of the transaction.';

create function private.enqueue_batch(
  _queue text, messages jsonb[], at timestamptz default clock_timestamp(), request_ids text[] default null)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  execute format($insert$
    insert into pgmq.%I (vt, message, headers)
    select $1, b.message, private.message_headers(coalesce(b.request_id, $4))
    from unnest($2, $3) with ordinality b (message, request_id, n) order by b.n$insert$, 'q_' || _queue)
    using at, messages, request_ids, private.request_id();
end $$;
comment on function private.enqueue_batch is
  'Writes messages in the caller''s transaction, in their order, with the ids of the requests that caused them (null: '
  'this one''s). Wakes no worker.';

create function private.enqueue_unless_waiting(
  _queue text, _messages jsonb[], _delay_seconds int, at timestamptz default clock_timestamp(),
  min_wait_seconds int default null)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  waiting bigint[];
  joined  jsonb[];
begin
  -- a locked message is not claimed before this transaction ends, so that its run sees the change
  execute format($lock$
    with locked as (
      select q.msg_id, q.message, q.read_ct from pgmq.%I q
      where q.message = any ($1) and (q.read_ct > 0 or $2 is null or q.vt >= $2)
        and (private.message_state(q.read_ct, q.headers) = 'waiting' or q.vt <= $3)
      for update skip locked)
    select array(select l.msg_id from locked l), array(select l.message from locked l where l.read_ct = 0)$lock$,
    'q_' || _queue)
    into waiting, joined using _messages, at + make_interval(secs => min_wait_seconds), at;
  -- failed ones: the new message has all attempts
  execute format('delete from pgmq.%I q where q.msg_id = any ($1) and q.message <> all ($2)',
    'q_' || _queue) using waiting, joined;
  perform private.enqueue(_queue, m, _delay_seconds, at)
  from unnest(_messages) m where m not in (select j from unnest(joined) j);  -- hashed
end $$;
comment on function private.enqueue_unless_waiting is
  'Enqueues those of the messages, which are distinct, of which no equal one waits for its first attempt. Replaces '
  'equal ones that wait for another attempt. With min_wait_seconds, a message that is due sooner does not count. The '
  'queue must have an index on message.';

create function private.wake_worker_if_pending() returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  queue text;
  woken int := 0;
begin
  for queue in
    select q.name from private.queues q cross join lateral pgmq.metrics(q.name) m
    where not q.is_paused and not q.is_standalone and m.queue_visible_length > 0
  loop
    woken := woken + private.wake_worker(queue)::int;
  end loop;
  return woken;
end $$;
comment on function private.wake_worker_if_pending is
  'Wakes the worker for each queue with visible messages. Cron calls it, in case the wake-up of a transaction was '
  'lost.';

create function private.delete_jobs(subject jsonb, only_queue text default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  queue text;
begin
  for queue in select q.name from private.queues q where q.name = coalesce(only_queue, q.name) order by q.name loop
    execute format($delete$
      delete from pgmq.%1$I d where d.msg_id = any (array(
        select q.msg_id from pgmq.%1$I q where q.message @> $1
        order by q.msg_id for update))$delete$,  -- in the order of claims
      'q_' || queue) using subject;
    execute format('delete from pgmq.%I q where q.message @> $1', 'q_' || queue || '_dlq')
      using jsonb_build_object('message', subject);
  end loop;
end $$;
comment on function private.delete_jobs is
  'Deletes the messages that contain `subject`, such as {podcast_id}, from all queues and dead-letter queues, or from '
  'one queue and its dead-letter queue.';

create function private.waiting_seconds(_queue text, at timestamptz default clock_timestamp()) returns int
language plpgsql stable security invoker set search_path = ''
as $$
declare
  seconds int;
begin
  execute format('select extract(epoch from $1 - min(q.vt))::int from pgmq.%I q where q.vt <= $1', 'q_' || _queue)
    into seconds using at;
  return coalesce(seconds, 0);
end $$;
comment on function private.waiting_seconds is
  'For how long the first visible message of a queue has waited for a worker; 0 if none is visible. Delays and the '
  'time between attempts do not count.';

create view private.queue_health with (security_invoker = true) as
  select q.name as queue, m.queue_length as depth, m.queue_visible_length as visible,
         private.waiting_seconds(q.name) as waiting_seconds, d.queue_length as dead_letters, m.total_messages,
         q.max_attempts, q.is_paused, q.is_standalone, q.retried_by, q.description
  from private.queues q
  cross join lateral pgmq.metrics(q.name) m
  cross join lateral pgmq.metrics(q.name || '_dlq') d
  where to_regclass('pgmq.q_' || q.name) is not null and to_regclass('pgmq.q_' || q.name || '_dlq') is not null;
comment on view private.queue_health is
  'For operators: depth, how long the first visible message has waited, and dead letters of each queue. A backup '
  'can lack queues until private.install() creates them.';
