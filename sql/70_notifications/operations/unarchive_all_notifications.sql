-- Returns all archived notifications to the inbox, as read ones.
create function private.unarchive_all_notifications(
  at timestamptz default now(), max_rows int default null
) returns jsonb
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
begin
  perform private.lock_inbox();
  return private.change_inbox('restoredCount', 'archived_at = null', 'n.archived_at is not null',
    at => at, max_rows => max_rows);
end $$;
grant execute on function private.unarchive_all_notifications to authenticated;

create function public.unarchive_all_notifications() returns jsonb
language sql volatile security invoker set search_path = ''
return private.unarchive_all_notifications();
comment on function public.unarchive_all_notifications is
  'POST /api/notifications/unarchive-all: {restoredCount, hasMore}; read_at is unchanged. Repeat the call while '
  'hasMore. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.unarchive_all_notifications to authenticated;
