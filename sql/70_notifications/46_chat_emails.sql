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
    select l.id
    from public.notification_deliveries d
    join private.collapsed_notifications c on c.delivery_id = d.id
    join public.notifications l on l.id = c.notification_id
    where d.id = delivery_notifications.delivery_id
      and not private.is_email_off(d, (private.email_recipient(d.id)).email, l.type)
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
  'The notifications that a delivery sends, at most the 20 oldest, with the number of all. A collapsed email '
  'leaves out types that its recipient turned off. Those about a chat are left out once the recipient has left the '
  'team, or is no longer an active guest.';
-- No grant: the steps of the worker call it.

create function private.cancel_deliveries(delivery_ids uuid[]) returns void
language sql volatile security invoker set search_path = ''
as $$
  update public.notification_deliveries d set status = 'canceled'
  where d.id = any ($1) and d.status in ('pending', 'queued')
    and not exists (select from private.delivery_sends s where s.delivery_id = d.id)
    and not exists (select from private.collapsed_notifications c where c.delivery_id = d.id)
$$;
comment on function private.cancel_deliveries is
  'Cancels those of these deliveries, locked by the caller, that are not begun and list no further notification.';

-- Reading takes a notification from the email that would list it, and cancels a push that waits for quiet hours to end.
create function private.cancel_read_deliveries() returns trigger
language plpgsql security definer  -- readers may not write deliveries
set search_path = ''
as $$
declare
  delivery_ids uuid[];
begin
  -- the locks wait for a scheduler, a worker and a further message that have the delivery
  select array_agg(l.id) into delivery_ids
  from (
    select d.id from public.notification_deliveries d
    where coalesce(d.user_id, d.episode_guest_id) in (select coalesce(n.user_id, n.episode_guest_id) from new_rows n)
      and d.status in ('pending', 'queued') and (d.collapse_key is not null or d.channel = 'push')
    order by d.id for update) l;
  if delivery_ids is null then
    return null;
  end if;
  with listed as materialized (  -- few, while 100,000 rows may have changed
    select c.notification_id, c.delivery_id from private.collapsed_notifications c
    where c.delivery_id = any (delivery_ids)
    union all
    select d.notification_id, d.id from public.notification_deliveries d
    where d.id = any (delivery_ids) and d.channel = 'push'
  ), read as materialized (
    select l.notification_id, l.delivery_id
    from listed l
    join new_rows n on n.id = l.notification_id and n.read_at is not null
    join old_rows o on o.id = l.notification_id and o.read_at is null
  ), unlisted as (
    delete from private.collapsed_notifications c using read r
    where c.notification_id = r.notification_id and c.delivery_id = r.delivery_id
  )
  select array_agg(r.delivery_id) into delivery_ids from read r;
  perform private.cancel_deliveries(delivery_ids);
  return null;
end $$;
create trigger t500_cancel_deliveries after update on public.notifications
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.cancel_read_deliveries();

-- A deleted message leaves no excerpt. Deliveries that were sent stay, because events of the provider name them.
create function private.delete_message_notifications(message_ids uuid[]) returns void
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_custom_plan  -- a plan for a few messages is quadratic for those of an episode
as $$
declare
  notification_ids uuid[];
  delivery_ids     uuid[];
begin
  select array_agg(l.id) into notification_ids
  from (
    select n.id from public.notifications n
    where n.id in (
      select k.notification_id from private.notification_keys k
      where k.dedupe_key = any (array(select 'message:' || m.id from unnest(message_ids) m (id))))
    order by n.id for update) l;
  if notification_ids is null then
    return;
  end if;
  select array_agg(l.id) into delivery_ids
  from (
    select d.id from public.notification_deliveries d
    where d.notification_id = any (notification_ids) or d.id in (
      select c.delivery_id from private.collapsed_notifications c where c.notification_id = any (notification_ids))
    order by d.id for update) l;
  -- One update of a row: Postgres would check all foreign keys of a row that its own transaction updated before, and
  -- their locks deadlock with the deletion of accounts.
  with gone as materialized (
    select unnest(notification_ids) as id
  ), other as materialized (
    select distinct on (c.delivery_id) c.delivery_id, c.notification_id
    from private.collapsed_notifications c
    where c.delivery_id = any (delivery_ids) and not exists (select from gone g where g.id = c.notification_id)
  ), affected as materialized (
    select u.id, o.notification_id as other_id
    from unnest(delivery_ids) u (id) left join other o on o.delivery_id = u.id
  )
  update public.notification_deliveries d set
    notification_id = case when d.notification_id in (select g.id from gone g) then a.other_id
      else d.notification_id end,
    status = case when d.status in ('pending', 'queued') and a.other_id is null
      and not exists (select from private.delivery_sends s where s.delivery_id = d.id) then 'canceled'
      else d.status end
  from affected a where d.id = a.id;
  delete from public.notifications n where n.id = any (notification_ids);
end $$;
comment on function private.delete_message_notifications is
  'Deletes the notifications of chat messages, and cancels the deliveries that are not begun and have no others.';

create function private.chat_group_key(episode_id uuid) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$ select 'episode:' || $1 || ':chat' $$;
comment on function private.chat_group_key is 'The group of the notifications about an episode''s chat.';

create function private.delete_notifications_of_deleted_message() returns trigger
language plpgsql security definer  -- senders may not delete notifications
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('notifications/' || private.chat_group_key(new.episode_id), 0));
  perform private.delete_message_notifications(array[new.id]);
  return null;
end $$;
create trigger t500_delete_notifications after update of deleted_at on public.episode_messages
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function private.delete_notifications_of_deleted_message();

-- Messages are deleted with their episode, which waits for calls of notify_chat_message.
create function private.delete_notifications_of_deleted_rows() returns trigger
language plpgsql security definer  -- owners of podcasts may not delete notifications
set search_path = ''
as $$
begin
  perform private.delete_message_notifications(array(select o.id from old_rows o));
  return null;
end $$;
create trigger t500_delete_notifications_with_rows after delete on public.episode_messages
  referencing old table as old_rows for each statement
  execute function private.delete_notifications_of_deleted_rows();
