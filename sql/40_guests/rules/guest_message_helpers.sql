-- Shared by the operations on the chat that an access token authorizes.
create function private.require_guest_of_episode(guest public.episode_guests, _episode_id uuid) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if guest.episode_id is distinct from _episode_id then
    raise sqlstate 'PT403' using message = 'The access token belongs to another episode';
  end if;
end $$;
comment on function private.require_guest_of_episode is 'PT403 for a guest of another episode.';

create function private.require_not_declined(guest public.episode_guests) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if guest.status = 'declined' then
    raise sqlstate 'PT403' using hint = 'GUEST_INVITATION_DECLINED',
      message = 'You declined this invitation; accept it to join the chat';
  end if;
end $$;
comment on function private.require_not_declined is 'PT403 GUEST_INVITATION_DECLINED for a guest who declined.';

create function private.guest_message_json(message public.episode_messages, reader_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'id', $1.id, 'body', $1.body, 'createdAt', private.format_timestamp($1.created_at),
    'deletedAt', private.format_timestamp($1.deleted_at),
    'isMine', $1.sender_guest_id is not distinct from $2,
    'sender', jsonb_build_object(
      'type', case when $1.sender_guest_id is null then 'member' else 'guest' end,
      'name', coalesce(
        $1.sender_name, case when $1.sender_guest_id is null then p.display_name else g.display_name end),
      'avatarUrl', p.avatar_url))
  from (select) one
  left join public.episode_guests eg on eg.id = $1.sender_guest_id
  left join public.podcast_guests g on g.id = eg.podcast_guest_id
  left join public.profiles p on p.id = coalesce($1.sender_user_id, g.user_id)
$$;
comment on function private.guest_message_json is
  'A chat message as the API shows it to a guest. A deleted message has deletedAt and no body.';
