-- Archives a notification, which marks it as read.
create function private.archive_notification(notification_id uuid, at timestamptz default now())
returns public.notifications
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  notification public.notifications;
begin
  perform private.require_user();
  select * into notification from public.notifications n
  where n.id = archive_notification.notification_id and n.user_id = auth.uid()
  for no key update;
  if not found then
    perform private.raise_notification_not_found();
  elsif notification.archived_at is null then
    update public.notifications n set archived_at = archive_notification.at,
      read_at = coalesce(n.read_at, archive_notification.at), updated_at = archive_notification.at
    where n.id = notification.id
    returning * into notification;
  end if;
  return notification;
end $$;
comment on function private.archive_notification is
  'Implementation of archive_notification and delete_notification (security definer). Finds the caller''s rows only.';
grant execute on function private.archive_notification to authenticated;

create function public.archive_notification(notification_id uuid) returns public.notifications
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.archive_notification(archive_notification.notification_id);
end $$;
comment on function public.archive_notification is
  'POST /api/notifications/{id}/archive: returns the row. Safe to repeat. 401, 404 if not the caller''s.';
grant execute on function public.archive_notification to authenticated;
