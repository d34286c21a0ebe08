-- Marks a notification as read.
create function public.mark_notification_read(notification_id uuid) returns public.notifications
language sql volatile security invoker set search_path = ''
return private.change_notification(notification_id, 'read');
comment on function public.mark_notification_read is
  'POST /api/notifications/{id}/read: returns the row. Safe to repeat. 401, 403, 404 if archived, not due or not the '
  'caller''s, 429.';
grant execute on function public.mark_notification_read to authenticated;
