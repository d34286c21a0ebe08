-- Queues: nothing that talks to the outside happens inside a request. The transaction writes a pgmq message, the
-- worker acts on it, retries it, and parks it in <queue>_dead with its reason.
create table private.queues (
  name          text primary key,
  max_attempts  int not null,
  backoff_base  interval not null,   -- doubled with every attempt, with jitter
  backoff_cap   interval not null,
  purpose       text not null,
  paused        boolean not null default false,  -- its messages wait: an operator's brake, or nobody works on it yet
  concurrency   int,                             -- how many of its messages are worked on at once; null: as many as workers take
  constraint concurrency_is_positive check (concurrency > 0),
  constraint attempts_are_bounded check (max_attempts between 1 and 100),
  constraint backoff_is_ordered check (backoff_base > interval '0' and backoff_base <= backoff_cap)
);
comment on table private.queues is 'The retry policy of each queue. private.install() writes the rows and creates the queues.';
alter table private.queues enable row level security;
-- No policy, no grant.

-- Who works on a queue with a limit holds a lease for each message: the limit is of the queue, however many workers run.
-- It ends with the message's visibility timeout, so that a worker that died blocks nobody for longer.
create table private.leases (
  queue  text not null references private.queues on delete cascade,
  msg_id bigint not null,
  until  timestamptz not null,
  primary key (queue, msg_id)
);
comment on table private.leases is 'The messages that are worked on, of queues with a concurrency. Written by claim_jobs and extend_job; other queues have none.';
create index leases_until_idx on private.leases (queue, until);
alter table private.leases enable row level security;
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
    raise log 'castbase: no worker_secret in Vault, the worker is not woken';
    return false;
  end if;
  perform net.http_post(
    url := private.setting('worker_url'),
    body := jsonb_build_object('queue', queue),
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret));
  return true;
end $$;
comment on function private.wake_worker is 'Asks the worker to drain one queue, or all. The request leaves when the transaction commits.';

create function private.wake_worker_once(queue text) returns void
language plpgsql volatile security definer  -- asks the queue's policy, which is nobody's to read
set search_path = ''
as $$
declare
  mark text := 'castbase.woke_' || queue;
begin
  if coalesce(current_setting(mark, true), '') = ''
     and not exists (select from private.queues q where q.name = wake_worker_once.queue and q.paused) then
    perform set_config(mark, 'yes', true);
    perform private.wake_worker(queue);
  end if;
end $$;
comment on function private.wake_worker_once is 'Wakes the worker for a queue that is not paused, at most once per transaction.';

create function private.enqueue(queue text, message jsonb, delay_seconds int default 0) returns bigint
language plpgsql security definer  -- callers have no grant on the queues
set search_path = ''
as $$
declare
  id bigint;
begin
  select send into id from pgmq.send(queue, message, delay_seconds);
  if delay_seconds = 0 then
    perform private.wake_worker_once(queue);
  end if;
  return id;
end $$;
comment on function private.enqueue is 'Writes a message in the caller''s transaction and wakes the worker at most once per transaction and queue.';

create function private.wake_worker_if_due() returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  queue text;
  woken int := 0;
begin
  for queue in
    select q.name from private.queues q cross join lateral pgmq.metrics(q.name) m
    where not q.paused and m.queue_visible_length > 0
  loop
    woken := woken + private.wake_worker(queue)::int;
  end loop;
  return woken;
end $$;
comment on function private.wake_worker_if_due is 'The net below the wake-up of each transaction: cron calls it every few seconds.';

create function private.claim_jobs(queue text, most int, visible_after_seconds int)
returns table (msg_id bigint, attempt int, message jsonb)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  policy private.queues;
  job    record;
  free   int := most;
begin
  select * into strict policy from private.queues q where q.name = claim_jobs.queue;
  if policy.paused then
    return;
  end if;
  if policy.concurrency is not null then
    perform pg_advisory_xact_lock(hashtextextended('queue/' || claim_jobs.queue, 0));  -- two claims see each other's leases
    delete from private.leases l where l.queue = claim_jobs.queue and l.msg_id in (  -- who holds one is at it
      select e.msg_id from private.leases e where e.queue = claim_jobs.queue and e.until <= clock_timestamp() for update skip locked);
    free := least(most, policy.concurrency - (select count(*) from private.leases l where l.queue = claim_jobs.queue));
    if free <= 0 then
      return;
    end if;
  end if;
  for job in select m.msg_id, m.read_ct, m.vt, m.message from pgmq.read(queue, visible_after_seconds, free) m order by m.msg_id loop
    if job.read_ct > policy.max_attempts then  -- nobody lived to say that it failed
      perform private.fail_job(queue, job.msg_id, 'The worker ended while it worked on this, every time', final => true);
    else
      if policy.concurrency is not null then
        insert into private.leases as l (queue, msg_id, until) values (claim_jobs.queue, job.msg_id, job.vt)
        on conflict on constraint leases_pkey do update set until = excluded.until;
      end if;
      msg_id := job.msg_id; attempt := job.read_ct; message := job.message;
      return next;
    end if;
  end loop;
end $$;
comment on function private.claim_jobs is
  'The worker takes up to `most` messages, of a paused queue none, of one with a concurrency as many as are free; who dies with them leaves them visible again after the visibility timeout. A message that outlived its attempts that way is parked.';

-- Whoever settles a message locks its row in the queue first and its lease after it. An attempt that is told of must be the
-- message's present one: a worker that was slow enough to lose it says nothing of it.
create function private.hold_job(queue text, msg_id bigint, attempt int default null)
returns table (read_ct int, message jsonb, enqueued_at timestamptz)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return query execute format(
    'select q.read_ct, q.message, q.enqueued_at from pgmq.%I q where q.msg_id = $1 and q.read_ct = coalesce($2, q.read_ct) for update',
    'q_' || hold_job.queue) using hold_job.msg_id, hold_job.attempt;
end $$;
comment on function private.hold_job is 'A message of a queue, locked until the transaction ends; no row when it is gone, or another attempt than this one has it.';

create function private.finish_jobs(queue text, msg_ids bigint[], attempts int[] default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ours bigint[] := array(
    select own.msg_id from (
      select * from unnest(finish_jobs.msg_ids, finish_jobs.attempts) u (msg_id, attempt) order by u.msg_id  -- as everyone locks them
    ) own cross join lateral private.hold_job(finish_jobs.queue, own.msg_id, own.attempt));
begin
  delete from private.leases l where l.queue = finish_jobs.queue and l.msg_id = any (ours);
  perform pgmq.delete(queue, ours);
end $$;
comment on function private.finish_jobs is 'The worker is done with these messages. Told by their attempts, those that were claimed again stay.';

create function private.extend_job(queue text, msg_id bigint, seconds int, attempt int default null) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ends timestamptz;
begin
  perform private.hold_job(extend_job.queue, extend_job.msg_id, extend_job.attempt);
  if not found then
    return false;
  end if;
  -- a message that has failed keeps its attempt until it is claimed again, but has no lease any more
  perform from private.queues q where q.name = extend_job.queue and q.concurrency is not null
    and not exists (select from private.leases l where l.queue = extend_job.queue and l.msg_id = extend_job.msg_id for update);
  if found then
    return false;
  end if;
  select m.vt into ends from pgmq.set_vt(extend_job.queue, extend_job.msg_id, extend_job.seconds) m;
  update private.leases l set until = ends
  where l.queue = extend_job.queue and l.msg_id = extend_job.msg_id;
  return true;
end $$;
comment on function private.extend_job is
  'A worker needs longer: visibility and lease end so many seconds from now. False when the message is gone, has failed or, told by its attempt, was claimed again: then the worker stops.';

create function private.continue_job(queue text, msg_id bigint, delay_seconds int default 0, attempt int default null) returns bigint
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  job record;
begin
  select * into job from private.hold_job(continue_job.queue, continue_job.msg_id, continue_job.attempt);
  if not found then
    return null;
  end if;
  perform private.finish_jobs(queue, array[continue_job.msg_id]);
  return private.enqueue(queue, job.message, delay_seconds);
end $$;
comment on function private.continue_job is
  'A job goes on in another run: its message is replaced by the same one sent anew, which is neither a failure nor an attempt. Null when it is gone or, told by its attempt, was claimed again.';

create function private.fail_job(
  queue text, msg_id bigint, error text, final boolean default false, retry_after_seconds int default null, attempt int default null)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  policy  private.queues;
  job     record;
  seconds numeric;
begin
  select * into strict policy from private.queues q where q.name = fail_job.queue;
  select * into job from private.hold_job(fail_job.queue, fail_job.msg_id, fail_job.attempt);
  if not found then
    return 'gone';
  end if;
  delete from private.leases l where l.queue = fail_job.queue and l.msg_id = fail_job.msg_id;
  if final or job.read_ct >= policy.max_attempts then
    perform pgmq.send(fail_job.queue || '_dead', jsonb_build_object(
      'message', job.message, 'msg_id', fail_job.msg_id, 'error', left(fail_job.error, 2000), 'attempts', job.read_ct,
      'enqueued_at', job.enqueued_at, 'failed_at', now()));
    perform pgmq.delete(fail_job.queue, fail_job.msg_id);
    return 'dead';
  end if;
  -- exponential, capped, with half of it as jitter, so that a burst of failures does not come back as a burst; a source
  -- that says when to come back is believed up to the cap
  seconds := greatest(1, ceil(
    extract(epoch from least(policy.backoff_cap, policy.backoff_base * power(2, job.read_ct - 1))) * (0.5 + random() / 2)
  ), case when fail_job.retry_after_seconds > 0 then least(fail_job.retry_after_seconds, extract(epoch from policy.backoff_cap)) end);
  -- the message keeps its last error; only a failure writes headers, so a trigger on them learns of every retry
  execute format($update$
    update pgmq.%I q set vt = clock_timestamp() + make_interval(secs => $1),
      headers = coalesce(q.headers, '{}') || jsonb_build_object('last_error', $2)
    where q.msg_id = $3$update$, 'q_' || fail_job.queue) using seconds, left(fail_job.error, 2000), fail_job.msg_id;
  return 'retry';
end $$;
comment on function private.fail_job is
  'A job failed: it comes back later by its queue''s policy, not before the wait that it was told and with the error in its headers, or goes to the dead-letter queue with its reason when its attempts are used up or the failure is final. `gone` when there is no such message or, told by its attempt, it was claimed again.';

create view private.queue_health with (security_invoker = true) as
  select q.name as queue, m.queue_length as depth, m.oldest_msg_age_sec as oldest_age_seconds,
         d.queue_length as dead, m.total_messages as total, q.max_attempts, q.paused
  from private.queues q
  cross join lateral pgmq.metrics(q.name) m
  cross join lateral pgmq.metrics(q.name || '_dead') d;
comment on view private.queue_health is 'For operators: depth, age of the oldest message, dead letters of each queue.';
