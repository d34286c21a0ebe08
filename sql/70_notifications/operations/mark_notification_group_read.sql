-- Marks the due notifications of a group with that link as read. A null link is that of rows without a link.
create function public.mark_notification_group_read(group_key text, link text) returns jsonb
language sql volatile security invoker set search_path = ''
return jsonb_build_object('markedCount', private.read_notification_group(group_key, link, is_archived => false));
comment on function public.mark_notification_group_read is
  'POST /api/notifications/read-group: {markedCount} of due unread notifications with this group_key and link; a null '
  'link is that of rows without one. 400, 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.mark_notification_group_read to authenticated;
