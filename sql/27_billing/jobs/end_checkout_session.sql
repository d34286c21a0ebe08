-- Forgets a checkout session that cannot be paid any longer, or a version whose request Stripe rejected. The next
-- session has another version, and so another idempotency key.
create function private.end_checkout_session(_subscription_id uuid, _checkout_version int) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions;
begin
  select s.* into subscription from private.subscriptions s
  where s.id = _subscription_id for update;
  perform private.require_no_plan(subscription.user_id);
  update private.subscriptions s
  set checkout_version = s.checkout_version + 1, checkout_session_id = null, checkout_price_id = null
  where s.id = subscription.id and s.checkout_version = _checkout_version
  returning * into subscription;
  if not found then
    select s.* into subscription from private.subscriptions s where s.id = _subscription_id;
  end if;
  return private.checkout_json(subscription);
end $$;
grant execute on function private.end_checkout_session to service_role;
comment on function private.end_checkout_session is
  'Step of a checkout: forgets the session of this version. Returns the state of the checkout. 409 PLAN_ALREADY_HELD.';
