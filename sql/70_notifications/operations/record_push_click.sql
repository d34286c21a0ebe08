-- Records a click on a push message. The service worker of the front end has no token: only a browser that received the
-- message knows both ids.
create function private.record_push_click(delivery_id uuid, notification_id uuid, at timestamptz default now())
returns void
language sql volatile security definer  -- clients may not write deliveries
set search_path = ''
as $$
  select private.advance_delivery(d.id, 'clicked', $3) from public.notification_deliveries d
  where d.id = $1 and d.channel = 'push' and $2 in (select private.notification_ids_of(d))
$$;
grant execute on function private.record_push_click to anon, authenticated, service_role;

create function public.record_push_click(delivery_id uuid, notification_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.record_push_click(record_push_click.delivery_id, record_push_click.notification_id);
  return '{"success": true}';
end $$;
comment on function public.record_push_click is
  'POST /api/notifications/push/click: {success: true}. The delivery becomes clicked. The same result for ids that '
  'match no delivery, so that it reveals nothing.';
grant execute on function public.record_push_click to anon, authenticated, service_role;
