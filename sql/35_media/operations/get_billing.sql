-- Returns plan, subscription and storage of the caller's account. It is in this folder because staged bytes count.
create function private.get_billing() returns jsonb
language plpgsql stable security definer  -- clients may not read staged bytes and subscriptions
set search_path = ''
as $$
begin
  perform private.require_account();
  return (
    select jsonb_build_object(
      'planCode', a.plan_code,
      'planName', p.name,
      'isPaidPlan', p.is_paid,
      'subscriptionStatus', a.subscription_status,
      'collectionPaused', a.collection_paused,
      'cancelAtPeriodEnd', a.cancel_at_period_end,
      'currentPeriodEnd', private.format_timestamp(a.current_period_end),
      'usedBytes', private.account_used_bytes(a.user_id),
      'limitBytes', private.storage_allowance_bytes(a.user_id),
      'price', (
        select jsonb_build_object('interval', r.interval, 'currency', r.currency, 'unitAmount', r.unit_amount)
        from private.subscriptions s join public.plan_prices r on r.stripe_price_id = s.known_price_id
        where s.user_id = a.user_id and s.unknown_price_id is null
          and private.is_paid_status(a.subscription_status) and r.plan_code = a.plan_code),
      'offers', private.plan_offers())
    from public.billing_accounts a join public.plans p on p.code = a.plan_code
    where a.user_id = auth.uid());
end $$;
grant execute on function private.get_billing to authenticated;

create function public.get_billing() returns jsonb
language sql stable security invoker set search_path = ''
return private.get_billing();
comment on function public.get_billing is
  'GET /api/billing: the caller''s account: {planCode, planName, isPaidPlan, subscriptionStatus, collectionPaused, '
  'cancelAtPeriodEnd, currentPeriodEnd, usedBytes, limitBytes, price, offers}. subscriptionStatus is Stripe''s, or '
  'none; usedBytes includes staged bytes. price is {interval, currency, unitAmount} of the subscription, or null; '
  'offers is what a checkout accepts: [{planCode, planName, interval, currency, unitAmount, storageGb}]. Amounts are '
  'in the currency''s smallest unit, or null. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.get_billing to authenticated;
