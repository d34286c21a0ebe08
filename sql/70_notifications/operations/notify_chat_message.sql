-- Notifies the team and the active guests of a chat message, once, except its sender and those who have the chat open.
create function private.chat_participants(episode_id uuid)
returns table (user_id uuid, episode_guest_id uuid, guest_ids uuid[], name text)
language sql stable security invoker set search_path = ''
as $$
  with member as (
    select m.user_id from public.podcast_members m join public.episodes e on e.podcast_id = m.podcast_id
    where e.id = $1
  ), guest as (
    select g.id, p.user_id, p.display_name
    from public.episode_guests g join public.podcast_guests p on p.id = g.podcast_guest_id
    where g.episode_id = $1 and g.status = 'active'
  )
  select m.user_id, null::uuid, array(select g.id from guest g where g.user_id = m.user_id), f.display_name
  from member m join public.profiles f on f.id = m.user_id
  union all
  select g.user_id, g.id, array[g.id], g.display_name
  from guest g where g.user_id is null or g.user_id not in (select m.user_id from member m)
$$;
comment on function private.chat_participants is
  'The people in an episode''s chat: the team, and the active guests who are not on it. user_id is the person''s '
  'account, if any, episode_guest_id is set for guests, and guest_ids has the person''s places among the guests.';

create function private.notify_chat_message(
  _episode_id uuid, message_id text, _access_token text, active_user_ids uuid[], active_guest_ids uuid[],
  at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- callers may not write notifications; the token or the role authorizes
set search_path = ''
as $$
declare
  guest                  public.episode_guests;  -- the sender, if a guest
  member_id              uuid;                   -- the sender, if a member
  podcast_id             uuid;
  message                public.episode_messages;
  sender_id              uuid;
  recipients             record;
  event_id               bigint;
  event_ids              bigint[];
  max_immediate_mentions int;  -- per hour and recipient
begin
  if cardinality(active_user_ids) > 500 or cardinality(active_guest_ids) > 500 then
    raise sqlstate 'PT400' using message = 'activeUserIds and activeGuestIds must have at most 500 entries each';
  end if;
  if _access_token is not null then
    guest := private.authenticate_guest(_access_token, for_write => true, at => at);
    perform private.require_guest_of_episode(guest, _episode_id);
    perform private.require_not_declined(guest);
    podcast_id := guest.podcast_id;
  else
    podcast_id := private.require_episode_role(_episode_id, 'member');
    member_id := auth.uid();
  end if;
  sender_id := coalesce(guest.id, member_id);
  perform private.consume_rate_limit('chat_notifications:' || sender_id,
    private.get_setting('max_chat_notifications_per_minute')::int, interval '1 minute', at);
  perform private.require_writable_podcast(podcast_id);
  perform from public.episodes e where e.id = _episode_id for key share;  -- before the message
  max_immediate_mentions := case when guest.id is null then 20 else 3 end;

  if pg_input_is_valid(message_id, 'uuid') then
    -- the lock makes a deletion of the message wait, so that it finds the notifications
    select m.* into message from public.episode_messages m
    where m.id = message_id::uuid and m.episode_id = _episode_id and m.deleted_at is null
    for share;
  end if;
  if message.id is null then
    raise sqlstate 'PT404' using message = 'Message not found';
  elsif (message.sender_user_id, message.sender_guest_id) is distinct from (member_id, guest.id) then
    raise sqlstate 'PT403' using message = 'Only the sender can notify others of this message';
  end if;

  for recipients in
    with participant as materialized (
      select row_number() over () as place, p.* from private.chat_participants(message.episode_id) p
    ), mention as materialized (
      select private.mentioned_recipients(message.body, array_agg(p.name order by p.place)) as places from participant p
    )
    select r.are_mentioned, r.is_usual,
      jsonb_agg(case when r.episode_guest_id is null then jsonb_build_object('user_id', r.user_id)
        else jsonb_build_object('episode_guest_id', r.episode_guest_id) end) as list,
      array_agg(r.key order by r.key) as keys
    from (
      select p.*, p.place = any (m.places) as are_mentioned, k.key,
        -- a mention passes quiet hours and overtakes the deliveries of others, and a guest can be anyone with the link
        p.place = any (m.places) and private.is_rate_limit_reached(
          'immediate_mentions:' || k.key, max_immediate_mentions, interval '1 hour', at) as is_usual
      from participant p cross join mention m
      cross join lateral (
        select concat(sender_id, '/', coalesce(p.episode_guest_id, p.user_id))) k (key)
      where (p.user_id = any (active_user_ids || member_id)) is not true
        and not p.guest_ids && (active_guest_ids || guest.id)) r
    group by r.are_mentioned, r.is_usual
  loop
    event_id := private.notify(
      case when recipients.are_mentioned then 'chat.mention' else 'chat.message' end, recipients.list,
      jsonb_strip_nulls(jsonb_build_object(
        'podcast_id', podcast_id, 'episode_id', message.episode_id, 'message_id', message.id,
        'actor_id', member_id,
        'params', jsonb_build_object(
          'excerpt', private.shorten_text(private.normalize_line(message.body), 200),
          'actor', (select g.display_name from public.podcast_guests g where g.id = guest.podcast_guest_id)))),
      _dedupe_key => 'message:' || message.id, _group_key => private.chat_group_key(message.episode_id),
      _priority => case when recipients.is_usual then 'normal' end, at => at);
    event_ids := event_ids || event_id;
    perform private.try_consume_rate_limit(
      'immediate_mentions:' || k.key, max_immediate_mentions, interval '1 hour', at)
    from unnest(recipients.keys) k (key)
    where recipients.are_mentioned and not recipients.is_usual
      -- a repeated call notifies no one, and counts nothing
      and exists (select from private.events e where e.id = event_id and e.notified_count > 0);
  end loop;
  return (
    select jsonb_build_object('notifiedCount', coalesce(sum(e.notified_count), 0),
      'dedupedCount', coalesce(sum(e.deduped_count), 0))
    from private.events e where e.id = any (event_ids));
end $$;
grant execute on function private.notify_chat_message to anon, authenticated;

create function public.notify_chat_message(
  episode_id uuid, message_id text, access_token text default null, active_user_ids uuid[] default '{}',
  active_guest_ids uuid[] default '{}'
) returns jsonb
language sql volatile security invoker set search_path = ''
return private.notify_chat_message(episode_id, message_id, access_token, active_user_ids, active_guest_ids);
comment on function public.notify_chat_message is
  'POST /api/notifications/events/chat: {notifiedCount, dedupedCount}. Notifies the team and the active guests of the '
  'caller''s message, with chat.mention those whom it mentions, except the users and guests who have the chat open. A '
  'message notifies a person once. Requires membership, or the access token of a guest, which is used if both are '
  'present. 400 over 500 active ids, 401 INVALID or EXPIRED, 403 for another sender or episode and '
  'GUEST_INVITATION_DECLINED, 404, 409 PODCAST_PENDING_DELETION, 429 RATE_LIMITED.';
grant execute on function public.notify_chat_message to anon, authenticated;
