-- Posts a chat message as the guest of an access token.
create function private.post_guest_message(_access_token text, _body text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
declare
  guest   public.episode_guests := private.authenticate_guest(_access_token, for_write => true, at => at);
  message public.episode_messages;
begin
  perform private.require_not_declined(guest);
  perform private.consume_rate_limit('guest_messages:' || guest.id, 30, interval '1 minute', at);
  insert into public.episode_messages (episode_id, sender_user_id, sender_guest_id, body)
  values (guest.episode_id, null, guest.id, _body)  -- the guest sends, even if the caller is a user
  returning * into message;
  return private.guest_message_json(message, guest.id);
end $$;
grant execute on function private.post_guest_message to anon, authenticated;

create function public.post_guest_message(access_token text, body text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  message jsonb := private.post_guest_message(post_guest_message.access_token, post_guest_message.body);
begin
  perform set_config('response.status', '201', true);
  return message;
end $$;
comment on function public.post_guest_message is
  'POST /api/guests/messages: 201 with the message. Requires the access token, no login. 400, 401 INVALID or EXPIRED, '
  '403 GUEST_INVITATION_DECLINED, 409 PODCAST_PENDING_DELETION, 429 RATE_LIMITED over 30 a minute.';
grant execute on function public.post_guest_message to anon, authenticated;
