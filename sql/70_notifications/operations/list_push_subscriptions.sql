-- Lists the caller's push subscriptions, inactive ones included.
create function private.push_subscription_json(subscription public.push_subscriptions) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'id', subscription.id,
    'endpoint', subscription.endpoint,
    'device_label', subscription.device_label,
    'user_agent', subscription.user_agent,
    'is_active', subscription.is_active,
    'last_used_at', private.format_timestamp(subscription.last_used_at),
    'created_at', private.format_timestamp(subscription.created_at))
$$;
comment on function private.push_subscription_json is 'A push subscription as the API returns it.';
grant execute on function private.push_subscription_json to authenticated;  -- public functions run as their caller

create function public.list_push_subscriptions() returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_account();
  return jsonb_build_object('subscriptions', coalesce((
    select jsonb_agg(private.push_subscription_json(s) order by s.created_at desc, s.id)
    from public.push_subscriptions s where s.user_id = auth.uid()), '[]'));
end $$;
comment on function public.list_push_subscriptions is
  'GET /api/notifications/push-subscriptions: {subscriptions: [{id, endpoint, device_label, user_agent, is_active, '
  'last_used_at, created_at}]} of the caller, newest first. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.list_push_subscriptions to authenticated;
