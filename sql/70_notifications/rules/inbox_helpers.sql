-- What the verbs of the inbox share. Each acts on the caller's own notifications only.
-- Verbs that write many rows of a user wait for each other, because two of them could lock the same rows in different
-- order. New notifications do not wait: they lock the profile for key share.
create function private.lock_inbox() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_user();
  perform from public.profiles f where f.id = auth.uid() for no key update;
  if not found then
    perform private.require_account_of(auth.uid());
  end if;
end $$;
comment on function private.lock_inbox is 'Locks the caller''s profile. PT401, PT403 ACCOUNT_REQUIRED.';

-- One notification
create function private.change_notification(_notification_id uuid, change text, at timestamptz default now())
returns public.notifications
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  notification public.notifications;
  allowed      boolean;
begin
  perform private.require_user();
  select * into notification from public.notifications n
  where n.id = _notification_id and n.user_id = auth.uid()
  for no key update;
  allowed := found and case change
    when 'read' then notification.archived_at is null
      and coalesce(notification.scheduled_for <= at, true)
    when 'unread' then notification.archived_at is null and notification.read_at is not null
    when 'archive' then true
    when 'unarchive' then notification.archived_at is not null end;
  if not allowed then
    raise sqlstate 'PT404' using message = 'Notification not found', detail = case change
      when 'read' then 'A notification that is due and not archived can be marked as read'
      when 'unread' then 'A notification that is read and not archived can be marked as unread'
      when 'unarchive' then 'An archived notification can be unarchived' else '' end;
  elsif change in ('unread', 'unarchive') or change = 'read' and notification.read_at is null
    or change = 'archive' and notification.archived_at is null then
    update public.notifications n set
      read_at = case when change <> 'unread' then coalesce(n.read_at, at) end,
      archived_at = case when change = 'archive' then at end,
      updated_at = at
    where n.id = notification.id
    returning * into notification;
  end if;
  return notification;
end $$;
comment on function private.change_notification is
  'Makes one change to a notification of the caller: read, unread, archive or unarchive. PT404 for other rows, and '
  'when the notification does not allow the change.';
grant execute on function private.change_notification to authenticated;

-- The due unread notifications of a group with a link. A null link finds rows without a link.
create function private.read_notification_group(
  _group_key text, _link text, is_archived boolean, at timestamptz default now()) returns bigint
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  read_count bigint;
begin
  perform private.lock_inbox();
  if (char_length(_group_key) between 1 and 200) is not true then
    raise sqlstate 'PT400' using message = 'group_key must be 1 to 200 characters';
  end if;
  update public.notifications n set read_at = at, archived_at = case when is_archived then at end, updated_at = at
  where n.id = any (array(
    select o.id from public.notifications o
    where o.user_id = auth.uid() and o.group_key = _group_key and o.read_at is null
      and o.link is not distinct from _link
      and (o.scheduled_for is null or o.scheduled_for <= at)
    order by o.id for no key update));  -- in the order in which the deletion of an episode locks them
  get diagnostics read_count = row_count;
  return read_count;
end $$;
comment on function private.read_notification_group is
  'Marks the caller''s due unread notifications of a group and link as read, and archives them if is_archived. Returns '
  'how many were unread.';
grant execute on function private.read_notification_group to authenticated;
