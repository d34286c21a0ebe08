-- Marks the due notifications of a group with that link as read. A null link is that of rows without a link.
create function public.mark_notification_group_read(group_key text, link text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.read_notification_group('markedCount', group_key, link, is_archived => false);
comment on function public.mark_notification_group_read is
  'POST /api/notifications/read-group: {markedCount, hasMore} of due unread notifications with this group_key and '
  'link; a null link is that of rows without one. Repeat the call while hasMore. 400, 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.mark_notification_group_read to authenticated;
