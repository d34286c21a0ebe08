-- Returns an archived notification to the inbox, as a read one.
create function private.unarchive_notification(notification_id uuid, at timestamptz default now())
returns public.notifications
language plpgsql volatile security definer  -- clients have no update grant
set search_path = ''
as $$
declare
  notification public.notifications;
begin
  perform private.require_user();
  update public.notifications n set archived_at = null, updated_at = unarchive_notification.at
  where n.id = unarchive_notification.notification_id and n.user_id = auth.uid() and n.archived_at is not null
  returning * into notification;
  if not found then
    perform private.raise_notification_not_found('An archived notification can be unarchived');
  end if;
  return notification;
end $$;
comment on function private.unarchive_notification is
  'Implementation of unarchive_notification (security definer). Finds the caller''s rows only.';
grant execute on function private.unarchive_notification to authenticated;

create function public.unarchive_notification(notification_id uuid) returns public.notifications
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.unarchive_notification(unarchive_notification.notification_id);
end $$;
comment on function public.unarchive_notification is
  'POST /api/notifications/{id}/unarchive: returns the row; read_at is unchanged. 401, 404 if not archived or not the '
  'caller''s.';
grant execute on function public.unarchive_notification to authenticated;
