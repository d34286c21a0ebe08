create function private.drop_queue_message(
  _queue text, _message_id bigint, at timestamptz default clock_timestamp()) returns jsonb
language plpgsql volatile security definer  -- the service has no grant on the queues
set search_path = ''
as $$
declare
  subject record;
begin
  select * into subject from private.require_queue_message(_queue, _message_id, at);
  if subject.state = 'in_process' then
    raise sqlstate 'PT409' using message = 'A worker has the message; wait for its outcome';
  elsif subject.state = 'waiting' then  -- triggers of dead letters fail what the message is about
    perform private.fail_job(_queue, _message_id, 'Dropped by an operator', _is_permanent => true, at => at);
  end if;
  execute format('delete from pgmq.%I d where d.message ->> ''msg_id'' = $1::text', 'q_' || _queue || '_dlq')
    using _message_id;
  raise log 'castbase: message % of % was dropped', _message_id, _queue;
  return jsonb_build_object('queue', _queue, 'messageId', _message_id, 'message', subject.message) || subject.facts;
end $$;
grant execute on function private.drop_queue_message to service_role;

create function public.drop_queue_message(queue text, message_id bigint) returns jsonb
language sql volatile security invoker set search_path = ''
return private.drop_queue_message(queue, message_id);
comment on function public.drop_queue_message is
  'Deletes a message or a dead letter, and returns it as get_queue_message does, without its state. What a waiting '
  'message was about fails as after the last attempt. 404, 409 if a worker has it. For the service (secret key) only.';
grant execute on function public.drop_queue_message to service_role;
