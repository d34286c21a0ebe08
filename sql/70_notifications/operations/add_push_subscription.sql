-- Registers the caller's browser or device for push messages.
create function private.upsert_push_subscription(
  subscription jsonb, _device_label text, _user_agent text, at timestamptz) returns public.push_subscriptions
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  added public.push_subscriptions;
begin
  insert into public.push_subscriptions as s
    (user_id, endpoint, expiration_time, device_label, user_agent, created_at)
  values (auth.uid(), subscription ->> 'endpoint', to_timestamp((subscription ->> 'expirationTime')::numeric / 1000),
    _device_label, _user_agent, at)
  on conflict on constraint push_subscriptions_endpoint_key do update set
    user_id = excluded.user_id, expiration_time = excluded.expiration_time, device_label = excluded.device_label,
    user_agent = excluded.user_agent, is_active = true, rejected_since = null,
    -- of the caller's own use only
    created_at = case when s.user_id = excluded.user_id then s.created_at else excluded.created_at end,
    last_used_at = case when s.user_id = excluded.user_id then s.last_used_at end,
    last_failure_at = case when s.user_id = excluded.user_id then s.last_failure_at end
  returning * into added;
  insert into private.push_subscription_keys as k (subscription_id, p256dh, auth)
  select added.id, v.p256dh, v.auth
  from (values (subscription #>> '{keys,p256dh}', subscription #>> '{keys,auth}')) s (p256dh, auth)
  cross join lateral (values (
    translate(rtrim(s.p256dh, '='), '+/', '-_'), translate(rtrim(s.auth, '='), '+/', '-_'))) v (p256dh, auth)
  on conflict on constraint push_subscription_keys_pkey do update set p256dh = excluded.p256dh, auth = excluded.auth;
  return added;
end $$;
comment on function private.upsert_push_subscription is
  'Part of add_push_subscription: writes subscription and keys. An endpoint of another user moves to the caller.';
-- No grant: add_push_subscription calls it.

create function private.add_push_subscription(
  subscription jsonb, _device_label text, _user_agent text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not write subscriptions and keys
set search_path = ''
as $$
declare
  added public.push_subscriptions;
begin
  perform from public.profiles f where f.id = auth.uid() for key share;  -- a deletion of the account waits, or is seen
  perform private.require_account();
  if jsonb_typeof(subscription -> 'endpoint') is distinct from 'string'
     or coalesce(jsonb_typeof(subscription -> 'expirationTime'), 'null') not in ('number', 'null')
     or jsonb_typeof(subscription #> '{keys,p256dh}') is distinct from 'string'
     or jsonb_typeof(subscription #> '{keys,auth}') is distinct from 'string' then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'subscription must be {endpoint, expirationTime, keys: {p256dh, auth}}, as the browser returns it';
  elsif not private.is_parsable_http_url(subscription ->> 'endpoint')
    or not starts_with(lower(subscription ->> 'endpoint'), 'https://')
      and not private.is_allowed_host(subscription ->> 'endpoint') then
    raise sqlstate 'PT400' using message = 'The endpoint must be an https URL', hint = 'INVALID_URL';
  end if;
  -- locks the user's count, so that registrations of one user wait for each other
  perform private.consume_rate_limit('push_subscriptions:' || auth.uid(),
    private.get_setting('max_push_subscriptions_per_hour')::int, interval '1 hour', at);
  added := private.upsert_push_subscription(subscription, _device_label, left(_user_agent, 500), at);
  -- browsers change their endpoints without a word, so the user's oldest subscriptions are likely to have ended
  delete from public.push_subscriptions d where d.id in (
    select s.id from public.push_subscriptions s where s.user_id = auth.uid() and s.id <> added.id
    order by s.is_active desc, greatest(s.last_used_at, s.created_at) desc, s.id
    offset private.get_setting('max_push_subscriptions_per_user')::int - 1
    for update skip locked);  -- another user is taking over a locked one
  return jsonb_build_object('subscription', private.push_subscription_json(added));
end $$;
grant execute on function private.add_push_subscription to authenticated;

create function public.add_push_subscription(
  subscription jsonb, device_label text default null, user_agent text default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', '201', true);
  return private.add_push_subscription(
    add_push_subscription.subscription, add_push_subscription.device_label, add_push_subscription.user_agent);
end $$;
comment on function public.add_push_subscription is
  'POST /api/notifications/push-subscriptions: 201 {subscription}. subscription is PushSubscription.toJSON() of the '
  'browser. A known endpoint gets the new keys, label and user agent, becomes active, and moves to the caller if it '
  'was another user''s. An endpoint outside push_service_hosts and unusable keys are accepted: the first message makes '
  'the subscription inactive, without a request. Over max_push_subscriptions_per_user, the caller''s subscription '
  'that was unused for longest '
  'is deleted, inactive ones first. 400 INVALID_URL or invalid values, 403 ACCOUNT_REQUIRED, 429.';
grant execute on function public.add_push_subscription to authenticated;
