-- reconcile_subscriptions: one message per subscription that may differ from Stripe.
begin;
select tests.start();

select tests.person(n), tests.subscription(n)
from unnest(array['live', 'ended', 'paying', 'expired', 'unread', 'new']) n;
select private.offer_plan_price('price_pro', 'pro', 'month', 'eur');
create function pg_temp.read(who text, variadic subscriptions jsonb[]) returns void language sql as $$
  select private.record_stripe_reading(tests.id(who || '/subscription'), to_jsonb(subscriptions), clock_timestamp()) $$;
create function pg_temp.read(who text) returns void language sql as $$
  select private.record_stripe_reading(tests.id(who || '/subscription'), '[]', clock_timestamp()) $$;
create function pg_temp.reconcile(max_subscriptions int default 5000) returns text language plpgsql as $$
declare
  enqueued int;
begin
  perform tests.empty_queue('billing_sync');
  enqueued := private.reconcile_subscriptions(max_subscriptions);
  return concat_ws(': ', enqueued, (
    select string_agg(distinct n, ' ' order by n) from tests.queued('billing_sync') m,
      unnest(array['live', 'ended', 'paying', 'expired', 'unread', 'new']) n
    where m = jsonb_build_object('subscription_id', tests.id(n || '/subscription'))));
end $$;

select pg_temp.read('live', tests.stripe_subscription()), pg_temp.read('paying'), pg_temp.read('expired'),
  pg_temp.read('ended', tests.stripe_subscription('{"id": "sub_ended", "status": "canceled"}'));
select private.store_checkout_session(tests.id('paying/subscription'), 1, 'cs_paying', 'price_pro');
select private.store_checkout_session(tests.id('expired/subscription'), 1, 'cs_expired', 'price_pro',
  now() - interval '2 days');
update private.subscriptions set stripe_customer_id = null where id = tests.id('new/subscription');
select is(pg_temp.reconcile(), '3: live paying unread',
  'reconcile_subscriptions enqueues subscriptions that are not ended, were never read, or can still be paid for');
select is(private.reconcile_subscriptions(), 0, 'reconcile_subscriptions skips subscriptions that have a message');
select is(pg_temp.reconcile(1), '1: unread', 'reconcile_subscriptions begins with a subscription that was never read');
update private.subscriptions set observed_at = now() - interval '1 hour' where id = tests.id('unread/subscription');
update private.subscriptions set observed_at = now() - interval '2 hours', is_live = true
where id = tests.id('live/subscription');
select is(pg_temp.reconcile(1), '1: live', 'reconcile_subscriptions continues with the oldest reading');

-- an event says more than a reading that is older
select private.record_stripe_event(jsonb_build_object('id', 'evt_1', 'type', 'customer.subscription.deleted',
  'created', 2000000000, 'data', jsonb_build_object('object',
    tests.stripe_subscription('{"customer": "cus_live", "status": "canceled"}'))));
select is(pg_temp.reconcile(), '1: paying', 'reconcile_subscriptions skips a subscription whose end an event reported');

-- dead letters
create function pg_temp.dead_letters() returns bigint language sql as $$
  select count(*) from pgmq.q_billing_sync_dlq $$;
create function pg_temp.fail(who text) returns void language plpgsql as $$
begin
  perform tests.empty_queue('billing_sync');
  perform private.enqueue_billing_sync(tests.id(who || '/subscription'));
  perform private.fail_job('billing_sync', (select msg_id from private.claim_jobs('billing_sync', 1, 60)), 'x',
    _is_permanent => true);
end $$;
select pg_temp.fail('paying'), pg_temp.fail('ended'), pg_temp.fail('ended');
select is(pg_temp.reconcile(), '2: ended paying',
  'reconcile_subscriptions enqueues the subscriptions of dead letters once');
select is(pg_temp.dead_letters(), 0::bigint, 'reconcile_subscriptions deletes the dead letters that it tries again');
select pg_temp.fail('live');
select private.enqueue_billing_sync(tests.id('live/subscription'));
select private.reconcile_subscriptions();
select is((select count(*) from tests.queued('billing_sync') m
  where m ->> 'subscription_id' = tests.id('live/subscription')::text) || ' ' || pg_temp.dead_letters(), '1 0',
  'reconcile_subscriptions enqueues no second message in place of a dead letter');

-- deleted accounts
select pg_temp.read('ended', tests.stripe_subscription('{"id": "sub_ended"}'));
delete from auth.users where id = tests.id('ended');
select is(pg_temp.reconcile(), '2: ended paying',
  'reconcile_subscriptions enqueues a deleted account whose subscription has not ended');
select pg_temp.read('ended', tests.stripe_subscription('{"id": "sub_ended", "status": "canceled"}'));
select is(pg_temp.reconcile(), '1: paying',
  'reconcile_subscriptions skips a deleted account whose subscription has ended');

-- Stripe limits the requests per second
select tests.empty_queue('billing_sync'), tests.person('p' || n), tests.subscription('p' || n)
from generate_series(1, 24) n;
select private.reconcile_subscriptions(at => '2030-01-01 00:00:00+00');
select results_eq($$
  select extract(epoch from vt - '2030-01-01 00:00:00+00')::int as second, count(*)::int
  from pgmq.q_billing_sync group by vt order by vt $$, 'values (0, 10), (1, 10), (2, 5)',
  'reconcile_subscriptions makes ten messages visible per second');
select tests.empty_queue('billing_sync');
update private.subscriptions s set is_live = true, observed_at = now() - n * interval '1 minute'
from generate_series(1, 24) n where s.id = tests.id('p' || n || '/subscription');
select pgmq.send('billing_sync_dlq', jsonb_build_object('message',
  jsonb_build_object('subscription_id', tests.id('p24/subscription'))));
select private.reconcile_subscriptions();
select results_eq($$
  select s.id from pgmq.q_billing_sync q join private.subscriptions s on s.id::text = q.message ->> 'subscription_id'
  order by q.vt, q.msg_id limit 10 $$, $$
  select s.id from private.subscriptions s
  where s.stripe_customer_id is not null
    and (s.is_live or s.observed_at is null or s.observed_at < s.checkout_ends_at)
  order by s.observed_at nulls first, s.id limit 10 $$,
  'reconcile_subscriptions makes the ten subscriptions with the oldest readings visible first');

-- a message of another form
select tests.empty_queue('billing_sync');
select pgmq.send('billing_sync', '{"subscription_id": null}');
select is(private.reconcile_subscriptions(), 25,
  'reconcile_subscriptions enqueues subscriptions beside a message without a subscription');

select isnt_empty($$
  select from cron.job where jobname = 'reconcile_subscriptions' and schedule = '37 3 * * *' and active $$,
  'reconcile_subscriptions runs daily');

select * from tests.finish();
rollback;
