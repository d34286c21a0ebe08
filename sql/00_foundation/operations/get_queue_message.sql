create function private.get_queue_message(_queue text, _message_id bigint, at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- the service has no grant on the queues
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('queue', _queue, 'messageId', m.message_id, 'state', m.state, 'message', m.message)
      || m.facts
    from private.require_queue_message(_queue, _message_id, at) m);
end $$;
grant execute on function private.get_queue_message to service_role;

create function public.get_queue_message(queue text, message_id bigint) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_queue_message(queue, message_id);
comment on function public.get_queue_message is
  'A message that waits, is in process or is dead, as list_queue_messages lists it, with the whole message as JSON. '
  'Its id is that of the log lines, also after it became a dead letter. 404. For the service (secret key) only.';
grant execute on function public.get_queue_message to service_role;
