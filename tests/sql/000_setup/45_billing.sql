-- Factories of subscriptions and of Stripe's objects.

-- A subscription of a user, with a customer at Stripe.
create function tests.subscription(who text) returns uuid language plpgsql security definer as $$
declare created uuid;
begin
  insert into private.subscriptions (user_id, stripe_customer_id)
  values (tests.id(who), 'cus_' || who) returning id into created;
  return tests.remember(who || '/subscription', created);
end $$;

-- Changes the status of a podcast, with the columns that it requires.
create function tests.set_podcast_status(podcast text, status public.podcast_status) returns void
language plpgsql security definer as $$
begin
  update public.podcasts p set status = set_podcast_status.status,
    paused_at = case when set_podcast_status.status <> 'active' then coalesce(p.paused_at,
      case when set_podcast_status.status = 'paused' then now() end) end,
    pause_expires_at = case when set_podcast_status.status <> 'active' then coalesce(p.pause_expires_at,
      case when set_podcast_status.status = 'paused' then now() + interval '90 days' end) end,
    deletion_requested_at = case when set_podcast_status.status = 'pending_deletion' then now() end,
    deletion_scheduled_at = case when set_podcast_status.status = 'pending_deletion' then now() + interval '9 days' end
  where p.id = tests.id(podcast);
end $$;

-- The desired state of a user's subscription: '<void or collect>, <open or closed>'.
create function tests.desired_state(who text) returns text language sql security definer as $$
  select case when s.is_collection_void then 'void' else 'collect' end || ', '
    || case when s.podcasts_closed_at is null then 'open' else 'closed' end
  from private.subscriptions s where s.id = tests.id(who || '/subscription')
$$;

-- A subscription as Stripe's API returns it, created an hour ago.
create function tests.stripe_subscription(changes jsonb default '{}') returns jsonb language sql stable as $$
  select jsonb_build_object('object', 'subscription', 'id', 'sub_1', 'customer', 'cus_ola', 'status', 'active',
    'created', extract(epoch from now())::bigint - 3600, 'cancel_at', null, 'cancel_at_period_end', false,
    'pause_collection', null, 'schedule', null, 'metadata', '{}'::jsonb,
    'items', '{"data": [{"price": {"id": "price_pro"}, "current_period_end": 1800000000}]}'::jsonb) || changes
$$;

select unnest(array['1..1', 'ok 1 - the factories of subscriptions are created']);  -- for pg_prove
