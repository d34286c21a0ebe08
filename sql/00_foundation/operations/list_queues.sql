create function private.list_queues() returns jsonb
language plpgsql stable security definer  -- the service has no grant on the queues
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
        'queue', h.queue, 'description', h.description, 'isPaused', h.is_paused, 'isStandalone', h.is_standalone,
        'retriedBy', h.retried_by, 'maxAttempts', h.max_attempts, 'depth', h.depth, 'visible', h.visible,
        'waitingSeconds', h.waiting_seconds, 'deadLetters', h.dead_letters, 'totalMessages', h.total_messages)
      order by h.queue), '[]')
    from private.queue_health h);
end $$;
grant execute on function private.list_queues to service_role;

create function public.list_queues() returns jsonb
language sql stable security invoker set search_path = ''
return private.list_queues();
comment on function public.list_queues is
  'All queues: [{queue, description, isPaused, isStandalone, retriedBy, maxAttempts, depth, visible, waitingSeconds, '
  'deadLetters, totalMessages}]. waitingSeconds is how long the first visible message has waited; retriedBy is null if '
  'retry_queue_messages retries dead letters. For the service (secret key) only.';
grant execute on function public.list_queues to service_role;
