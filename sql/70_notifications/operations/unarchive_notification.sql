-- Returns an archived notification to the inbox, as a read one.
create function public.unarchive_notification(notification_id uuid) returns public.notifications
language sql volatile security invoker set search_path = ''
return private.change_notification(notification_id, 'unarchive');
comment on function public.unarchive_notification is
  'POST /api/notifications/{id}/unarchive: returns the row; read_at is unchanged. 401, 403, 404 if not archived or not '
  'the caller''s, 429.';
grant execute on function public.unarchive_notification to authenticated;
