-- Marks the due notifications of a group with that link as read. A null link is that of rows without a link.
create function private.mark_notification_group_read(group_key text, link text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  marked_count bigint;
begin
  perform private.lock_inbox(), private.require_group_key(mark_notification_group_read.group_key);
  update public.notifications n
  set read_at = mark_notification_group_read.at, updated_at = mark_notification_group_read.at
  where n.user_id = auth.uid() and n.group_key = mark_notification_group_read.group_key and n.read_at is null
    and n.link is not distinct from mark_notification_group_read.link
    and (n.scheduled_for is null or n.scheduled_for <= mark_notification_group_read.at);
  get diagnostics marked_count = row_count;
  return jsonb_build_object('markedCount', marked_count);
end $$;
comment on function private.mark_notification_group_read is
  'Implementation of mark_notification_group_read (security definer). Finds the caller''s rows only.';
grant execute on function private.mark_notification_group_read to authenticated;

create function public.mark_notification_group_read(group_key text, link text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.mark_notification_group_read(
    mark_notification_group_read.group_key, mark_notification_group_read.link);
end $$;
comment on function public.mark_notification_group_read is
  'POST /api/notifications/read-group: {markedCount} of due unread notifications with this group_key and link; a null '
  'link is that of rows without one. 400, 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.mark_notification_group_read to authenticated;
