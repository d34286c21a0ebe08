create function private.pause_queue(_queue text) returns jsonb
language plpgsql volatile security definer  -- the service may not write queues
set search_path = ''
as $$
begin
  perform private.require_queue(_queue);
  update private.queues q set is_paused = true where q.name = _queue and not q.is_paused;
  return jsonb_build_object('queue', _queue, 'isPaused', true);
end $$;
grant execute on function private.pause_queue to service_role;

create function public.pause_queue(queue text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.pause_queue(queue);
comment on function public.pause_queue is
  'Workers claim no more messages of the queue; those in process end. {queue, isPaused}. 404. For the service (secret '
  'key) only.';
grant execute on function public.pause_queue to service_role;
