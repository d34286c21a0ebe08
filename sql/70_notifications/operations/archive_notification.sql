-- Archives a notification, which marks it as read.
create function public.archive_notification(notification_id uuid) returns public.notifications
language sql volatile security invoker set search_path = ''
return private.change_notification(notification_id, 'archive');
comment on function public.archive_notification is
  'POST /api/notifications/{id}/archive: returns the row. Safe to repeat. 401, 403, 404 if not the caller''s, 429.';
grant execute on function public.archive_notification to authenticated;
