-- The plan of a subscription: by all known prices, and of an unknown one by what was known before.
begin;
select tests.start();

insert into public.plans (code, name, is_paid, storage_gb_per_account)
values ('plus', 'Plus', true, 20), ('studio', 'Studio', true, 500);
select private.offer_plan_price('price_pro', 'pro', 'month', 'eur'),
  private.offer_plan_price('price_plus', 'plus', 'month', 'eur'),
  private.offer_plan_price('price_studio', 'studio', 'month', 'eur');
select tests.podcast('show', 'ola'), tests.subscription('ola'), tests.person('eve'), tests.subscription('eve');
-- A reading of a subscription with these prices
create function pg_temp.read(prices text[], status text default 'active', plan text default null,
  who text default 'ola') returns text language plpgsql as $$
begin
  perform private.record_stripe_reading(tests.id(who || '/subscription'), jsonb_build_array(tests.stripe_subscription(
    jsonb_build_object('id', 'sub_' || who, 'status', status,
      'metadata', jsonb_strip_nulls(jsonb_build_object('castbase_plan', plan)),
      'items', jsonb_build_object('data', (select jsonb_agg(jsonb_build_object('price', jsonb_build_object('id', p),
        'current_period_end', 1800000000)) from unnest(prices) p))))), clock_timestamp());
  return (select concat_ws(' ', a.plan_code, a.subscription_status, s.unknown_price_id)
    from public.billing_accounts a join private.subscriptions s using (user_id) where a.user_id = tests.id(who));
end $$;

-- known prices
select is(pg_temp.read('{price_pro}'), 'pro active', 'a subscription has the plan of its price');
select private.offer_plan_price('price_pro_2027', 'pro', 'month', 'eur');
select is(pg_temp.read('{price_pro}', status), wanted,
  format('a subscription whose price is no longer offered has %s', wanted))
from (values (1, 'past_due', 'pro past_due'), (2, 'unpaid', 'free unpaid'), (3, 'active', 'pro active'),
  (4, 'trialing', 'pro trialing'), (5, 'canceled', 'free canceled'), (6, 'active', 'pro active')) v (n, status, wanted);
select is(pg_temp.read('{price_plus,price_studio,price_addon}'), 'studio active',
  'a subscription with several prices has the largest of their plans');
select is(pg_temp.read('{price_addon,price_plus}'), 'plus active',
  'a price beside a known one is not recorded as unknown, because an item can be anything');

-- unknown prices
select is(pg_temp.read('{price_new}'), 'plus active price_new',
  'a subscription with an unknown price keeps the plan that was last paid for, and records the price');
select is(pg_temp.read('{price_new}', 'unpaid'), 'free unpaid',
  'a subscription that is not paid for has no unknown price');
select is(pg_temp.read('{price_new}'), 'plus active price_new',
  'a subscription with an unknown price has the plan that was last paid for again after it was unpaid');
select is(pg_temp.read('{price_new}', 'active', plan), wanted || ' active price_new',
  format('a subscription with an unknown price, whose checkout was for %s, has %s rather than plus', plan, wanted))
from (values ('pro', 'pro'), ('free', 'plus'), ('gold', 'plus')) v (plan, wanted);
select is(pg_temp.read('{price_new}', 'trialing', 'pro', 'eve'), 'pro trialing price_new',
  'a first subscription with an unknown price has the plan of its checkout');
select is(pg_temp.read('{price_new}', 'active', null, 'eve'), 'free active price_new',
  'a subscription of which nothing is known records its price, and has the plan free');
select results_eq('select stripe_price_id, subscriptions from private.unknown_prices',
  $$ values ('price_new'::text, 2::bigint) $$, 'unknown_prices lists each unknown price with the number of customers');

-- a price becomes known
select tests.empty_queue('billing_sync');
select private.offer_plan_price('price_other', 'studio', 'year', 'eur');
select is_empty($$ select * from tests.queued('billing_sync') $$, 'another price enqueues no comparison');
select private.offer_plan_price('price_new', 'studio', 'month', 'usd');
select set_eq($$ select q.message ->> 'subscription_id' from pgmq.q_billing_sync q $$,
  array[tests.id('ola/subscription')::text, tests.id('eve/subscription')::text],
  'a price that becomes known enqueues a comparison of each account that pays it');
select is(pg_temp.read('{price_new}'), 'studio active', 'a price that became known is no longer recorded as unknown');
select tests.empty_queue('billing_sync');
update public.plan_prices set unit_amount = 5 where stripe_price_id = 'price_new';
select is_empty($$ select * from tests.queued('billing_sync') $$, 'another amount of a price enqueues no comparison');
update public.plan_prices set plan_code = 'pro' where stripe_price_id = 'price_new';
select is((select count(*) from tests.queued('billing_sync')), 2::bigint,
  'another plan of a price enqueues a comparison of each account that pays it');

-- the first subscription
create function pg_temp.subscribed_after(statuses text[]) returns boolean language plpgsql as $$
begin
  update private.subscriptions set has_subscribed = false where id = tests.id('eve/subscription');
  perform private.record_stripe_reading(tests.id('eve/subscription'), coalesce((select jsonb_agg(
    tests.stripe_subscription(jsonb_build_object('id', 'sub_' || status, 'status', status)))
    from unnest(statuses) status), '[]'), clock_timestamp());
  return (select has_subscribed from private.subscriptions where id = tests.id('eve/subscription'));
end $$;
select is(pg_temp.subscribed_after(statuses), wanted,
  format('an account with subscriptions that are {%s} %s had one', array_to_string(statuses, ', '),
    case when wanted then 'has' else 'has not' end))
from (values ('{}'::text[], false), ('{incomplete}', false), ('{incomplete_expired}', false), ('{trialing}', true),
  ('{canceled}', true), ('{incomplete,canceled}', true)) v (statuses, wanted);
select pg_temp.subscribed_after('{canceled}');
select private.forget_stripe_customer(tests.id('eve/subscription'), 'cus_eve');
select is((select has_subscribed from private.subscriptions where id = tests.id('eve/subscription')), true,
  'forget_stripe_customer keeps the fact that the account has had a subscription');

select * from tests.finish();
rollback;
