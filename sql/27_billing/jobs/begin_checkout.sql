-- Steps of POST /api/billing/checkout. Concurrent calls get the same idempotency keys, so that Stripe makes one
-- customer and one session of them. The route calls the steps as the service, because Stripe's ids are private.
create function private.checkout_json(subscription private.subscriptions) returns jsonb
language sql stable security invoker set search_path = ''
return jsonb_build_object('id', subscription.id, 'isDeleted', subscription.user_id is null,
  'customerId', subscription.stripe_customer_id, 'version', subscription.checkout_version,
  'sessionId', subscription.checkout_session_id, 'sessionPriceId', subscription.checkout_price_id);
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

create function private.choose_price(
  _plan_code text, _interval public.billing_interval default null, _currency text default null)
returns public.plan_prices
language plpgsql stable security invoker set search_path = ''
as $$
declare
  prices public.plan_prices[];
  offers jsonb := private.plan_offers(_plan_code);
begin
  perform from public.plans p where p.code = _plan_code and p.is_paid;
  if not found then
    raise sqlstate 'PT400' using message = 'planCode must be a paid plan; the table plans lists them',
      hint = 'INVALID_PLAN';
  elsif offers = '[]' then
    raise sqlstate 'PT500' using hint = 'MISSING_SETTING',
      message = format('plan_prices offers no price of the plan %L', _plan_code);
  end if;
  select array_agg(r) into prices from public.plan_prices r
  where r.plan_code = _plan_code and r.is_offered
    and (_interval is null or r.interval = _interval) and (_currency is null or r.currency = _currency);
  if prices is null then
    raise sqlstate 'PT400' using hint = 'INVALID_PLAN', detail = jsonb_build_object('offers', offers),
      message = 'The plan is not offered with this interval and currency; choose one of the offers';
  elsif cardinality(prices) > 1 then
    raise sqlstate 'PT400' using hint = 'PRICE_AMBIGUOUS', detail = jsonb_build_object('offers', offers),
      message = 'The plan is offered with several intervals or currencies; choose one of the offers';
  end if;
  return prices[1];
end $$;
comment on function private.choose_price is
  'The offered price of a plan with this interval and currency; null leaves it to the offers. PT400 INVALID_PLAN, or '
  'PRICE_AMBIGUOUS if several match, both with the offers; PT500 MISSING_SETTING if the plan has no offer.';

create function private.begin_checkout(
  _user_id uuid, _plan_code text, _interval public.billing_interval default null, _currency text default null,
  at timestamptz default now())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  price        public.plan_prices;
  subscription private.subscriptions;
begin
  perform private.consume_rate_limit('checkouts:' || _user_id,
    private.get_setting('max_checkouts_per_hour')::int, interval '1 hour', at);
  perform from public.profiles f where f.id = _user_id for key share;
  perform private.require_account_of(_user_id);
  price := private.choose_price(_plan_code, _interval, _currency);
  perform private.require_no_plan(_user_id);
  insert into private.subscriptions (user_id) values (_user_id)
  on conflict on constraint subscriptions_user_id_key do nothing;
  select s.* into subscription from private.subscriptions s where s.user_id = _user_id for update;
  return private.checkout_json(subscription) || jsonb_build_object('priceId', price.stripe_price_id,
    'appUrl', private.get_setting('app_url'),
    'email', private.customer_email(_user_id), 'addressVersion', subscription.address_version);
end $$;
grant execute on function private.begin_checkout to service_role;
comment on function private.begin_checkout is
  'First step of a checkout: {id, isDeleted, customerId, version, sessionId, sessionPriceId, priceId, appUrl, email, '
  'addressVersion}. 400 INVALID_PLAN, 400 PRICE_AMBIGUOUS, 403 ACCOUNT_REQUIRED, 409 PLAN_ALREADY_HELD, 429 '
  'RATE_LIMITED.';
