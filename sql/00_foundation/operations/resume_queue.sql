create function private.resume_queue(_queue text) returns jsonb
language plpgsql volatile security definer  -- the service may not write queues
set search_path = ''
as $$
begin
  perform private.require_queue(_queue);
  update private.queues q set is_paused = false where q.name = _queue and q.is_paused;
  perform private.wake_worker_once(_queue);
  return jsonb_build_object('queue', _queue, 'isPaused', false);
end $$;
grant execute on function private.resume_queue to service_role;

create function public.resume_queue(queue text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.resume_queue(queue);
comment on function public.resume_queue is
  'Workers claim the queue''s messages again. {queue, isPaused}. 404. For the service (secret key) only.';
grant execute on function public.resume_queue to service_role;
