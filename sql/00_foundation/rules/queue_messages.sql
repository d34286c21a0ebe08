-- Messages of the queues for operators: those that wait or are in process, and dead letters. A message keeps its id as
-- a dead letter, so that the id of a log line finds it in either.
create function private.require_queue(_queue text) returns private.queues
language plpgsql stable security invoker set search_path = ''
as $$
declare
  found_queue private.queues;
begin
  select * into found_queue from private.queues q where q.name = _queue;
  if not found then
    raise sqlstate 'PT404' using message = 'Queue not found', detail = (
      select 'Queues: ' || string_agg(q.name, ', ' order by q.name) from private.queues q);
  end if;
  return found_queue;
end $$;
comment on function private.require_queue is 'The queue of this name. PT404 with all names.';

create function private.find_queue_messages(
  _queue text, _message_id bigint, _request_id text, max_messages int, at timestamptz)
returns table (message_id bigint, state text, message jsonb, facts jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query execute format($find$
    (select (d.message ->> 'msg_id')::bigint, 'dead', d.message -> 'message', jsonb_build_object(
      'attempts', d.message -> 'attempts', 'lastError', d.message ->> 'error',
      'isPermanent', d.message -> 'is_permanent', 'requestId', d.message ->> 'request_id',
      'enqueuedAt', private.format_timestamp((d.message ->> 'enqueued_at')::timestamptz),
      'failedAt', private.format_timestamp((d.message ->> 'failed_at')::timestamptz), 'nextAttemptAt', null)
    from pgmq.%2$I d
    where ($1 is null or d.message ->> 'msg_id' = $1::text)
      and ($2 is null or d.message ->> 'request_id' = $2)
    order by d.msg_id desc limit $3)
    union all
    (select q.msg_id,
      case when private.message_state(q.read_ct, q.headers) = 'claimed' and q.vt > $4 then 'in_process'
        else 'waiting' end,
      q.message, jsonb_build_object(
      'attempts', q.read_ct, 'lastError', q.headers ->> 'last_error', 'isPermanent', false,
      'requestId', q.headers ->> 'request_id', 'enqueuedAt', private.format_timestamp(q.enqueued_at),
      'failedAt', null, 'nextAttemptAt', private.format_timestamp(q.vt))
    from pgmq.%1$I q
    where ($1 is null or q.msg_id = $1) and ($2 is null or q.headers ->> 'request_id' = $2)
    order by q.vt limit $3)$find$, 'q_' || _queue, 'q_' || _queue || '_dlq')
    using _message_id, _request_id, max_messages, at;
end $$;
comment on function private.find_queue_messages is
  'Messages of a queue with this id, or of this request, or all (null): dead letters, the newest first, then those '
  'that are waiting or in_process, the next first; at most max_messages of each. A request id is searched in the whole '
  'queue.';

create function private.require_queue_message(_queue text, _message_id bigint, at timestamptz)
returns table (message_id bigint, state text, message jsonb, facts jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_queue(_queue);
  return query select * from private.find_queue_messages(_queue, _message_id, null, 1, at) limit 1;
  if not found then
    raise sqlstate 'PT404' using message = 'The queue has no such message; it may have been processed';
  end if;
end $$;
comment on function private.require_queue_message is 'The message of a queue with this id. PT404.';
