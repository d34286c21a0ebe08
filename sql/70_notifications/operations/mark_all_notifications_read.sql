-- Marks all due notifications, or those of a category, as read.
create function private.mark_all_notifications_read(
  _category public.notification_category, at timestamptz default now(), max_rows int default null
) returns jsonb
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
begin
  perform private.lock_inbox();
  if _category = 'system' then
    raise sqlstate 'PT400' using message = 'category must be one of: episode, collaboration, team, booking';
  end if;
  return private.change_inbox('markedCount', 'read_at = $1',
    'n.read_at is null and (n.scheduled_for is null or n.scheduled_for <= $1) and ($2 is null or n.category = $2)',
    category => _category, at => at, max_rows => max_rows);
end $$;
grant execute on function private.mark_all_notifications_read to authenticated;

create function public.mark_all_notifications_read(category public.notification_category default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.mark_all_notifications_read(category);
comment on function public.mark_all_notifications_read is
  'POST /api/notifications/read-all: {markedCount, hasMore} of due notifications, or those of a category other than '
  'system. Repeat the call while hasMore. 400, 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.mark_all_notifications_read to authenticated;
