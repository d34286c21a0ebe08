-- Marks a notification as read.
create function private.mark_notification_read(notification_id uuid, at timestamptz default now())
returns public.notifications
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  notification public.notifications;
begin
  perform private.require_user();
  select * into notification from public.notifications n
  where n.id = mark_notification_read.notification_id and n.user_id = auth.uid() and n.archived_at is null
    and (n.scheduled_for is null or n.scheduled_for <= mark_notification_read.at)
  for no key update;
  if not found then
    perform private.raise_notification_not_found('A notification that is due and not archived can be marked as read');
  elsif notification.read_at is null then
    update public.notifications n
    set read_at = mark_notification_read.at, updated_at = mark_notification_read.at
    where n.id = notification.id
    returning * into notification;
  end if;
  return notification;
end $$;
comment on function private.mark_notification_read is
  'Implementation of mark_notification_read (security definer). Finds the caller''s rows only.';
grant execute on function private.mark_notification_read to authenticated;

create function public.mark_notification_read(notification_id uuid) returns public.notifications
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.mark_notification_read(mark_notification_read.notification_id);
end $$;
comment on function public.mark_notification_read is
  'POST /api/notifications/{id}/read: returns the row. Safe to repeat. 401, 404 if archived, not due or not the '
  'caller''s.';
grant execute on function public.mark_notification_read to authenticated;
