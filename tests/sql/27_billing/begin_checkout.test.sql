-- begin_checkout and the steps after it: one customer and one open session per account.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.person('new', confirmed => false);
create function pg_temp.begin(who text default 'ola', plan text default 'pro') returns text language sql as $$
  select tests.describe_error(format('select private.begin_checkout(tests.id(%L), %L)', who, plan)) $$;

insert into public.plan_prices (stripe_price_id, plan_code, interval, currency, is_offered)
values ('price_past', 'pro', 'month', 'eur', false);
select is(pg_temp.begin(), 'PT500 / plan_prices offers no price of the plan ''pro'' / MISSING_SETTING',
  'begin_checkout names the plan of which no price is offered');
select private.offer_plan_price('price_pro', 'pro', 'month', 'eur', 1500);
select is(pg_temp.begin(plan => plan),
  'PT400 / planCode must be a paid plan; the table plans lists them / INVALID_PLAN',
  format('begin_checkout rejects the plan %s', plan)) from unnest(array['free', 'gold']) plan;
select is(pg_temp.begin('new'),
  'PT403 / You have no account; confirm your email address, or sign in again / ACCOUNT_REQUIRED',
  'begin_checkout requires a confirmed user');
select is_empty('select * from private.subscriptions', 'begin_checkout makes no subscription for a rejected call');

create temp table steps (n int generated always as identity, state jsonb);
insert into steps (state) select private.begin_checkout(tests.id('ola'), 'pro');
select tests.remember('one', (state ->> 'id')::uuid) from steps;
select is(state - 'id', '{"isDeleted": false, "customerId": null, "version": 1, "sessionId": null,
  "sessionPriceId": null, "priceId": "price_pro", "appUrl": "https://casts.test", "email": "ola@test.example",
  "addressVersion": 1}',
  'begin_checkout returns what the customer and the session need') from steps;
select is((select (has_open_podcasts, is_collection_void, podcasts_closed_at)::text from private.subscriptions),
  '(t,f,)', 'a new subscription has the desired state of its user''s podcasts');
select is(private.store_stripe_customer(tests.id('one'), 'cus_1', 1) ->> 'customerId', 'cus_1',
  'store_stripe_customer stores the customer');
select is(private.store_stripe_customer(tests.id('one'), 'cus_2', 1) ->> 'customerId', 'cus_1',
  'store_stripe_customer keeps the first customer');
select is(private.store_checkout_session(tests.id('one'), 1, 'cs_1', 'price_pro') ->> 'sessionId', 'cs_1',
  'store_checkout_session stores the session');
select is(private.store_checkout_session(tests.id('one'), 1, 'cs_2', 'price_pro') ->> 'sessionId', 'cs_1',
  'store_checkout_session keeps the first session');
select is(private.begin_checkout(tests.id('ola'), 'pro') - '{id,priceId,appUrl,email,addressVersion}'::text[],
  '{"isDeleted": false, "customerId": "cus_1", "version": 1, "sessionId": "cs_1", "sessionPriceId": "price_pro"}',
  'begin_checkout returns the open session of an earlier call');
select is(private.end_checkout_session(tests.id('one'), 7) ->> 'sessionId', 'cs_1',
  'end_checkout_session keeps the session of another version');
select is(private.end_checkout_session(tests.id('one'), 1) - 'id',
  '{"isDeleted": false, "customerId": "cus_1", "version": 2, "sessionId": null, "sessionPriceId": null}',
  'end_checkout_session forgets the session and raises the version');
select is(private.store_checkout_session(tests.id('one'), 1, 'cs_1', 'price_pro') ->> 'sessionId', null,
  'store_checkout_session stores no session of an older version');

-- the choice of a price
create function pg_temp.choose(_interval public.billing_interval default null, _currency text default null)
returns text language sql as $$
  select regexp_replace(tests.outcome_of(format(
    'select stripe_price_id from private.choose_price(''pro'', %L, %L)', $1, $2)), ' {.*', '') $$;
select is(pg_temp.choose(), 'price_pro', 'choose_price takes the only offer of a plan');
select is(pg_temp.choose('month', 'eur'), 'price_pro', 'choose_price takes the offer with interval and currency');
select is(pg_temp.choose('year'), 'PT400 INVALID_PLAN', 'choose_price rejects an interval that is not offered');
select is(pg_temp.choose('month', 'usd'), 'PT400 INVALID_PLAN', 'choose_price rejects a currency that is not offered');
select private.offer_plan_price('price_year', 'pro', 'year', 'eur', 15000);
select private.offer_plan_price('price_usd', 'pro', 'month', 'usd');
select is(pg_temp.choose(interval, currency), wanted, format('choose_price of a plan with offers for month and year in '
  'eur, and for month in usd, answers %s to %s and %s', wanted, coalesce(interval::text, 'any interval'),
  coalesce(currency, 'any currency')))
from (values (null::public.billing_interval, null, 'PT400 PRICE_AMBIGUOUS'), ('month', null, 'PT400 PRICE_AMBIGUOUS'),
  (null, 'eur', 'PT400 PRICE_AMBIGUOUS'), ('year', null, 'price_year'), (null, 'usd', 'price_usd'),
  ('month', 'eur', 'price_pro'), ('year', 'usd', 'PT400 INVALID_PLAN'), ('week', null, 'PT400 INVALID_PLAN'))
  v (interval, currency, wanted);
create function pg_temp.offers_of_error() returns jsonb language plpgsql as $$
declare details text;
begin
  perform private.choose_price('pro');
  return null;
exception when others then
  get stacked diagnostics details = pg_exception_detail;
  return details::jsonb;
end $$;
select is(pg_temp.offers_of_error(), jsonb_build_object('offers', private.plan_offers('pro')),
  'choose_price lists the offers of the plan in its error');
select is(private.begin_checkout(tests.id('ola'), 'pro', 'year') ->> 'priceId', 'price_year',
  'begin_checkout returns the price of the chosen interval');
update public.plan_prices set is_offered = false where stripe_price_id in ('price_usd', 'price_year');
select is(pg_temp.choose(), 'price_pro', 'choose_price ignores a price that is no longer offered');

-- the terms of the next session
create function pg_temp.terms() returns text language sql as $$
  select concat_ws(' ', t ->> 'allowsPromotionCodes', t ->> 'collectsTax', t ->> 'trialDays')
  from private.get_checkout_terms(tests.id('one')) t $$;
select is(pg_temp.terms(), 'false false 0', 'get_checkout_terms gives neither codes nor tax nor a trial by default');
select private.set_setting('checkout_promotion_codes', 'on'), private.set_setting('checkout_automatic_tax', 'on'),
  private.set_setting('checkout_trial_days', '14');
select is(pg_temp.terms(), 'true true 14', 'get_checkout_terms follows the settings');
select private.set_setting('checkout_trial_days', '1000');
select is(pg_temp.terms(), 'true true 730', 'get_checkout_terms gives no longer trial than Stripe accepts');
update private.subscriptions set has_subscribed = true;
select is(pg_temp.terms(), 'true true 0',
  'get_checkout_terms gives no trial to an account that has had a subscription');
update private.subscriptions set has_subscribed = false;

-- held plans
create function pg_temp.with_status(status text) returns text language plpgsql as $$
begin
  update public.billing_accounts a set subscription_status = status where a.user_id = tests.id('ola');
  return pg_temp.begin();
end $$;
select is(pg_temp.with_status(status), 'PT409 / The account already has a subscription; change or cancel it in the '
  'billing portal / PLAN_ALREADY_HELD', format('begin_checkout rejects an account whose subscription is %s', status))
from unnest(array['active', 'trialing', 'past_due', 'unpaid', 'paused']) status;
select is(tests.error_of($$ select private.end_checkout_session(tests.id('one'), 2) $$), 'PT409 PLAN_ALREADY_HELD',
  'end_checkout_session rejects an account that holds a plan by now');
select is(pg_temp.with_status(status), 'none', format('begin_checkout accepts an account whose subscription is %s',
  status)) from unnest(array['none', 'canceled', 'incomplete', 'incomplete_expired']) status;

create function pg_temp.require_with_status(status text) returns text language plpgsql as $$
begin
  update public.billing_accounts a set subscription_status = status where a.user_id = tests.id('ola');
  return tests.describe_error($call$ select private.require_no_plan_or_payment(tests.id('one')) $call$);
end $$;
select is(split_part(pg_temp.require_with_status(status), ' / ', 3), 'PLAN_ALREADY_HELD',
  format('require_no_plan_or_payment rejects an account whose subscription is %s', status))
from unnest(array['active', 'trialing', 'past_due', 'unpaid', 'paused']) status;
select is(pg_temp.require_with_status('incomplete'),
  'PT503 / An earlier payment of this account is in progress; try again later',
  'require_no_plan_or_payment rejects an account whose first payment can still succeed');
select is(pg_temp.require_with_status(status), 'none', format('require_no_plan_or_payment accepts an account whose '
  'subscription is %s', status)) from unnest(array['canceled', 'incomplete_expired', 'none']) status;

-- the limit
delete from private.rate_limits;
select private.set_setting('max_checkouts_per_hour', '1');
select is(pg_temp.begin(), 'none', 'begin_checkout accepts a call within max_checkouts_per_hour');
select is(split_part(pg_temp.begin(), ' / ', 3), 'RATE_LIMITED',
  'begin_checkout rejects a call over max_checkouts_per_hour');

-- an account that is deleted during its checkout
delete from public.podcasts;
delete from auth.users where id = tests.id('ola');
select tests.empty_queue('billing_sync');
select is((private.store_checkout_session(tests.id('one'), 2, 'cs_3', 'price_pro') ->> 'isDeleted')::boolean, true,
  'store_checkout_session says that the account was deleted');
select is((select count(*) from tests.queued('billing_sync')), 1::bigint,
  'store_checkout_session of a deleted account enqueues billing_sync, which expires the session');

select * from tests.finish();
rollback;
