-- Returns the number at the bell: unread notifications that are due.
create function public.get_unread_count() returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_account();
  return (select jsonb_build_object('unreadCount', coalesce(sum(c.unread), 0))
    from private.my_notification_counts() c);
end $$;
comment on function public.get_unread_count is
  'GET /api/notifications/unread-count: {unreadCount} of unread notifications that are due. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.get_unread_count to authenticated;
