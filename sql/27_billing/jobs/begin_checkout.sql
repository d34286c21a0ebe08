-- Steps of POST /api/billing/checkout. Concurrent calls get the same idempotency keys, so that Stripe makes one
-- customer and one session of them. The route calls the steps as the service, because Stripe's ids are private.
create function private.checkout_json(subscription private.subscriptions) returns jsonb
language sql stable security invoker set search_path = ''
return jsonb_build_object('id', subscription.id, 'isDeleted', subscription.user_id is null,
  'customerId', subscription.stripe_customer_id, 'version', subscription.checkout_version,
  'sessionId', subscription.checkout_session_id, 'planCode', subscription.checkout_plan_code);
comment on function private.checkout_json is 'The state of a checkout: customer and open session, as far as known.';

create function private.require_no_plan(_user_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  -- a subscription whose first payment failed is incomplete: the account does not hold a plan by it
  perform from public.billing_accounts a
  where a.user_id = _user_id and a.subscription_status <> 'incomplete'
    and not private.is_ended_status(a.subscription_status);
  if found then
    raise sqlstate 'PT409' using hint = 'PLAN_ALREADY_HELD',
      message = 'The account already has a subscription; change or cancel it in the billing portal';
  end if;
end $$;
comment on function private.require_no_plan is 'PT409 PLAN_ALREADY_HELD if the account holds a plan.';

create function private.require_no_plan_or_payment(_subscription_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  account public.billing_accounts;
begin
  select a.* into account from public.billing_accounts a, private.subscriptions s
  where s.id = _subscription_id and a.user_id = s.user_id;
  perform private.require_no_plan(account.user_id);
  if account.subscription_status = 'incomplete' then
    raise sqlstate 'PT503' using message = 'An earlier payment of this account is in progress; try again later';
  end if;
end $$;
grant execute on function private.require_no_plan_or_payment to service_role;
comment on function private.require_no_plan_or_payment is
  'Step of a checkout, between a reading of Stripe and a new session: 409 PLAN_ALREADY_HELD, and 503 while the first '
  'payment of another subscription can still succeed.';

create function private.begin_checkout(_user_id uuid, _plan_code text, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  plan         public.plans;
  subscription private.subscriptions;
begin
  perform private.consume_rate_limit('checkouts:' || _user_id,
    private.get_setting('max_checkouts_per_hour')::int, interval '1 hour', at);
  perform from public.profiles f where f.id = _user_id for key share;
  perform private.require_account_of(_user_id);
  select p.* into plan from public.plans p where p.code = _plan_code;
  if not found or not plan.is_paid then
    raise sqlstate 'PT400' using message = 'planCode must be a paid plan; the table plans lists them',
      hint = 'INVALID_PLAN';
  elsif plan.stripe_price_id is null then
    raise sqlstate 'PT500' using hint = 'MISSING_SETTING',
      message = format('plans.stripe_price_id is not set for the plan %L', plan.code);
  end if;
  perform private.require_no_plan(_user_id);
  insert into private.subscriptions as s (user_id, has_open_podcasts, is_collection_void)
  values (_user_id, false, false) on conflict on constraint subscriptions_user_id_key do nothing;
  -- in each call: a change of a podcast that was uncommitted at the insert did not see the new row
  perform private.derive_subscriptions(array[_user_id], at);
  select s.* into subscription from private.subscriptions s where s.user_id = _user_id for update;
  return private.checkout_json(subscription) || jsonb_build_object('priceId', plan.stripe_price_id,
    'appUrl', private.get_setting('app_url'),
    'email', (select u.email from auth.users u where u.id = _user_id));
end $$;
grant execute on function private.begin_checkout to service_role;
comment on function private.begin_checkout is
  'First step of a checkout: {id, isDeleted, customerId, version, sessionId, planCode, priceId, appUrl, email}. 400 '
  'INVALID_PLAN, 403 ACCOUNT_REQUIRED, 409 PLAN_ALREADY_HELD, 429 RATE_LIMITED.';
