-- Ends push messages to one of the caller's subscriptions, which stays as an inactive row.
create function private.remove_push_subscription(_subscription_id uuid, _endpoint text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients may not write subscriptions
set search_path = ''
as $$
declare
  removed public.push_subscriptions;
begin
  perform private.require_account();
  if num_nonnulls(_subscription_id, _endpoint) <> 1 then
    raise sqlstate 'PT400' using message = 'Provide exactly one of: subscription_id, endpoint';
  end if;
  update public.push_subscriptions s set is_active = false, last_failure_at = at
  where s.user_id = auth.uid()
    and (s.id = _subscription_id or s.endpoint = _endpoint)
  returning * into removed;
  if not found then
    raise sqlstate 'PT404' using message = 'Push subscription not found';
  end if;
  return jsonb_build_object('subscription', private.push_subscription_json(removed));
end $$;
grant execute on function private.remove_push_subscription to authenticated;

create function public.remove_push_subscription(subscription_id uuid default null, endpoint text default null)
returns jsonb
language sql volatile security invoker set search_path = ''
return private.remove_push_subscription(subscription_id, endpoint);
comment on function public.remove_push_subscription is
  'DELETE /api/notifications/push-subscriptions/{id} and …?endpoint=: {subscription}, which is inactive. Sets '
  'last_failure_at. The same for one that was inactive. 400 without exactly one argument, 403 ACCOUNT_REQUIRED, '
  '404 unknown or another user''s.';
grant execute on function public.remove_push_subscription to authenticated;
