-- Returns the counts of the caller's notifications.
create function public.get_notification_counts() returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_account();
  return (
    select jsonb_build_object('inbox', coalesce(sum(c.inbox), 0), 'unread', coalesce(sum(c.unread), 0),
      'archived', coalesce(sum(c.archived), 0), 'needsAttention', coalesce(sum(c.needs_attention), 0),
      'byCategory', jsonb_object_agg(category, coalesce(c.inbox, 0)))
    from unnest(enum_range(null::public.notification_category)) category
    left join private.my_notification_counts() c using (category));
end $$;
comment on function public.get_notification_counts is
  'GET /api/notifications/counts: {inbox, unread, archived, needsAttention, byCategory}. inbox, unread and byCategory '
  'count due notifications that are not archived; needsAttention counts unread ones of priority immediate, due or not. '
  '401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.get_notification_counts to authenticated;
