-- Marks a read notification as unread.
create function private.mark_notification_unread(notification_id uuid, at timestamptz default now())
returns public.notifications
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  notification public.notifications;
begin
  perform private.require_user();
  update public.notifications n set read_at = null, updated_at = mark_notification_unread.at
  where n.id = mark_notification_unread.notification_id and n.user_id = auth.uid()
    and n.read_at is not null and n.archived_at is null
  returning * into notification;
  if not found then
    perform private.raise_notification_not_found(
      'A notification that is read and not archived can be marked as unread');
  end if;
  return notification;
end $$;
comment on function private.mark_notification_unread is
  'Implementation of mark_notification_unread (security definer). Finds the caller''s rows only.';
grant execute on function private.mark_notification_unread to authenticated;

create function public.mark_notification_unread(notification_id uuid) returns public.notifications
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.mark_notification_unread(mark_notification_unread.notification_id);
end $$;
comment on function public.mark_notification_unread is
  'POST /api/notifications/{id}/unread: returns the row. 401, 404 if unread, archived or not the caller''s.';
grant execute on function public.mark_notification_unread to authenticated;
