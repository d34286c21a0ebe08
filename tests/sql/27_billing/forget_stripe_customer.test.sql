-- forget_stripe_customer: a customer that was deleted at Stripe holds no plan, and the next checkout makes another.
begin;
select tests.start();

select tests.person('ola'), tests.subscription('ola');
select private.offer_plan_price('price_pro', 'pro', 'month', 'eur');
select private.store_checkout_session(tests.id('ola/subscription'), 1, 'cs_1', 'price_pro');
select private.record_stripe_reading(tests.id('ola/subscription'), jsonb_build_array(tests.stripe_subscription()),
  now() - interval '1 minute');
create function pg_temp.forget(customer text) returns jsonb language sql as $$
  select private.forget_stripe_customer(tests.id('ola/subscription'), customer) - 'id' $$;
create function pg_temp.account() returns text language sql as $$
  select concat_ws(' ', plan_code, subscription_status, extract(epoch from current_period_end)::bigint)
  from public.billing_accounts where user_id = tests.id('ola') $$;

select is(pg_temp.forget('cus_other') ->> 'customerId', 'cus_ola',
  'forget_stripe_customer keeps another customer, which a concurrent checkout made');
select is(pg_temp.account(), 'pro active 1800000000',
  'forget_stripe_customer keeps the plan of an account with another customer');
select is(pg_temp.forget('cus_ola'),
  '{"isDeleted": false, "customerId": null, "version": 2, "sessionId": null, "sessionPriceId": null}',
  'forget_stripe_customer forgets customer and session, and raises the version of the idempotency keys');
select is(pg_temp.account(), 'free none', 'forget_stripe_customer returns the account to the plan free');
select is((select stripe_subscription_id from private.subscriptions), null,
  'forget_stripe_customer forgets the subscription');
select is(private.record_stripe_reading(tests.id('ola/subscription'), jsonb_build_array(tests.stripe_subscription()),
  now() - interval '1 second'), '{"action": "read_again"}',
  'record_stripe_reading stores nothing that a run read of a forgotten customer');
select is(private.begin_billing_sync(tests.id('ola/subscription')), null,
  'begin_billing_sync returns null after the customer was forgotten');
select is(tests.error_of($$ select private.begin_portal(tests.id('ola')) $$), 'PT409 NO_BILLING_CUSTOMER',
  'begin_portal rejects a user whose customer was forgotten');
select is(private.begin_checkout(tests.id('ola'), 'pro') ->> 'customerId', null,
  'begin_checkout asks for another customer after one was forgotten');
select is(private.store_stripe_customer(tests.id('ola/subscription'), 'cus_new', 1) ->> 'customerId', 'cus_new',
  'store_stripe_customer stores another customer after one was forgotten');
select private.record_stripe_event(jsonb_build_object('id', 'evt_1', 'type', 'customer.subscription.updated',
  'created', 2000000000, 'data', jsonb_build_object('object', tests.stripe_subscription())));
select is(pg_temp.account(), 'free none', 'an event of a forgotten customer changes nothing');

-- a deleted account keeps its customer, because payments may still have to be canceled
delete from auth.users where id = tests.id('ola');
select is(pg_temp.forget('cus_new') -> 'customerId', '"cus_new"',
  'forget_stripe_customer keeps the customer of a deleted account');

select * from tests.finish();
rollback;
