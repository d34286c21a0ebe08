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

-- An unknown price keeps the plan, because a customer who pays must not lose storage when the operator changes a price.
create function private.plan_of_subscription(stripe_subscription jsonb, current_plan_code text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if stripe_subscription ->> 'status' not in ('active', 'trialing', 'past_due') then
    return 'free';
  end if;
  return coalesce((
    select p.code from public.plans p, jsonb_array_elements(stripe_subscription #> '{items,data}') item
    where p.stripe_price_id = item #>> '{price,id}'
    order by p.storage_gb_per_account desc limit 1), current_plan_code);
end $$;
comment on function private.plan_of_subscription is
  'Returns the plan of a subscription''s price. Subscriptions that are not paid for, or ended, have the plan free.';

create function private.store_observed_subscription(
  subscription private.subscriptions, stripe_subscription jsonb, at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  is_ended boolean := coalesce(private.is_ended_status(stripe_subscription ->> 'status'), true);
begin
  update private.subscriptions s set
    stripe_subscription_id = coalesce(stripe_subscription ->> 'id', s.stripe_subscription_id), is_live = not is_ended
  where s.id = subscription.id and (s.stripe_subscription_id, s.is_live) is distinct from
    (coalesce(stripe_subscription ->> 'id', s.stripe_subscription_id), not is_ended);
  update public.billing_accounts a set
    plan_code = o.plan_code, subscription_status = o.subscription_status, collection_paused = o.collection_paused,
    cancel_at_period_end = o.cancel_at_period_end, current_period_end = o.current_period_end, updated_at = at
  from (
    select
      case when stripe_subscription is null then 'free'
        else private.plan_of_subscription(stripe_subscription, b.plan_code) end as plan_code,
      coalesce(stripe_subscription ->> 'status', 'none') as subscription_status,
      not is_ended and coalesce(stripe_subscription -> 'pause_collection' <> 'null', false) as collection_paused,
      not is_ended and private.is_cancellation_scheduled(stripe_subscription) as cancel_at_period_end,
      -- of the items since version 2025-03-31 of Stripe's API
      case when not is_ended then to_timestamp(coalesce((
        select min((item ->> 'current_period_end')::bigint)
        from jsonb_array_elements(stripe_subscription #> '{items,data}') item),
        (stripe_subscription ->> 'current_period_end')::bigint)) end as current_period_end
    from public.billing_accounts b where b.user_id = subscription.user_id
  ) o
  where a.user_id = subscription.user_id
    and (a.plan_code, a.subscription_status, a.collection_paused, a.cancel_at_period_end, a.current_period_end)
      is distinct from
      (o.plan_code, o.subscription_status, o.collection_paused, o.cancel_at_period_end, o.current_period_end);
end $$;
comment on function private.store_observed_subscription is
  'Copies Stripe''s state of a subscription to the billing account of its user; null means that there is none.';

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
