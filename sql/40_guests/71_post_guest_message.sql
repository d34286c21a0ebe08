-- A guest writes into the chat of the episode that their token opens.
create function private.post_guest_message(access_token text, body text) returns jsonb
language plpgsql volatile security definer  -- guests have no grants; the token says which episode
set search_path = ''
as $$
declare
  guest   public.episode_guests := private.authenticate_guest(post_guest_message.access_token, for_write => true);
  written public.episode_messages;
begin
  perform private.require_not_declined(guest);
  perform private.consume_rate_limit('guest_message:' || guest.id, 30, interval '1 minute');
  insert into public.episode_messages (episode_id, sender_user_id, sender_guest_id, body)
  values (guest.episode_id, null, guest.id, post_guest_message.body)  -- also when a signed-in user holds the token
  returning * into written;
  return private.guest_message_json(written, guest.id);
end $$;
comment on function private.post_guest_message is
  'Writes as the token''s guest. PT401 INVALID or EXPIRED, PT403 INVITATION_DECLINED, PT409 the podcast is on its way out, PT429 over 30 a minute.';
grant execute on function private.post_guest_message to anon, authenticated;  -- the token is checked here

create function public.post_guest_message(access_token text, body text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  written jsonb := private.post_guest_message(post_guest_message.access_token, post_guest_message.body);
begin
  perform set_config('response.status', '201', true);
  return written;
end $$;
comment on function public.post_guest_message is
  'POST /api/guests/messages: 201 with the message. 400, 401 INVALID or EXPIRED, 403 INVITATION_DECLINED, 409 PODCAST_PENDING_DELETION, 429 RATE_LIMITED.';
grant execute on function public.post_guest_message to anon, authenticated;
