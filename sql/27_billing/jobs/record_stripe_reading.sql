-- Stores what the worker read of a customer and its subscriptions, and says what to send next.
create function private.record_stripe_reading(
  _subscription_id uuid, stripe_subscriptions jsonb, _observed_at timestamptz, is_before_checkout boolean default false,
  stripe_customer jsonb default null, at timestamptz default now())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions := private.lock_subscription(_subscription_id);
  request      jsonb;
  version      int;
begin
  if subscription.observed_at > _observed_at then
    return '{"action": "read_again"}';  -- another run has read a newer state
  end if;
  update private.subscriptions s set
    observed_at = _observed_at,
    -- Stripe may run our request late, after the pause was settled; at the last reading, it had not
    collection_void_since = coalesce(s.collection_void_since, case when exists (
      select from jsonb_array_elements(stripe_subscriptions) live
      where not private.is_ended_status(live ->> 'status') and live #>> '{pause_collection,behavior}' = 'void')
      then s.observed_at end)
  where s.id = subscription.id
  returning * into subscription;
  -- an event that is newer than the reading was copied, and has enqueued another run
  perform private.store_observed_subscription(subscription, stripe_subscriptions, at)
  where coalesce(subscription.last_event_at <= subscription.observed_at, true);

  -- the address comes first, because other requests can make Stripe send something
  request := coalesce(private.address_request(subscription, stripe_customer),
    private.next_billing_request(subscription, stripe_subscriptions, is_before_checkout));
  if request is null then
    perform private.end_settled_pause(subscription, stripe_subscriptions);
    return null;
  end if;
  -- Stripe replays its answer to a used key: a difference that remains after an answer needs a new key
  version := case when request ->> 'action' = 'restart_period' then subscription.answered_restarts + 1
    else greatest(subscription.desired_version, subscription.answered_version + 1) end;
  return request || jsonb_build_object('version', version,
    'idempotencyKey', private.billing_request_key(subscription.id, version, request));
end $$;
grant execute on function private.record_stripe_reading to service_role;
comment on function private.record_stripe_reading is
  'Stores what Stripe said of an account''s subscriptions at observed_at. Returns the next request of address_request '
  'or next_billing_request with its version and idempotencyKey, {action: read_again}, or null if both agree. A null '
  'stripe_customer leaves the address alone: it was deleted, or Stripe rejected the address.';
