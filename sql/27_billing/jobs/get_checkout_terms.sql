-- Step of a checkout, after a reading of Stripe, which tells whether the account has had a subscription.
create function private.get_checkout_terms(_subscription_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'allowsPromotionCodes', private.get_setting('checkout_promotion_codes') = 'on',
    'collectsTax', private.get_setting('checkout_automatic_tax') = 'on',
    'trialDays', case when s.has_subscribed then 0
      else least(private.get_setting('checkout_trial_days')::int, 730) end)
  from private.subscriptions s where s.id = $1
$$;
grant execute on function private.get_checkout_terms to service_role;
comment on function private.get_checkout_terms is
  'Step of a checkout: {allowsPromotionCodes, collectsTax, trialDays} of the next session; trialDays is 0 without a '
  'trial.';
