create function private.list_queue_messages(
  _queue text, _request_id text, max_messages int, at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- the service has no grant on the queues
set search_path = ''
as $$
begin
  perform private.require_page_size(max_messages, 500);
  if _queue is not null then
    perform private.require_queue(_queue);
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('queue', m.queue, 'messageId', m.message_id, 'state', m.state,
      'message', left(m.message::text, 300)) || m.facts), '[]')
    from (
      select q.name as queue, f.*
      from private.queues q
      cross join lateral private.find_queue_messages(q.name, null, _request_id, max_messages, at) f
      where q.name = coalesce(_queue, q.name)
      order by f.state <> 'dead', q.name
      limit max_messages) m);
end $$;
grant execute on function private.list_queue_messages to service_role;

create function public.list_queue_messages(
  queue text default null, request_id text default null, max_messages int default 50) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_queue_messages(queue, request_id, max_messages);
comment on function public.list_queue_messages is
  'Messages of a queue or of all (null), or only those that a request caused: [{queue, messageId, state, message, '
  'attempts, lastError, isPermanent, requestId, enqueuedAt, failedAt, nextAttemptAt}]. Dead letters come first, the '
  'newest before others; state is dead, waiting or in_process, and message the first 300 characters. At most '
  'max_messages, up to 500. 400, 404. For the service (secret key) only.';
grant execute on function public.list_queue_messages to service_role;
