-- Emails about chat: what they list, and when reading or deleting it cancels them. An email that the worker has begun
-- is sent as it is.
create function private.delivery_notifications(delivery_id uuid)
returns table (notification public.notifications, total_count int)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
  select n, count(*) over ()::int
  from public.notifications n
  where n.id in (
    select c.notification_id from private.collapsed_notifications c
    where c.delivery_id = delivery_notifications.delivery_id
    union
    select d.notification_id from public.notification_deliveries d
    where d.id = delivery_notifications.delivery_id and d.collapse_key is null
  ) and (n.type not in ('chat.message', 'chat.mention')
    or exists (
      select from public.podcast_members m
      where m.user_id = n.user_id and m.podcast_id = (n.metadata ->> 'podcast_id')::uuid)
    or exists (select from public.episode_guests g where g.id = n.episode_guest_id and g.status = 'active'))
  order by n.created_at, n.id
  limit 20;
end $$;
comment on function private.delivery_notifications is
  'The notifications that a delivery sends, at most the 20 oldest, with the number of all. Those about a chat are left '
  'out once the recipient has left the team, or is no longer an active guest.';
-- No grant: the steps of the worker call it.
