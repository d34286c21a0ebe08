-- The end of a claimed job: it continues in another run, or fails. Success is private.acknowledge_jobs.

-- An attempt number must be the message's current one, so that a worker that lost its message to another one cannot
-- complete, fail or extend it.
create function private.lock_job(_queue text, _msg_id bigint, _attempt int default null)
returns table (read_ct int, message jsonb, enqueued_at timestamptz, request_id text)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return query execute format($lock$
    select q.read_ct, q.message, q.enqueued_at, q.headers ->> 'request_id' from pgmq.%I q
    where q.msg_id = $1 and q.read_ct = coalesce($2, q.read_ct) for update$lock$,
    'q_' || _queue) using _msg_id, _attempt;
end $$;
comment on function private.lock_job is
  'Locks a message until the transaction ends. No row when it was deleted, or when another attempt has claimed it.';

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
  return private.enqueue(_queue, job.message, delay_seconds, at, job.request_id);
end $$;
comment on function private.requeue_job is
  'Continues a job in another run: sends its message again, with all attempts left, and returns the new id. Null when '
  'the message was deleted or claimed by another attempt.';

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
  if _is_permanent or job.read_ct >= policy.max_attempts then
    perform pgmq.send(_queue || '_dlq', jsonb_build_object(
      'message', job.message, 'msg_id', _msg_id, 'error', left(_error, 2000), 'attempts', job.read_ct,
      'is_permanent', _is_permanent, 'enqueued_at', job.enqueued_at, 'failed_at', at)
        || coalesce(private.message_headers(job.request_id), '{}'));
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
  execute format($update$
    update pgmq.%I q set vt = $1 + make_interval(secs => $2),
      headers = coalesce(q.headers, '{}') || jsonb_build_object('last_error', $3, 'waits_for', 'retry')
    where q.msg_id = $4$update$, 'q_' || _queue)
    using at, seconds, left(_error, 2000), _msg_id;
  return 'retry_scheduled';
end $$;
comment on function private.fail_job is
  'Schedules the retry of a failed job: after the queue''s backoff or retry_after_seconds, the longer, with the error '
  'in the headers, whose waits_for is then `retry`. A permanent failure, or the last attempt, goes to the dead-letter '
  'queue. Returns retry_scheduled, dead_lettered, or not_found for a message that was deleted or claimed by another '
  'attempt.';
