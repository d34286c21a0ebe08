-- Reading or deleting what emails and pushes are about cancels them. One that the worker has begun is sent as it is.

-- Deliveries are locked by group, as new messages lock them: people who read or write in several chats then cannot
-- deadlock. Arrays keep the statements linear even where Postgres expects few rows.
create function private.cancel_deliveries(notification_ids uuid[]) returns void
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_custom_plan  -- a plan for one row may scan a table for each of 100,000
as $$
declare
  delivery_ids uuid[];
begin
  -- the locks wait for a scheduler, a worker and a further message that have the delivery
  select array_agg(l.id) into delivery_ids
  from (
    select d.id from public.notification_deliveries d
    where d.id = any (array(
        select c.delivery_id from private.collapsed_notifications c where c.notification_id = any (notification_ids)
        union
        select o.id from public.notification_deliveries o
        where o.notification_id = any (notification_ids) and o.channel = 'push'))
      and d.status in ('pending', 'queued')
    order by d.collapse_key, d.id for update) l;
  delete from private.collapsed_notifications c where c.notification_id = any (notification_ids);
  update public.notification_deliveries d set status = 'canceled'
  where d.id = any (delivery_ids)
    and not exists (select from private.delivery_sends s where s.delivery_id = d.id)
    and not exists (select from private.collapsed_notifications c where c.delivery_id = d.id);
end $$;
comment on function private.cancel_deliveries is
  'Takes notifications out of collapsed deliveries, and cancels emails and pushes that are not begun and have no '
  'others.';

-- Reading takes a notification from the email that would list it, and cancels a push that waits for quiet hours to end.
-- Once the whole group is read, its next email waits no longer than the first.
create function private.cancel_read_deliveries() returns trigger
language plpgsql security definer  -- readers may not write deliveries
set search_path = ''
as $$
declare
  readers      constant uuid[] := array(
    select distinct coalesce(n.user_id, n.episode_guest_id) from new_rows n where n.read_at is not null);
  delivery_ids uuid[];
  read_ids     uuid[];
begin
  delete from private.email_backoffs b
  where b.recipient_id = any (readers) and not exists (
    select from public.notifications n
    where n.group_key = b.group_key and n.read_at is null
      and (n.user_id = b.recipient_id or n.episode_guest_id = b.recipient_id));
  delivery_ids := array(  -- few, while 100,000 notifications may have changed
    select d.id from public.notification_deliveries d
    where coalesce(d.user_id, d.episode_guest_id) = any (readers)
      and d.status in ('pending', 'queued') and (d.collapse_key is not null or d.channel = 'push'));
  if delivery_ids <> '{}' then
    execute $read$  -- planned each time, as above; set operations never become nested loops
      select array(
        select n.id from new_rows n where n.read_at is not null
        intersect select o.id from old_rows o where o.read_at is null
        intersect (
          select c.notification_id from private.collapsed_notifications c where c.delivery_id = any ($1)
          union all
          select d.notification_id from public.notification_deliveries d where d.id = any ($1)))$read$
      into read_ids using delivery_ids;
  end if;
  if read_ids <> '{}' then
    perform private.cancel_deliveries(read_ids);
  end if;
  return null;
end $$;
create trigger t500_cancel_deliveries after update on public.notifications
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.cancel_read_deliveries();

create function private.message_notification_ids(message_ids uuid[]) returns uuid[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_custom_plan  -- as above
as $$
begin
  return array(
    select k.notification_id from private.notification_keys k
    where k.dedupe_key = any (array(select 'message:' || m.id from unnest(message_ids) m (id))));
end $$;
comment on function private.message_notification_ids is 'The notifications of chat messages.';

-- A deleted message leaves no excerpt. Emails that were sent stay, because events of the provider name them.
create function private.delete_notifications(notification_ids uuid[]) returns void
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_custom_plan  -- as above
as $$
begin
  if notification_ids <> '{}' then
    perform from public.notifications n where n.id = any (notification_ids) order by n.id for update;
    perform private.cancel_deliveries(notification_ids);
    delete from public.notifications n where n.id = any (notification_ids);
  end if;
end $$;
comment on function private.delete_notifications is
  'Deletes notifications with their pushes, and takes them out of emails.';

create function private.delete_notifications_of_deleted_message() returns trigger
language plpgsql security definer  -- senders may not delete notifications
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('notifications/' || private.chat_group_key(new.episode_id), 0));
  perform private.delete_notifications(private.message_notification_ids(array[new.id]));
  return null;
end $$;
create trigger t500_delete_notifications after update of deleted_at on public.episode_messages
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function private.delete_notifications_of_deleted_message();

-- Messages are deleted with their guest.
create function private.delete_notifications_of_deleted_rows() returns trigger
language plpgsql security definer  -- owners of podcasts may not delete notifications
set search_path = ''
as $$
begin
  perform private.delete_notifications(private.message_notification_ids(array(select o.id from old_rows o)));
  return null;
end $$;
create trigger t500_delete_notifications_with_rows after delete on public.episode_messages
  referencing old table as old_rows for each statement
  execute function private.delete_notifications_of_deleted_rows();

-- All at once and under the locks of their inboxes, before foreign keys delete guests and messages one by one: the
-- verbs of an inbox lock its notifications in another order.
create function private.delete_notifications_of_deleted_episode() returns trigger
language plpgsql security definer  -- owners of podcasts may not delete notifications
set search_path = ''
set plan_cache_mode = force_custom_plan  -- as above
as $$
declare
  notification_ids uuid[] := private.message_notification_ids(array(
    select m.id from public.episode_messages m where m.episode_id = old.id)) || array(
    select n.id from public.notifications n
    where n.episode_guest_id = any (array(select g.id from public.episode_guests g where g.episode_id = old.id)));
begin
  perform from public.profiles f
  where f.id = any (array(select distinct n.user_id from public.notifications n where n.id = any (notification_ids)))
  order by f.id for no key update;
  perform private.delete_notifications(notification_ids);
  return old;
end $$;
create trigger t510_delete_notifications before delete on public.episodes
  for each row execute function private.delete_notifications_of_deleted_episode();
