-- Archives the due unread notifications of a group with that link. A null link is that of rows without a link.
create function private.archive_notification_group(group_key text, link text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  archived_count bigint;
begin
  perform private.lock_inbox(), private.require_group_key(archive_notification_group.group_key);
  update public.notifications n set archived_at = archive_notification_group.at,
    read_at = archive_notification_group.at, updated_at = archive_notification_group.at
  where n.user_id = auth.uid() and n.group_key = archive_notification_group.group_key and n.read_at is null
    and n.link is not distinct from archive_notification_group.link
    and (n.scheduled_for is null or n.scheduled_for <= archive_notification_group.at);
  get diagnostics archived_count = row_count;
  return jsonb_build_object('archivedCount', archived_count);
end $$;
comment on function private.archive_notification_group is
  'Implementation of archive_notification_group (security definer). Finds the caller''s rows only.';
grant execute on function private.archive_notification_group to authenticated;

create function public.archive_notification_group(group_key text, link text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.archive_notification_group(archive_notification_group.group_key, archive_notification_group.link);
end $$;
comment on function public.archive_notification_group is
  'POST /api/notifications/archive-group: {archivedCount} of due unread notifications with this group_key and link; a '
  'null link is that of rows without one. 400, 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.archive_notification_group to authenticated;
