-- Returns plan, subscription and storage of the caller's account. It is in this folder because staged bytes count.
create function private.get_billing() returns jsonb
language plpgsql stable security definer  -- clients may not read staged bytes
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
      'limitBytes', private.storage_allowance_bytes(a.user_id))
    from public.billing_accounts a join public.plans p on p.code = a.plan_code
    where a.user_id = auth.uid());
end $$;
grant execute on function private.get_billing to authenticated;

create function public.get_billing() returns jsonb
language sql stable security invoker set search_path = ''
return private.get_billing();
comment on function public.get_billing is
  'GET /api/billing: the caller''s account: {planCode, planName, isPaidPlan, subscriptionStatus, collectionPaused, '
  'cancelAtPeriodEnd, currentPeriodEnd, usedBytes, limitBytes}. subscriptionStatus is Stripe''s, or none; usedBytes '
  'includes staged bytes. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.get_billing to authenticated;
