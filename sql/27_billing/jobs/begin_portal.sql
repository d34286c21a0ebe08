-- First step of POST /api/billing/portal. The route calls it as the service, because Stripe's ids are private.
create function private.begin_portal(_user_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription private.subscriptions;
begin
  perform private.consume_rate_limit('portal_sessions:' || _user_id,
    private.get_setting('max_portal_sessions_per_hour')::int, interval '1 hour', at);
  perform private.require_account_of(_user_id);
  select s.* into subscription from private.subscriptions s where s.user_id = _user_id;
  if subscription.stripe_customer_id is null then
    raise sqlstate 'PT409' using message = 'The account has no billing portal yet; start a checkout first',
      hint = 'NO_BILLING_CUSTOMER';
  end if;
  return jsonb_build_object('id', subscription.id, 'customerId', subscription.stripe_customer_id,
    'appUrl', private.get_setting('app_url'));
end $$;
grant execute on function private.begin_portal to service_role;
comment on function private.begin_portal is
  'Returns {id, customerId, appUrl} of a user. 403 ACCOUNT_REQUIRED, 409 NO_BILLING_CUSTOMER, 429 RATE_LIMITED.';
