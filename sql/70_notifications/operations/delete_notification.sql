-- Deletes a notification from the inbox, which archives it.
create function public.delete_notification(notification_id uuid) returns public.notifications
language sql volatile security invoker set search_path = ''
return private.change_notification(notification_id, 'archive');
comment on function public.delete_notification is
  'DELETE /api/notifications/{id}: archives the notification and returns the row. Safe to repeat. 401, 403, 404 if not '
  'the caller''s.';
grant execute on function public.delete_notification to authenticated;
