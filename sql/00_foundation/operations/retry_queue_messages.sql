create function private.retry_queue_messages(
  _queue text, _message_id bigint, max_messages int, at timestamptz default clock_timestamp()) returns jsonb
language plpgsql volatile security definer  -- the service has no grant on the queues
set search_path = ''
as $$
declare
  policy  constant private.queues := private.require_queue(_queue);
  subject record;
  moved   jsonb[];
  ids     text[];
begin
  perform private.require_page_size(max_messages, 10000);
  if _message_id is not null then
    select * into subject from private.require_queue_message(_queue, _message_id, at);
    if subject.state = 'waiting' then  -- its attempts stay
      execute format('update pgmq.%I q set vt = $1 where q.msg_id = $2 and q.vt > $1', 'q_' || _queue)
        using at, _message_id;
      perform private.wake_worker_once(_queue);
      return jsonb_build_object('retriedCount', 1);
    elsif subject.state = 'in_process' then
      raise sqlstate 'PT409' using message = 'A worker has the message; wait for its outcome';
    end if;
  end if;
  if policy.retried_by is not null then
    raise sqlstate 'PT409' using
      message = format('What the dead letter was about has failed as well; %s starts it again', policy.retried_by);
  end if;
  execute format($take$
    with taken as (
      delete from pgmq.%1$I d where d.msg_id = any (array(
        select q.msg_id from pgmq.%1$I q
        where $1 is null or q.message ->> 'msg_id' = $1::text
        order by q.msg_id limit $2 for update skip locked))
      returning d.msg_id, d.message)
    select array_agg(t.message -> 'message' order by t.msg_id),
      array_agg(t.message ->> 'request_id' order by t.msg_id) from taken t$take$, 'q_' || _queue || '_dlq')
    into moved, ids using _message_id, max_messages;
  if moved is not null then
    perform private.enqueue_batch(_queue, moved, at, ids);
    perform private.wake_worker_once(_queue);
  end if;
  return jsonb_build_object('retriedCount', coalesce(cardinality(moved), 0));
end $$;
grant execute on function private.retry_queue_messages to service_role;

create function public.retry_queue_messages(
  queue text, message_id bigint default null, max_messages int default 1000) returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_queue_messages(queue, message_id, max_messages);
comment on function public.retry_queue_messages is
  'Moves one dead letter, or all of a queue, back to the queue with all attempts, the oldest first: {retriedCount}, at '
  'most max_messages, up to 10,000. A waiting message is tried at once. 404; 409 if a worker has the message, or '
  'another operation starts the work of dead letters again. For the service (secret key) only.';
grant execute on function public.retry_queue_messages to service_role;
