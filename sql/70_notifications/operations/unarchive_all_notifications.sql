-- Returns all archived notifications to the inbox, as read ones.
create function private.unarchive_all_notifications(at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  restored_count bigint;
begin
  perform private.lock_inbox();
  update public.notifications n set archived_at = null, updated_at = at
  where n.user_id = auth.uid() and n.archived_at is not null;
  get diagnostics restored_count = row_count;
  return jsonb_build_object('restoredCount', restored_count);
end $$;
grant execute on function private.unarchive_all_notifications to authenticated;

create function public.unarchive_all_notifications() returns jsonb
language sql volatile security invoker set search_path = ''
return private.unarchive_all_notifications();
comment on function public.unarchive_all_notifications is
  'POST /api/notifications/unarchive-all: {restoredCount}; read_at is unchanged. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.unarchive_all_notifications to authenticated;
