-- Takes an event of Stripe whose signature the route has verified. The state in a newer event is copied at once; the
-- worker then reads Stripe itself, so that a lost or delayed event leaves nothing wrong.
create function private.record_stripe_event(event jsonb, at timestamptz default clock_timestamp()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  object          jsonb := event #> '{data,object}';
  previous        jsonb := object || (event #> '{data,previous_attributes}');
  was_scheduled   boolean := case when previous is not null then private.is_cancellation_scheduled(previous) end;
  action          text := private.action_of_key(event #>> '{request,idempotency_key}');
  changed_at      timestamptz := to_timestamp((event ->> 'created')::bigint);
  subscription    private.subscriptions;
  subscription_id uuid;
begin
  if event ->> 'type' !~
    '^(customer\.subscription\..*|invoice\.paid|invoice\.payment_failed|checkout\.session\.completed)$' then
    return false;
  end if;
  select s.id into subscription_id from private.subscriptions s where s.stripe_customer_id = object ->> 'customer';
  if not found then
    return false;
  end if;
  subscription := private.lock_subscription(subscription_id);
  insert into private.stripe_events (id, type, created_at, received_at)
  values (event ->> 'id', event ->> 'type', changed_at, at)
  on conflict on constraint stripe_events_pkey do nothing;
  if not found then
    return false;
  end if;
  if starts_with(event ->> 'type', 'customer.subscription.') then
    -- a cancellation that another caller than the worker scheduled: after one of ours, or between the worker's reading
    -- and its request to schedule one. Events arrive in any order, and a later closing has a greater mark.
    if private.is_cancellation_scheduled(object)
       and (coalesce(action, 'none of ours'), was_scheduled)
         in (('none of ours', false), ('schedule_cancellation', true)) then
      update private.subscriptions s
      set marks_overruled = s.marks_overruled || jsonb_strip_nulls(jsonb_build_object(object ->> 'id', greatest(
        s.marks_overruled ->> (object ->> 'id'), nullif(object #>> '{metadata,castbase_podcasts_closed_at}', ''))))
      where s.id = subscription.id;
    end if;
    -- newer than what is known, and about the known subscription or one before it in rank. Stripe's times are whole
    -- seconds: of two events in one second, billing_sync reads which is newer.
    if changed_at > coalesce(subscription.last_event_at, '-infinity')
       and changed_at >= coalesce(subscription.observed_at, '-infinity')
       and (coalesce(subscription.stripe_subscription_id = object ->> 'id', true)
         or exists (
           select from public.billing_accounts a where a.user_id = subscription.user_id
             and private.stripe_status_rank(object ->> 'status') < private.stripe_status_rank(a.subscription_status)))
    then
      update private.subscriptions s set last_event_at = changed_at where s.id = subscription.id;
      perform private.store_observed_subscription(subscription, jsonb_build_array(object), at);
    end if;
  end if;
  perform private.enqueue_billing_sync(subscription.id);
  return true;
end $$;
grant execute on function private.record_stripe_event to service_role;
comment on function private.record_stripe_event is
  'Records a verified event and enqueues billing_sync. False for an event of another type, of an unknown customer, or '
  'one that was delivered before: these change nothing.';

create function private.purge_stripe_events(at timestamptz default now()) returns int
language sql volatile security invoker set search_path = ''
return private.delete_old_rows('private.stripe_events', 'received_at', at - interval '30 days');
comment on function private.purge_stripe_events is
  'Deletes events that Stripe delivered more than 30 days ago; it repeats them for three. Cron calls it daily. Returns '
  'how many.';
