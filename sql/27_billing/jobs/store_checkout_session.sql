-- Stores the open checkout session of an account. A session that another call stored first stays. If the account was
-- deleted meanwhile, the worker expires the session.
create function private.store_checkout_session(
  _subscription_id uuid, _checkout_version int, session_id text, _stripe_price_id text,
  at timestamptz default clock_timestamp())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions;
begin
  update private.subscriptions s
  set checkout_session_id = session_id, checkout_price_id = _stripe_price_id,
    checkout_ends_at = at + interval '2 days'  -- Stripe's sessions expire after one
  where s.id = _subscription_id
    and s.checkout_version = _checkout_version and s.checkout_session_id is null;
  select s.* into subscription from private.subscriptions s where s.id = _subscription_id;
  if subscription.user_id is null then
    perform private.enqueue_billing_sync(subscription.id);
  end if;
  return private.checkout_json(subscription);
end $$;
grant execute on function private.store_checkout_session to service_role;
comment on function private.store_checkout_session is
  'Step of a checkout: stores the session of this version unless there is one. Returns the state of the checkout.';
