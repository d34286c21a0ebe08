-- What emails and pushes are about, and when reading or deleting that cancels them. One that the worker has begun is
-- sent as it is.
create function private.chat_group_key(episode_id uuid) returns text
language sql immutable parallel safe security invoker set search_path = ''
return 'episode:' || $1 || ':chat';
comment on function private.chat_group_key is 'The group of the notifications about an episode''s chat.';

create function private.notification_problem(notification public.notifications, at timestamptz) returns text
language sql stable security invoker set search_path = ''
as $$
  select case
    when t.required_role is not null and not case
      when $1.episode_guest_id is not null then exists (
        select from public.episode_guests g where g.id = $1.episode_guest_id and g.status = 'active')
      else exists (
          select from public.podcast_members m
          where m.user_id in ($1.user_id, $1.unlisted_user_id) and m.role >= t.required_role
            and m.podcast_id = ($1.metadata ->> 'podcast_id')::uuid)
        or not exists (select from public.podcasts p where p.id = ($1.metadata ->> 'podcast_id')::uuid) end
      then 'The recipient no longer has access'
    when not t.is_essential and exists (
      select from public.notification_mutes m
      where m.user_id in ($1.user_id, $1.unlisted_user_id) and m.podcast_id = ($1.metadata ->> 'podcast_id')::uuid
        and case m.scope when 'podcast' then true
          when 'episode' then m.episode_id = ($1.metadata ->> 'episode_id')::uuid
          else $1.group_key = private.chat_group_key(m.episode_id) end
        and coalesce(m.muted_until > $2, true) and (m.mutes_mentions or not t.passes_mutes))
      then 'The recipient muted it' end
  from public.notification_types t where t.type = $1.type
$$;
comment on function private.notification_problem is
  'Why a notification must not be emailed or pushed; null if it may be. Its recipient must still have the role that '
  'its type requires on its podcast, if the podcast exists, a guest must be active, and the user must not have muted '
  'it.';

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
-- The next email of the group waits no longer than the first.
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
  if exists (select from private.email_backoffs b where b.recipient_id = any (readers)) then
    delete from private.email_backoffs b
    where b.recipient_id = any (readers) and (b.recipient_id, b.group_key) in (
      select coalesce(n.user_id, n.episode_guest_id), n.group_key from new_rows n where n.read_at is not null);
  end if;
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
