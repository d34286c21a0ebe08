-- record_stripe_reading: what is stored of Stripe's subscriptions, which of them decides the account, and the keys of
-- requests. next_billing_request.test.sql has the requests.
begin;
select tests.start();

select private.offer_plan_price('price_pro', 'pro', 'month', 'eur');
insert into public.plans (code, name, is_paid, storage_gb_per_account) values ('studio', 'Studio', true, 500);
select private.offer_plan_price('price_studio', 'studio', 'month', 'eur');
select tests.podcast('show', 'ola'), tests.subscription('ola');
create function pg_temp.read(variadic subscriptions jsonb[] default '{}') returns jsonb language sql as $$
  select private.record_stripe_reading(tests.id('ola/subscription'), to_jsonb(subscriptions), clock_timestamp()) $$;
create function pg_temp.account() returns text language sql as $$
  select concat_ws(' ', plan_code, subscription_status, case when collection_paused then 'paused' end,
    case when cancel_at_period_end then 'cancels' end, extract(epoch from current_period_end)::bigint)
  from public.billing_accounts where user_id = tests.id('ola') $$;

-- what is stored
select is(pg_temp.read(tests.stripe_subscription()), null,
  'record_stripe_reading returns null for a subscription that is as desired');
select is(pg_temp.account(), 'pro active 1800000000',
  'record_stripe_reading stores plan, status and period end of a paid subscription');
select is((select stripe_subscription_id from private.subscriptions), 'sub_1',
  'record_stripe_reading stores the id of the subscription');
select pg_temp.read();
select is(pg_temp.account(), 'free none', 'record_stripe_reading stores the plan free when Stripe has no subscription');
create function pg_temp.account_after(changes jsonb) returns text language plpgsql as $$
begin
  update public.billing_accounts set plan_code = 'pro';
  perform pg_temp.read(tests.stripe_subscription(changes));
  return pg_temp.account();
end $$;
select is(pg_temp.account_after(jsonb_build_object('status', status)), wanted,
  format('record_stripe_reading stores %s for the status %s', wanted, status))
from (values ('active', 'pro active 1800000000'), ('trialing', 'pro trialing 1800000000'),
  ('past_due', 'pro past_due 1800000000'), ('unpaid', 'free unpaid 1800000000'),
  ('incomplete', 'free incomplete 1800000000'), ('paused', 'free paused 1800000000'),
  ('canceled', 'free canceled'), ('incomplete_expired', 'free incomplete_expired')) v (status, wanted);
select is(pg_temp.account_after('{"items": {"data": [{"price": {"id": "price_studio"}, "current_period_end": 9}]}}'),
  'studio active 9', 'record_stripe_reading stores the plan of the price');
select is(pg_temp.account_after('{"items": {"data": [{"price": {"id": "price_old"}, "current_period_end": 9}]}}'),
  'studio active 9', 'record_stripe_reading keeps the last paid plan of a subscription with an unknown price');
select is(pg_temp.account_after('{"items": {"data": [{"price": {"id": "price_pro"}}]}, "current_period_end": 7}'),
  'pro active 7', 'record_stripe_reading reads the period end of an older version of the API');
select is(pg_temp.account_after('{"cancel_at": 1800000000}'), 'pro active cancels 1800000000',
  'record_stripe_reading stores a cancellation that the portal scheduled by cancel_at');
select is(pg_temp.account_after('{"pause_collection": {"behavior": "void"}}'), 'pro active paused 1800000000',
  'record_stripe_reading stores that collection is paused');

-- which of several subscriptions decides
select pg_temp.read(tests.stripe_subscription('{"id": "sub_2", "status": "canceled", "created": 1900000000}'),
  tests.stripe_subscription('{"id": "sub_3"}'), tests.stripe_subscription('{"id": "sub_0", "created": 5}'));
select is((select stripe_subscription_id from private.subscriptions), 'sub_3',
  'record_stripe_reading takes the newest of several active subscriptions');
create function pg_temp.decided(status text, newer text) returns text language plpgsql as $$
begin
  perform pg_temp.read(
    tests.stripe_subscription(jsonb_build_object('id', 'sub_newer', 'status', newer, 'created', 1900000000)),
    tests.stripe_subscription(jsonb_build_object('id', 'sub_older', 'status', status)));
  return (select stripe_subscription_id from private.subscriptions);
end $$;
select is(pg_temp.decided(status, newer), 'sub_older', format('record_stripe_reading takes a subscription that is %s '
  'before a newer one that is %s', status, newer))
from (values ('active', 'trialing'), ('trialing', 'past_due'), ('past_due', 'unpaid'), ('unpaid', 'paused'),
  ('paused', 'incomplete'), ('incomplete', 'of_the_future'), ('of_the_future', 'canceled'),
  ('active', 'incomplete_expired')) v (status, newer);
select is(pg_temp.decided('canceled', 'incomplete_expired'), 'sub_newer',
  'record_stripe_reading takes the newest of several ended subscriptions');

-- idempotency keys
select tests.set_podcast_status('show', 'paused');
create temp table first as select pg_temp.read(tests.stripe_subscription()) as request;
select is(request - 'version' - 'idempotencyKey', '{"action": "void_collection", "id": "sub_1",
  "params": {"pause_collection": {"behavior": "void"}}}', 'record_stripe_reading returns a request') from first;
select is(request ->> 'idempotencyKey', format('castbase:%s:%s:void_collection:sub_1', tests.id('ola/subscription'),
  request ->> 'version'), 'record_stripe_reading derives the idempotency key from version, action and id') from first;
select is(pg_temp.read(tests.stripe_subscription()), request,
  'record_stripe_reading returns the same request until Stripe has answered') from first;
select private.record_billing_answer(tests.id('ola/subscription'), 'void_collection', (request ->> 'version')::int)
from first;
select tests.empty_queue('billing_sync');
create temp table second as select pg_temp.read(tests.stripe_subscription()) as request;
select is((s.request ->> 'version')::int, (f.request ->> 'version')::int + 1,
  'record_stripe_reading raises the version when a difference remains after an answer') from first f, second s;
select is_empty($$ select tests.queued('billing_sync') $$,
  'record_stripe_reading enqueues nothing, so that it cannot loop');
select private.record_billing_answer(tests.id('ola/subscription'), 'void_collection', 1);
select is(pg_temp.read(tests.stripe_subscription()), request,
  'record_billing_answer ignores a late answer to an older version') from second;
select tests.set_podcast_status('show', 'active');
create temp table third as
select pg_temp.read(tests.stripe_subscription('{"pause_collection": {"behavior": "void"}}')) as request;
select cmp_ok((t.request ->> 'version')::int, '>', (s.request ->> 'version')::int,
  'a change of the desired state raises the version above that of a request which Stripe has not answered')
from second s, third t;
select pg_temp.read(tests.stripe_subscription());

-- the key of a restart is that of the voided invoice
update private.subscriptions set collection_void_since = to_timestamp(1000);
create function pg_temp.restart() returns jsonb language sql as $$
  select pg_temp.read(tests.stripe_subscription('{"latest_invoice": {"id": "in_1", "status": "void", "created": 1000},
    "items": {"data": [{"price": {"id": "price_pro"}, "current_period_start": 1000,
      "current_period_end": 1800000000}]}}')) $$;
create temp table restart as select pg_temp.restart() as request;
select is(request ->> 'idempotencyKey', format('castbase:%s:1:restart_period:sub_1:in_1',
  tests.id('ola/subscription')), 'the idempotency key of a restart has the id of the voided invoice') from restart;
select tests.set_podcast_status('show', 'paused'), tests.set_podcast_status('show', 'active');
select private.record_billing_answer(tests.id('ola/subscription'), 'resume_collection', 99);
select is(pg_temp.restart(), request,
  'record_stripe_reading returns the same restart after changes of the desired state and other answers') from restart;
select private.record_billing_answer(tests.id('ola/subscription'), 'restart_period', 1);
select is(pg_temp.restart() ->> 'version', '2',
  'record_stripe_reading raises the version of a restart that Stripe answered with an error');
create temp table stale as select clock_timestamp() as at;
select private.record_billing_answer(tests.id('ola/subscription'), 'restart_period', 2);
select is(private.record_stripe_reading(tests.id('ola/subscription'), '[]', at), '{"action": "read_again"}',
  'record_stripe_reading returns read_again for a reading that began before the last answer of Stripe') from stale;
select pg_temp.read(tests.stripe_subscription());
select is((select collection_void_since from private.subscriptions), null,
  'record_stripe_reading forgets a pause when nothing is left to send');

-- a void that Stripe ran after the pause was settled
create temp table before_void as select observed_at as at from private.subscriptions;
select pg_temp.read(tests.stripe_subscription('{"status": "canceled", "pause_collection": {"behavior": "void"}}'));
select is((select collection_void_since from private.subscriptions), null,
  'record_stripe_reading takes the void of an ended subscription for no pause');
select pg_temp.read(tests.stripe_subscription('{"pause_collection": {"behavior": "keep_as_draft"}}'));
select is((select collection_void_since from private.subscriptions), null,
  'record_stripe_reading takes the operator''s pause for none of ours');
update private.subscriptions set observed_at = at from before_void;
select is(pg_temp.read(tests.stripe_subscription('{"pause_collection": {"behavior": "void"}}')) ->> 'action',
  'resume_collection', 'record_stripe_reading resumes a collection that Stripe voided late');
select is(collection_void_since, at, 'record_stripe_reading takes a late void for a pause since the last reading')
from private.subscriptions, before_void;
select pg_temp.read(tests.stripe_subscription());

-- the address
create function pg_temp.read_customer(customer jsonb) returns text language sql as $$
  select private.record_stripe_reading(tests.id('ola/subscription'),
    jsonb_build_array(tests.stripe_subscription('{"pause_collection": {"behavior": "void"}}')), clock_timestamp(),
    stripe_customer => customer) ->> 'action' $$;
select is(pg_temp.read_customer('{"metadata": {}}'), 'update_customer',
  'record_stripe_reading returns the request of the address first');
select is(pg_temp.read_customer(null), 'resume_collection',
  'record_stripe_reading leaves the address alone without a customer');
select pg_temp.read(tests.stripe_subscription());

-- concurrent runs
select is(private.record_stripe_reading(tests.id('ola/subscription'), '[]', now() - interval '1 minute'),
  '{"action": "read_again"}',
  'record_stripe_reading returns read_again for a reading that is older than the stored one');
select is(pg_temp.account(), 'pro active 1800000000', 'record_stripe_reading stores nothing of an older reading');
update private.subscriptions set last_event_at = now() + interval '1 hour';
select is(pg_temp.read(), null, 'record_stripe_reading plans from a reading that is older than the last copied event');
select is(pg_temp.account(), 'pro active 1800000000',
  'record_stripe_reading stores nothing of a reading that is older than the last copied event');
update private.subscriptions set last_event_at = null;

select * from tests.finish();
rollback;
