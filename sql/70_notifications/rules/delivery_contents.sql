-- What emails and pushes are about, and why they must not be sent.
create function private.chat_group_key(episode_id uuid) returns text
language sql immutable parallel safe security invoker set search_path = ''
return 'episode:' || $1 || ':chat';
comment on function private.chat_group_key is 'The group of the notifications about an episode''s chat.';

create function private.notification_problem(notification public.notifications, at timestamptz) returns text
language sql stable security invoker set search_path = ''
as $$
  select case
    when t.subject is not null and exists (
      select from private.ended_notifications e where e.notification_id = $1.id) then 'What it asks for is over'
    when $1.type in ('booking.confirmed', 'booking.rescheduled', 'booking.reminder')
      and not private.is_session_ahead(($1.metadata ->> 'booking_id')::uuid, $2)
      then 'The session has begun, or is canceled'
    when t.required_role is not null and $1.metadata ->> 'podcast_id' is not null and not case
      when $1.episode_guest_id is not null then exists (
        select from public.episode_guests g where g.id = $1.episode_guest_id and g.status = 'active')
      else exists (
        select from public.podcast_members m
        where m.user_id in ($1.user_id, $1.unlisted_user_id) and m.role >= t.required_role
          and m.podcast_id = ($1.metadata ->> 'podcast_id')::uuid) end
      then 'The recipient no longer has access'
    when not t.is_essential and exists (
      select from public.notification_mutes m
      where m.user_id in ($1.user_id, $1.unlisted_user_id) and m.podcast_id = ($1.metadata ->> 'podcast_id')::uuid
        and case m.scope when 'podcast' then true
          when 'episode' then m.episode_id = ($1.metadata ->> 'episode_id')::uuid
          else $1.group_key = private.chat_group_key(m.episode_id) end
        -- one that came while it was muted is not sent later
        and (coalesce(m.muted_until > $2, true) or $1.created_at between m.created_at and m.muted_until)
        and (m.mutes_mentions or not t.passes_mutes))
      then 'The recipient muted it' end
  from public.notification_types t where t.type = $1.type
$$;
comment on function private.notification_problem is
  'Why a notification must not be emailed or pushed; null if it may be. Its subject must still wait, a '
  'confirmed session be ahead, its recipient must still have the role that its type requires on its podcast, a guest '
  'must be active, and the user must not have muted it, then or when it came.';

create function private.notification_ids_of(delivery public.notification_deliveries) returns setof uuid
language sql stable rows 1 security invoker set search_path = ''
as $$
  select c.notification_id from private.collapsed_notifications c where c.delivery_id = $1.id
  union
  select $1.notification_id where $1.collapse_key is null
$$;
comment on function private.notification_ids_of is 'The notifications that a delivery is about.';

create function private.delivery_problem(delivery public.notification_deliveries, at timestamptz) returns text
language sql stable security invoker set search_path = ''
as $$
  select case
    when count(p.problem) = count(*) then min(p.problem)
    -- an attempt that has begun repeats its content
    when exists (select from private.delivery_sends s where s.delivery_id = $1.id and s.content is not null)
      then min(p.problem) end
  from public.notifications n
  cross join lateral private.notification_problem(n, $2) p (problem)
  where n.id in (select private.notification_ids_of($1))
$$;
comment on function private.delivery_problem is
  'Why a delivery must not be sent because of what it is about: a problem of all of its notifications, or of one after '
  'an attempt.';

create function private.delivery_notifications(
  _delivery_id uuid, max_rows int default 20, at timestamptz default now())
returns table (notification public.notifications, total_count int)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  delivery public.notification_deliveries;
  off      text[];
begin
  select * into delivery from public.notification_deliveries d where d.id = _delivery_id;
  if delivery.collapse_key is not null then
    off := array(
      select distinct n.type from public.notifications n
      where n.id in (select private.notification_ids_of(delivery))
        and private.is_email_off(delivery, (private.email_recipient(_delivery_id)).email, n.type));
  end if;
  return query
  select n, count(*) over ()::int
  from public.notifications n
  where n.id in (select private.notification_ids_of(delivery)) and private.notification_problem(n, at) is null
    and (n.type = any (off)) is not true
  order by case when delivery.channel = 'email' then n.created_at end,
    case when delivery.channel = 'email' then n.id end, n.created_at desc, n.id desc
  limit max_rows;
end $$;
comment on function private.delivery_notifications is
  'The notifications that a delivery sends, of an email the oldest, of a push the newest, with the number of all. '
  'Left out are those that have a problem, and, if several were to become one, types that the recipient turned off.';
-- No grant: the steps of the worker call it.
