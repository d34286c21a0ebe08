-- Queues: nothing that talks to the outside happens inside a request. The transaction writes a pgmq message, the
-- worker acts on it, retries it, and parks it in <queue>_dead with its reason.
create table private.queues (
  name          text primary key,
  max_attempts  int not null,
  backoff_base  interval not null,   -- doubled with every attempt, with jitter
  backoff_cap   interval not null,
  purpose       text not null,
  paused        boolean not null default false,  -- its messages wait: an operator's brake, or nobody works on it yet
  constraint attempts_are_bounded check (max_attempts between 1 and 100),
  constraint backoff_is_ordered check (backoff_base > interval '0' and backoff_base <= backoff_cap)
);
comment on table private.queues is 'The retry policy of each queue. private.install() writes the rows and creates the queues.';
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
revoke all on function private.wake_worker from public, anon, authenticated, service_role;

create function private.enqueue(queue text, message jsonb, delay_seconds int default 0) returns bigint
language plpgsql security definer  -- callers have no grant on the queues
set search_path = ''
as $$
declare
  id   bigint;
  mark text := 'castbase.woke_' || queue;
begin
  select send into id from pgmq.send(queue, message, delay_seconds);
  if delay_seconds = 0 and coalesce(current_setting(mark, true), '') = ''
     and not exists (select from private.queues q where q.name = enqueue.queue and q.paused) then
    perform set_config(mark, 'yes', true);
    perform private.wake_worker(queue);
  end if;
  return id;
end $$;
comment on function private.enqueue is 'Writes a message in the caller''s transaction and wakes the worker at most once per transaction and queue.';
revoke all on function private.enqueue from public, anon, authenticated, service_role;

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
revoke all on function private.wake_worker_if_due from public, anon, authenticated, service_role;

create function private.claim_jobs(queue text, most int, visible_after_seconds int)
returns table (msg_id bigint, attempt int, message jsonb)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  policy private.queues;
  job    record;
begin
  select * into strict policy from private.queues q where q.name = claim_jobs.queue;
  if policy.paused then
    return;
  end if;
  for job in select m.msg_id, m.read_ct, m.message from pgmq.read(queue, visible_after_seconds, most) m order by m.msg_id loop
    if job.read_ct > policy.max_attempts then  -- nobody lived to say that it failed
      perform private.fail_job(queue, job.msg_id, 'The worker ended while it worked on this, every time', final => true);
    else
      msg_id := job.msg_id; attempt := job.read_ct; message := job.message;
      return next;
    end if;
  end loop;
end $$;
comment on function private.claim_jobs is
  'The worker takes up to `most` messages, of a paused queue none; who dies with them leaves them visible again after the visibility timeout. A message that outlived its attempts that way is parked.';
revoke all on function private.claim_jobs from public, anon, authenticated, service_role;

create function private.finish_jobs(queue text, msg_ids bigint[]) returns void
language sql volatile security invoker set search_path = ''
as $$ select pgmq.delete(queue, msg_ids) $$;
comment on function private.finish_jobs is 'The worker is done with these messages.';
revoke all on function private.finish_jobs from public, anon, authenticated, service_role;

create function private.fail_job(queue text, msg_id bigint, error text, final boolean default false) returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  policy private.queues;
  job    record;
begin
  select * into strict policy from private.queues q where q.name = fail_job.queue;
  select m.read_ct, m.message, m.enqueued_at into job from pgmq.set_vt(fail_job.queue, fail_job.msg_id, 0) m;
  if not found then
    return 'gone';
  end if;
  if final or job.read_ct >= policy.max_attempts then
    perform pgmq.send(fail_job.queue || '_dead', jsonb_build_object(
      'message', job.message, 'error', left(fail_job.error, 2000), 'attempts', job.read_ct,
      'enqueued_at', job.enqueued_at, 'failed_at', now()));
    perform pgmq.delete(fail_job.queue, fail_job.msg_id);
    return 'dead';
  end if;
  -- exponential, capped, with half of it as jitter, so that a burst of failures does not come back as a burst
  perform pgmq.set_vt(fail_job.queue, fail_job.msg_id, greatest(1, ceil(
    extract(epoch from least(policy.backoff_cap, policy.backoff_base * power(2, job.read_ct - 1))) * (0.5 + random() / 2)
  ))::int);
  return 'retry';
end $$;
comment on function private.fail_job is
  'A job failed: it comes back later by its queue''s policy, or goes to the dead-letter queue with its reason when its attempts are used up or the failure is final.';
revoke all on function private.fail_job from public, anon, authenticated, service_role;

create view private.queue_health with (security_invoker = true) as
  select q.name as queue, m.queue_length as depth, m.oldest_msg_age_sec as oldest_age_seconds,
         d.queue_length as dead, m.total_messages as total, q.max_attempts, q.paused
  from private.queues q
  cross join lateral pgmq.metrics(q.name) m
  cross join lateral pgmq.metrics(q.name || '_dead') d;
comment on view private.queue_health is 'For operators: depth, age of the oldest message, dead letters of each queue.';
