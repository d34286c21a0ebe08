-- What a change of the subscription means for its user.
create function private.billing_facts(account public.billing_accounts) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('user_id', $1.user_id, 'params', jsonb_strip_nulls(jsonb_build_object(
    'plan', p.name, 'gigabytes', p.storage_gb_per_account,
    'period_end_at', private.format_timestamp($1.current_period_end))))
  from public.plans p where p.code = $1.plan_code
$$;
comment on function private.billing_facts is 'The payload of an event about an account''s plan.';

create function private.announce_billing_change() returns trigger
language plpgsql security definer  -- who changes the account may not write events
set search_path = ''
as $$
declare
  recipients constant jsonb := private.user_recipients(new.user_id);
  facts      constant jsonb := private.billing_facts(new);
begin
  if new.subscription_status in ('past_due', 'unpaid') and old.subscription_status not in ('past_due', 'unpaid') then
    perform private.notify('billing.payment_failed', recipients, facts, _group_key => 'payment:' || new.user_id);
  end if;
  if (select o.storage_gb_per_account > n.storage_gb_per_account from public.plans o, public.plans n
    where o.code = old.plan_code and n.code = new.plan_code) then
    perform private.notify('billing.plan_reduced', recipients, facts);
  end if;
  if new.cancel_at_period_end and not old.cancel_at_period_end and exists (
    select from private.subscriptions s where s.user_id = new.user_id and s.podcasts_closed_at is not null) then
    perform private.notify_repeatedly('subscription_end:' || new.user_id, 3, 'billing.subscription_ending', recipients,
      facts, 'subscription_end:' || new.user_id);
  end if;
  return null;
end $$;
comment on function private.announce_billing_change is
  'Trigger: tells a user of a payment that failed, a smaller plan, and a subscription that ends because the last '
  'podcast was closed.';
create trigger t900_announce_billing after update on public.billing_accounts
  for each row when (old.subscription_status <> new.subscription_status or old.plan_code <> new.plan_code
    or old.cancel_at_period_end <> new.cancel_at_period_end)
  execute function private.announce_billing_change();
