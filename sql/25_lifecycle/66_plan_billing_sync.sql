-- Compares a subscription with Stripe's, and returns the request that makes Stripe agree.
--
-- Metadata of Stripe's subscription names the closing of the podcasts that we acted on (the mark), and whether we
-- scheduled the cancellation then. Each closing is acted on once: what the customer changes in the portal afterwards
-- stays. Reopening a podcast withdraws a cancellation only if we scheduled it.
create function private.cancellation_params(subscription private.subscriptions, stripe_subscription jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  mark         text := nullif(stripe_subscription #>> '{metadata,castbase_podcasts_closed_at}', '');
  is_scheduled boolean := private.is_cancellation_scheduled(stripe_subscription);
  is_ours      boolean := is_scheduled and mark is distinct from subscription.overruled_closed_at
    and coalesce(stripe_subscription #>> '{metadata,castbase_cancellation}' = 'podcasts_closed', false);
  -- Stripe's times are whole seconds: a subscription of the same second counts as newer
  closing      text := case
    when to_timestamp((stripe_subscription ->> 'created')::bigint)
      < date_trunc('second', subscription.podcasts_closed_at)
    then to_char(subscription.podcasts_closed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end;
begin
  if mark is not distinct from closing then
    return '{}';
  elsif closing is null then
    return case when is_ours then '{"cancel_at_period_end": false}' else '{}' end::jsonb
      || '{"metadata": {"castbase_podcasts_closed_at": "", "castbase_cancellation": ""}}';
  end if;
  return case when not is_scheduled then '{"cancel_at_period_end": true}' else '{}' end::jsonb
    || jsonb_build_object('metadata', jsonb_build_object('castbase_podcasts_closed_at', closing,
      'castbase_cancellation', case when is_ours or not is_scheduled then 'podcasts_closed' else '' end));
end $$;
comment on function private.cancellation_params is
  'The parameters of Stripe''s update that schedule or withdraw the cancellation; an empty object if Stripe agrees.';

create function private.plan_billing_sync(
  subscription_id uuid, stripe_subscriptions jsonb, observed_at timestamptz, at timestamptz default now())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions := private.lock_subscription(plan_billing_sync.subscription_id);
  newest       jsonb;
  action       text;
  params       jsonb := '{}';
begin
  if subscription.observed_at > plan_billing_sync.observed_at then
    return '{"action": "read_again"}';  -- another run has read a newer state
  end if;
  -- heals what a change of a podcast missed, because it was concurrent with the first checkout
  perform private.derive_subscriptions(array[subscription.user_id], plan_billing_sync.at);
  select s.* into subscription from private.subscriptions s where s.id = subscription.id;
  -- the newest that is not ended, else the newest
  select value into newest from jsonb_array_elements(stripe_subscriptions)
  order by private.is_ended_status(value ->> 'status'), (value ->> 'created')::bigint desc, value ->> 'id' limit 1;
  update private.subscriptions s set observed_at = plan_billing_sync.observed_at where s.id = subscription.id;
  -- an event that is newer than the reading was copied, and has enqueued another run
  perform private.store_observed_subscription(subscription, newest, plan_billing_sync.at)
  where coalesce(subscription.last_event_at <= plan_billing_sync.observed_at, true);

  if newest is null or private.is_ended_status(newest ->> 'status') then
    return null;
  elsif subscription.user_id is null then
    action := 'cancel';
  elsif newest ->> 'status' in ('active', 'trialing', 'past_due', 'unpaid') then
    action := 'update';
    if coalesce(newest #>> '{pause_collection,behavior}' = 'void', false) <> subscription.is_collection_void then
      params := jsonb_build_object('pause_collection',
        case when subscription.is_collection_void then '{"behavior": "void"}' else '""' end::jsonb);
    end if;
    params := params || private.cancellation_params(subscription, newest);
  end if;
  if action is null or (action = 'update' and params = '{}') then
    return null;
  end if;

  -- Stripe replays its answer to a used key: a difference that remains after an answer needs a new key
  update private.subscriptions s set desired_version = s.desired_version + 1
  where s.id = subscription.id and s.answered_version >= s.desired_version
  returning s.desired_version into subscription.desired_version;
  if not found then
    select s.desired_version into subscription.desired_version from private.subscriptions s
    where s.id = subscription.id;
  end if;
  return jsonb_build_object('action', action, 'stripeSubscriptionId', newest ->> 'id', 'params', params,
    'version', subscription.desired_version, 'idempotencyKey',
    concat_ws(':', 'castbase', subscription.id, subscription.desired_version, action, newest ->> 'id'));
end $$;
comment on function private.plan_billing_sync is
  'Stores what Stripe says of an account''s subscriptions, and returns the next request to Stripe: {action: update or '
  'cancel, stripeSubscriptionId, params, version, idempotencyKey}, {action: read_again}, or null if both agree.';
