-- Stores the customer that Stripe made for an account. The first one stays.
create function private.store_stripe_customer(_subscription_id uuid, _stripe_customer_id text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions;
begin
  update private.subscriptions s set stripe_customer_id = coalesce(s.stripe_customer_id, _stripe_customer_id)
  where s.id = _subscription_id returning * into subscription;
  return private.checkout_json(subscription);
end $$;
grant execute on function private.store_stripe_customer to service_role;
comment on function private.store_stripe_customer is
  'Step of a checkout: stores the customer unless there is one. Returns the state of the checkout.';
