-- Marks all due notifications, or those of a category, as read.
create function private.mark_all_notifications_read(
  _category public.notification_category, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  marked_count bigint;
begin
  perform private.lock_inbox();
  if _category = 'system' then
    raise sqlstate 'PT400' using message = 'category must be one of: episode, collaboration, team, booking';
  end if;
  update public.notifications n
  set read_at = at, updated_at = at
  where n.user_id = auth.uid() and n.read_at is null
    and (n.scheduled_for is null or n.scheduled_for <= at)
    and (_category is null or n.category = _category);
  get diagnostics marked_count = row_count;
  return jsonb_build_object('markedCount', marked_count);
end $$;
grant execute on function private.mark_all_notifications_read to authenticated;

create function public.mark_all_notifications_read(category public.notification_category default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.mark_all_notifications_read(category);
comment on function public.mark_all_notifications_read is
  'POST /api/notifications/read-all: {markedCount} of due notifications, or those of a category other than system. '
  '400, 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.mark_all_notifications_read to authenticated;
