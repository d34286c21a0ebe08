-- Stores the customer that Stripe made for an account, with this version of its address. The first one stays.
create function private.store_stripe_customer(
  _subscription_id uuid, _stripe_customer_id text, _address_version int, at timestamptz default clock_timestamp())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions;
begin
  update private.subscriptions s set stripe_customer_id = coalesce(s.stripe_customer_id, _stripe_customer_id)
  where s.id = _subscription_id returning * into subscription;
  if subscription.address_version <> _address_version then  -- the change found no customer to be written to
    perform private.enqueue_billing_sync(subscription.id, at => at);
  end if;
  return private.checkout_json(subscription);
end $$;
grant execute on function private.store_stripe_customer to service_role;
comment on function private.store_stripe_customer is
  'Step of a checkout: stores the customer unless there is one. Returns the state of the checkout.';
