-- Marks a read notification as unread.
create function public.mark_notification_unread(notification_id uuid) returns public.notifications
language sql volatile security invoker set search_path = ''
return private.change_notification(notification_id, 'unread');
comment on function public.mark_notification_unread is
  'POST /api/notifications/{id}/unread: returns the row. 401, 403, 404 if unread, archived or not the caller''s, '
  '429.';
grant execute on function public.mark_notification_unread to authenticated;
