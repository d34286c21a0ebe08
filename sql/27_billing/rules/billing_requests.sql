-- The requests that make Stripe agree with the desired state: {action, id, params}, or null if it agrees. An action
-- updates the subscription with this id, except `cancel`, which ends it at once, and `void_invoice`, `release_schedule`
-- and `update_customer`, which have the id of its invoice, schedule or customer. Idempotency keys contain the action,
-- and Stripe's events return them.
create function private.billing_request(action text, id text, params jsonb default '{}') returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$ select jsonb_build_object('action', action, 'id', id, 'params', params) where action is not null $$;
comment on function private.billing_request is 'A request to Stripe; null without an action.';

create function private.billing_request_key(subscription_id uuid, version int, request jsonb) returns text
language sql immutable parallel safe security invoker set search_path = ''
return concat_ws(':', 'castbase', subscription_id, version, request ->> 'action', request ->> 'id',
  request ->> 'invoiceId');
comment on function private.billing_request_key is 'The idempotency key of this version of a request.';

create function private.action_of_key(key text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case when starts_with(key, 'castbase:') then split_part(key, ':', 4) end;
comment on function private.action_of_key is
  'The action of a key that billing_request_key made; null for a request by another caller than the worker.';

create function private.collection_request(subscription private.subscriptions, stripe_subscription jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  behavior text := stripe_subscription #>> '{pause_collection,behavior}';
begin
  if behavior <> 'void' or (behavior is not null) = subscription.is_collection_void then
    return null;  -- a pause of another behavior is the operator's
  elsif subscription.is_collection_void then
    return private.billing_request('void_collection', stripe_subscription ->> 'id',
      '{"pause_collection": {"behavior": "void"}}');
  end if;
  return private.billing_request('resume_collection', stripe_subscription ->> 'id', '{"pause_collection": ""}');
end $$;
comment on function private.collection_request is 'The request that voids or resumes the collection of a subscription.';

-- Metadata of Stripe's subscription names the closing of the podcasts that we acted on (the mark), and whether we
-- scheduled the cancellation then (the cause). Each closing is acted on once: what the customer changes in the portal
-- afterwards stays. Reopening a podcast withdraws a cancellation only if we scheduled it. The mark is removed in a
-- request of its own, after a reading without a cancellation: until then, the next run knows the cause.
create function private.closing_mark_params(mark text, cause text) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
return jsonb_build_object('metadata',
  jsonb_build_object('castbase_podcasts_closed_at', mark, 'castbase_cancellation', cause));
comment on function private.closing_mark_params is 'Parameters that write mark and cause to a subscription at Stripe.';

create function private.cancellation_request(subscription private.subscriptions, stripe_subscription jsonb)
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  mark         text := nullif(stripe_subscription #>> '{metadata,castbase_podcasts_closed_at}', '');
  is_scheduled boolean := private.is_cancellation_scheduled(stripe_subscription);
  is_ours      boolean := is_scheduled
    and mark is distinct from subscription.marks_overruled ->> (stripe_subscription ->> 'id')
    and coalesce(stripe_subscription #>> '{metadata,castbase_cancellation}' = 'podcasts_closed', false);
  -- Stripe's times are whole seconds: a subscription of the same second counts as newer
  closing      text := case
    when to_timestamp((stripe_subscription ->> 'created')::bigint)
      < date_trunc('second', subscription.podcasts_closed_at)
    then to_char(subscription.podcasts_closed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end;
  action       text := case
    when closing is null and is_ours then 'withdraw_cancellation'
    when closing is null and not is_scheduled and mark is not null then 'remove_mark'
    when mark is distinct from closing and closing is not null then
      case when is_scheduled then 'mark_closing' else 'schedule_cancellation' end
  end;
begin
  if action in ('schedule_cancellation', 'withdraw_cancellation')
     and stripe_subscription ->> 'schedule' is not null
  then
    -- Stripe rejects changes of the cancellation while a schedule manages the subscription
    return private.billing_request('release_schedule', stripe_subscription ->> 'schedule');
  end if;
  return private.billing_request(action, stripe_subscription ->> 'id', case action
    when 'schedule_cancellation' then
      '{"cancel_at_period_end": true}' || private.closing_mark_params(closing, 'podcasts_closed')
    when 'mark_closing' then
      private.closing_mark_params(closing, case when is_ours then 'podcasts_closed' else '' end)
    when 'remove_mark' then private.closing_mark_params('', '')
    else case when stripe_subscription -> 'cancel_at_period_end' = 'true' then '{"cancel_at_period_end": false}'
      else '{"cancel_at": ""}' end::jsonb  -- of flexible billing mode
  end);
end $$;
comment on function private.cancellation_request is
  'The request that schedules, marks or withdraws the cancellation of a subscription.';

-- A renewal during the pause makes an invoice that Stripe voids at once, for the whole period. After the pause a new
-- period begins, so that only the time of the pause is free. A cancellation by the customer is of the period that was
-- never invoiced: the subscription then ends with the pause, because it would continue for free, or be invoiced
-- although the customer wants no more of it.
create function private.is_period_voided(subscription private.subscriptions, stripe_subscription jsonb)
returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
declare
  -- Stripe's times are whole seconds: a period of the second in which the pause began counts as earlier
  void_since   bigint := ceil(extract(epoch from subscription.collection_void_since));
  period_start bigint := (
    select min((item ->> 'current_period_start')::bigint)
    from jsonb_array_elements(stripe_subscription #> '{items,data}') item);
begin
  return coalesce(stripe_subscription #>> '{latest_invoice,status}' = 'void'
    and (stripe_subscription #>> '{latest_invoice,created}')::bigint >= void_since and period_start >= void_since,
    false);
end $$;
comment on function private.is_period_voided is
  'Whether the current period of a subscription began while the worker''s pause voided its invoices.';

-- A schedule of the customer changes the price at the end of the period (the portal's change to a smaller plan). The
-- restart ends that period, so it has the next price. Stripe does not tell it once the schedule is released: until the
-- restart, metadata of the subscription has it.
create function private.restart_request(subscription private.subscriptions, stripe_subscription jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  stored_price    text := coalesce(stripe_subscription #>> '{metadata,castbase_scheduled_price}', '');
  scheduled_price text := coalesce(stripe_subscription ->> 'scheduled_price', '');
begin
  if not subscription.has_open_podcasts or subscription.is_collection_void
     or coalesce(stripe_subscription -> 'pause_collection' <> 'null', false)  -- the operator's
     or stripe_subscription ->> 'status' not in ('active', 'past_due')
     or not private.is_period_voided(subscription, stripe_subscription)
  then
    return null;
  elsif stripe_subscription -> 'cancel_at_period_end' = 'true'
     or exists (
       select from jsonb_array_elements(stripe_subscription #> '{items,data}') item
       where (stripe_subscription ->> 'cancel_at')::bigint <= (item ->> 'current_period_end')::bigint)
  then
    return private.billing_request('cancel', stripe_subscription ->> 'id');
  elsif stripe_subscription ->> 'schedule' is not null then
    if stored_price <> scheduled_price then
      return private.billing_request('store_scheduled_price', stripe_subscription ->> 'id',
        jsonb_build_object('metadata', jsonb_build_object('castbase_scheduled_price', scheduled_price)));
    end if;
    return private.billing_request('release_schedule', stripe_subscription ->> 'schedule');
  end if;
  return private.billing_request('restart_period', stripe_subscription ->> 'id',
      '{"billing_cycle_anchor": {"type": "now"}, "proration_behavior": "none"}'
      || case when stored_price = '' then '{}' else jsonb_build_object(
        'items', jsonb_build_array(jsonb_build_object(
          'id', stripe_subscription #> '{items,data,0,id}', 'price', stored_price)),
        'metadata', '{"castbase_scheduled_price": ""}'::jsonb) end)
    || jsonb_build_object('invoiceId', stripe_subscription #>> '{latest_invoice,id}');
end $$;
comment on function private.restart_request is
  'The request that begins and invoices a new period after a pause that voided the invoice of the current one. Its '
  'invoiceId makes the idempotency key that of the voided invoice: a request that Stripe runs late adds none.';

-- The void comes first, because Stripe rejects it if the payment succeeded or is in progress. A cancellation would end
-- a subscription that was paid a moment ago.
create function private.expiry_request(stripe_subscription jsonb) returns jsonb
language sql stable security invoker set search_path = ''
return case stripe_subscription #>> '{latest_invoice,status}'
  when 'open' then private.billing_request('void_invoice', stripe_subscription #>> '{latest_invoice,id}')
  when 'void' then private.billing_request('cancel', stripe_subscription ->> 'id')
  end;
comment on function private.expiry_request is
  'The request that ends a subscription whose first payment has not succeeded.';

create function private.next_billing_request(
  subscription private.subscriptions, stripe_subscriptions jsonb, is_before_checkout boolean)
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  stripe_subscription jsonb;
  status              text;
  is_plan_held        boolean := false;
  request             jsonb;
begin
  for stripe_subscription in select s from private.rank_stripe_subscriptions(stripe_subscriptions) s loop
    status := stripe_subscription ->> 'status';
    exit when private.is_ended_status(status);
    request := case
      when subscription.user_id is null then private.billing_request('cancel', stripe_subscription ->> 'id')
      when status in ('active', 'trialing', 'past_due', 'unpaid') then
        coalesce(private.collection_request(subscription, stripe_subscription),
          private.cancellation_request(subscription, stripe_subscription),
          private.restart_request(subscription, stripe_subscription))
      when status = 'incomplete' and (is_before_checkout or is_plan_held) then
        private.expiry_request(stripe_subscription)
    end;
    exit when request is not null;
    is_plan_held := is_plan_held or status <> 'incomplete';
  end loop;
  return request;
end $$;
comment on function private.next_billing_request is
  'The next request for the subscriptions of a customer. A deleted account has none; beside a held plan, and before a '
  'new checkout (is_before_checkout), those whose first payment has not succeeded are ended.';
