-- Begins a comparison of a subscription with Stripe.
create function private.begin_billing_sync(_subscription_id uuid, at timestamptz default clock_timestamp())
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('customerId', s.stripe_customer_id, 'isDeleted', s.user_id is null,
      'observedAt', at)
    from private.subscriptions s
    where s.id = _subscription_id and s.stripe_customer_id is not null);
end $$;
grant execute on function private.begin_billing_sync to service_role;
comment on function private.begin_billing_sync is
  'Returns {customerId, isDeleted, observedAt} for the worker; observedAt is the database''s time before it reads '
  'Stripe. Null if there is no customer.';
