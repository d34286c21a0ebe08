-- Forgets a customer that was deleted at Stripe, so that its subscriptions will never be charged again. The next
-- checkout makes another customer, with other idempotency keys.
create function private.forget_stripe_customer(
  _subscription_id uuid, _stripe_customer_id text, at timestamptz default clock_timestamp())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions := private.lock_subscription(_subscription_id);
begin
  if subscription.stripe_customer_id = _stripe_customer_id and subscription.user_id is not null
  then
    update private.subscriptions s set
      stripe_customer_id = null, stripe_subscription_id = null, checkout_version = s.checkout_version + 1,
      checkout_session_id = null, checkout_price_id = null,
      observed_at = at  -- a run that read the customer before reads again
    where s.id = subscription.id returning * into subscription;
    perform private.store_observed_subscription(subscription, '[]', at);
  end if;
  return private.checkout_json(subscription);
end $$;
grant execute on function private.forget_stripe_customer to service_role;
comment on function private.forget_stripe_customer is
  'Step of a checkout, and of the portal: forgets this customer and its subscriptions, unless the account has another '
  'customer by now or was deleted. Returns the state of the checkout.';
