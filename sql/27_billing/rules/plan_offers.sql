-- The offers: prices that a checkout may choose.
create function private.plan_offers(_plan_code text default null) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'planCode', p.code, 'planName', p.name, 'interval', r.interval, 'currency', r.currency,
    'unitAmount', r.unit_amount, 'storageGb', p.storage_gb_per_account)
    order by p.storage_gb_per_account, p.code, r.interval, r.currency), '[]')
  from public.plan_prices r join public.plans p on p.code = r.plan_code
  where r.is_offered and ($1 is null or r.plan_code = $1)
$$;
comment on function private.plan_offers is
  'The offers of a plan, or of all, by storage, interval and currency: [{planCode, planName, interval, currency, '
  'unitAmount, storageGb}].';
