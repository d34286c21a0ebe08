-- Deletes the caller's own message. The row stays without its body, so that realtime subscribers receive an update.
create function private.delete_episode_message(_message_id uuid, at timestamptz default now())
returns public.episode_messages
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  message public.episode_messages;
begin
  perform private.require_user();
  perform from public.podcasts p
  join public.episodes e on e.podcast_id = p.id
  join public.episode_messages m on m.episode_id = e.id
  where m.id = _message_id and m.podcast_id = any (private.my_podcasts('member'))
  for key share of p, e;  -- deletions lock in this order
  select * into message from public.episode_messages m
  where m.id = _message_id and m.podcast_id = any (private.my_podcasts('member'))
  for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Message not found';
  elsif message.sender_user_id is distinct from auth.uid() then
    raise sqlstate 'PT403' using message = 'Only the sender can delete this message';
  elsif message.deleted_at is null then
    update public.episode_messages m set body = null, deleted_at = at
    where m.id = message.id
    returning * into message;
  end if;
  return message;
end $$;
grant execute on function private.delete_episode_message to authenticated;

create function public.delete_episode_message(message_id uuid) returns public.episode_messages
language sql volatile security invoker set search_path = ''
return private.delete_episode_message(message_id);
comment on function public.delete_episode_message is
  'Clears the body of the caller''s own message and sets deleted_at; returns the row. Safe to repeat. '
  'Requires membership. 401, 403 for another sender, 404.';
grant execute on function public.delete_episode_message to authenticated;
