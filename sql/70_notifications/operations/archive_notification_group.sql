-- Archives the due unread notifications of a group with that link. A null link is that of rows without a link.
create function public.archive_notification_group(group_key text, link text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.read_notification_group('archivedCount', group_key, link, is_archived => true);
comment on function public.archive_notification_group is
  'POST /api/notifications/archive-group: {archivedCount, hasMore} of due unread notifications with this group_key and '
  'link; a null link is that of rows without one. Repeat the call while hasMore. 400, 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.archive_notification_group to authenticated;
