-- What Stripe says about an account's subscriptions, as its API's objects. Times are Unix seconds.
create function private.is_ended_status(status text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return status in ('none', 'canceled', 'incomplete_expired');
comment on function private.is_ended_status is 'Whether a subscription with this status will never be charged again.';

create function private.stripe_status_rank(status text) returns int
language sql immutable parallel safe security invoker set search_path = ''
return coalesce(array_position(array['active', 'trialing', 'past_due', 'unpaid', 'paused', 'incomplete'], status),
  case when private.is_ended_status(status) then 8 else 7 end);
comment on function private.stripe_status_rank is
  'The rank of a subscription among several of a customer; the first decides the account. Ended ones are last.';

create function private.rank_stripe_subscriptions(stripe_subscriptions jsonb) returns setof jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select value from jsonb_array_elements($1)
  order by private.stripe_status_rank(value ->> 'status'), (value ->> 'created')::bigint desc, value ->> 'id'
$$;
comment on function private.rank_stripe_subscriptions is
  'Returns the subscriptions by their rank, and newest first.';

create function private.is_cancellation_scheduled(stripe_subscription jsonb) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return coalesce($1 -> 'cancel_at_period_end' = 'true', false) or coalesce($1 -> 'cancel_at' <> 'null', false);
comment on function private.is_cancellation_scheduled is
  'Whether a subscription will end. In flexible billing mode the portal sets cancel_at, not cancel_at_period_end.';

create function private.is_paid_status(status text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return status in ('active', 'trialing', 'past_due');
comment on function private.is_paid_status is 'Whether a subscription with this status gives its plan.';

create function private.known_price_of(stripe_subscription jsonb) returns text
language sql stable security invoker set search_path = ''
as $$
  select r.stripe_price_id
  from jsonb_array_elements(stripe_subscription #> '{items,data}') item
    join public.plan_prices r on r.stripe_price_id = item #>> '{price,id}'
    join public.plans p on p.code = r.plan_code
  order by p.storage_gb_per_account desc, r.stripe_price_id limit 1
$$;
comment on function private.known_price_of is
  'The price in plan_prices of a subscription, the one with the most storage if several items have one, or null.';

-- A customer who pays must not lose storage because an operator has not written the price down: a subscription whose
-- price is unknown gives the better of two earlier readings.
create function private.plan_of_subscription(stripe_subscription jsonb, last_known_price_id text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  known_price_id text := private.known_price_of(stripe_subscription);
begin
  if private.is_paid_status(stripe_subscription ->> 'status') is not true then
    return 'free';
  end if;
  return coalesce((
    select p.code from public.plans p
    where p.code = (select r.plan_code from public.plan_prices r
        where r.stripe_price_id = coalesce(known_price_id, last_known_price_id))
      or known_price_id is null and p.is_paid and p.code = stripe_subscription #>> '{metadata,castbase_plan}'
    order by p.storage_gb_per_account desc, p.code limit 1), 'free');
end $$;
comment on function private.plan_of_subscription is
  'Returns the plan of a subscription''s price. If no row of plan_prices has the price, the larger of the plan that '
  'was last paid for and the plan of its checkout. Subscriptions that are not paid for, or ended, have the plan free.';

create function private.store_observed_subscription(
  subscription private.subscriptions, stripe_subscriptions jsonb, at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  stripe_subscription jsonb := (select r from private.rank_stripe_subscriptions(stripe_subscriptions) r limit 1);
  is_ended            boolean := coalesce(private.is_ended_status(stripe_subscription ->> 'status'), true);
  is_paid             boolean := coalesce(private.is_paid_status(stripe_subscription ->> 'status'), false);
  known_price_id      text := case when is_paid then private.known_price_of(stripe_subscription) end;
  observed            private.subscriptions := subscription;
begin
  observed.stripe_subscription_id := coalesce(stripe_subscription ->> 'id', subscription.stripe_subscription_id);
  observed.is_live := not is_ended;
  observed.known_price_id := coalesce(known_price_id, subscription.known_price_id);
  observed.unknown_price_id := case when is_paid and known_price_id is null
    then stripe_subscription #>> '{items,data,0,price,id}' end;
  observed.has_subscribed := subscription.has_subscribed or exists (
    select from jsonb_array_elements(stripe_subscriptions) r
    where r ->> 'status' not in ('incomplete', 'incomplete_expired'));
  update private.subscriptions s set
    stripe_subscription_id = observed.stripe_subscription_id, is_live = observed.is_live,
    known_price_id = observed.known_price_id, unknown_price_id = observed.unknown_price_id,
    has_subscribed = observed.has_subscribed
  where s.id = subscription.id and observed is distinct from subscription;
  if observed.unknown_price_id <> coalesce(subscription.unknown_price_id, '') then
    raise log 'castbase: the subscription % has the price %, which is not in plan_prices; add it with its plan',
      observed.stripe_subscription_id, observed.unknown_price_id;
  end if;
  update public.billing_accounts a set
    plan_code = o.plan_code, subscription_status = o.subscription_status, collection_paused = o.collection_paused,
    cancel_at_period_end = o.cancel_at_period_end, current_period_end = o.current_period_end, updated_at = at
  from (
    select
      private.plan_of_subscription(stripe_subscription, subscription.known_price_id) as plan_code,
      coalesce(stripe_subscription ->> 'status', 'none') as subscription_status,
      not is_ended and coalesce(stripe_subscription -> 'pause_collection' <> 'null', false) as collection_paused,
      not is_ended and private.is_cancellation_scheduled(stripe_subscription) as cancel_at_period_end,
      -- of the items since version 2025-03-31 of Stripe's API
      case when not is_ended then to_timestamp(coalesce((
        select min((item ->> 'current_period_end')::bigint)
        from jsonb_array_elements(stripe_subscription #> '{items,data}') item),
        (stripe_subscription ->> 'current_period_end')::bigint)) end as current_period_end
  ) o
  where a.user_id = subscription.user_id
    and (a.plan_code, a.subscription_status, a.collection_paused, a.cancel_at_period_end, a.current_period_end)
      is distinct from
      (o.plan_code, o.subscription_status, o.collection_paused, o.cancel_at_period_end, o.current_period_end);
end $$;
comment on function private.store_observed_subscription is
  'Copies Stripe''s state of a customer''s subscriptions to the row and the billing account of its user: the first by '
  'rank decides, and [] means that there is none.';

-- Lock order: the account, then the subscription, as in a transfer.
create function private.lock_subscription(_subscription_id uuid) returns private.subscriptions
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions;
begin
  perform from public.billing_accounts a
  where a.user_id = (select s.user_id from private.subscriptions s where s.id = _subscription_id)
  for no key update;
  select s.* into subscription from private.subscriptions s where s.id = _subscription_id for update;
  return subscription;
end $$;
comment on function private.lock_subscription is 'Returns a subscription, with its row and its account locked.';
