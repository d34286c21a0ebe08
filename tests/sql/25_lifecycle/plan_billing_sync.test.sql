-- plan_billing_sync: what differs between the desired state and Stripe's, and what is stored of Stripe's.
begin;
select tests.start();

update public.plans set stripe_price_id = 'price_pro' where code = 'pro';
insert into public.plans (code, name, is_paid, storage_gb_per_account, stripe_price_id)
values ('studio', 'Studio', true, 500, 'price_studio');
select tests.podcast('show', 'ola'), tests.subscription('ola');
create function pg_temp.plan(variadic subscriptions jsonb[]) returns jsonb language sql as $$
  select private.plan_billing_sync(tests.id('ola/subscription'), to_jsonb(subscriptions), clock_timestamp()) $$;
create function pg_temp.plan() returns jsonb language sql as $$
  select private.plan_billing_sync(tests.id('ola/subscription'), '[]', clock_timestamp()) $$;
create function pg_temp.params(changes jsonb default '{}') returns jsonb language sql as $$
  select pg_temp.plan(tests.stripe_subscription(changes)) -> 'params' $$;
create function pg_temp.account() returns text language sql as $$
  select concat_ws(' ', plan_code, subscription_status, case when collection_paused then 'paused' end,
    case when cancel_at_period_end then 'cancels' end, extract(epoch from current_period_end)::bigint)
  from public.billing_accounts where user_id = tests.id('ola') $$;

-- what is stored
select is(pg_temp.params(), null, 'plan_billing_sync returns null for a subscription that is as desired');
select is(pg_temp.account(), 'pro active 1800000000',
  'plan_billing_sync stores plan, status and period end of a paid subscription');
select is((select stripe_subscription_id from private.subscriptions), 'sub_1',
  'plan_billing_sync stores the id of the subscription');
select pg_temp.plan();
select is(pg_temp.account(), 'free none', 'plan_billing_sync stores the plan free when Stripe has no subscription');
create function pg_temp.account_after(changes jsonb) returns text language plpgsql as $$
begin
  update public.billing_accounts set plan_code = 'pro';
  perform pg_temp.params(changes);
  return pg_temp.account();
end $$;
select is(pg_temp.account_after(jsonb_build_object('status', status)), wanted,
  format('plan_billing_sync stores %s for the status %s', wanted, status))
from (values ('active', 'pro active 1800000000'), ('trialing', 'pro trialing 1800000000'),
  ('past_due', 'pro past_due 1800000000'), ('unpaid', 'free unpaid 1800000000'),
  ('incomplete', 'free incomplete 1800000000'), ('paused', 'free paused 1800000000'),
  ('canceled', 'free canceled'), ('incomplete_expired', 'free incomplete_expired')) v (status, wanted);
select is(pg_temp.account_after('{"items": {"data": [{"price": {"id": "price_studio"}, "current_period_end": 9}]}}'),
  'studio active 9', 'plan_billing_sync stores the plan of the price');
select is(pg_temp.account_after('{"items": {"data": [{"price": {"id": "price_old"}, "current_period_end": 9}]}}'),
  'pro active 9', 'plan_billing_sync keeps the plan of a subscription with an unknown price');
select is(pg_temp.account_after('{"items": {"data": [{"price": {"id": "price_pro"}}]}, "current_period_end": 7}'),
  'pro active 7', 'plan_billing_sync reads the period end of an older version of the API');
select is(pg_temp.account_after('{"cancel_at": 1800000000}'), 'pro active cancels 1800000000',
  'plan_billing_sync stores a cancellation that the portal scheduled by cancel_at');
select is(pg_temp.account_after('{"pause_collection": {"behavior": "void"}}'), 'pro active paused 1800000000',
  'plan_billing_sync stores that collection is paused');
select pg_temp.plan(tests.stripe_subscription('{"id": "sub_2", "status": "canceled", "created": 1900000000}'),
  tests.stripe_subscription('{"id": "sub_3"}'), tests.stripe_subscription('{"id": "sub_0", "created": 5}'));
select is((select stripe_subscription_id from private.subscriptions), 'sub_3',
  'plan_billing_sync takes the newest subscription that is not ended');

-- collection
select is(pg_temp.params('{"pause_collection": {"behavior": "void"}}'), '{"pause_collection": ""}',
  'plan_billing_sync resumes a collection that should not be void');
select is(pg_temp.params('{"pause_collection": {"behavior": "keep_as_draft"}}'), null,
  'plan_billing_sync keeps a pause of another behavior, which the operator set');
select tests.set_podcast_status('show', 'paused');
select is(pg_temp.params(), '{"pause_collection": {"behavior": "void"}}',
  'plan_billing_sync voids collection while the only podcast is paused');
select is(pg_temp.params('{"pause_collection": {"behavior": "void"}}'), null,
  'plan_billing_sync returns null when collection is void as desired');
select is(pg_temp.params(jsonb_build_object('status', status)), null,
  format('plan_billing_sync changes no subscription with the status %s', status))
from unnest(array['canceled', 'incomplete', 'incomplete_expired', 'paused']) status;

-- cancellation
select tests.set_podcast_status('show', 'pending_deletion');
create function pg_temp.closing() returns text language sql as $$
  select to_char(podcasts_closed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') from private.subscriptions $$;
create function pg_temp.marked(mark text, cause text, more jsonb default '{}') returns jsonb language sql as $$
  select pg_temp.params(more || jsonb_build_object('metadata', jsonb_build_object(
    'castbase_podcasts_closed_at', mark, 'castbase_cancellation', cause))) $$;
create function pg_temp.mark(mark text, cause text) returns jsonb language sql as $$
  select jsonb_build_object('metadata', jsonb_build_object(
    'castbase_podcasts_closed_at', mark, 'castbase_cancellation', cause)) $$;
select is(pg_temp.params(), '{"cancel_at_period_end": true}' || pg_temp.mark(pg_temp.closing(), 'podcasts_closed'),
  'plan_billing_sync schedules the cancellation with its cause when the last podcast is closed');
select is(pg_temp.marked(pg_temp.closing(), 'podcasts_closed', '{"cancel_at_period_end": true}'), null,
  'plan_billing_sync returns null when the cancellation is scheduled');
select is(pg_temp.marked(pg_temp.closing(), 'podcasts_closed'), null,
  'plan_billing_sync keeps a renewal by the customer');
select is(pg_temp.params('{"cancel_at_period_end": true}'), pg_temp.mark(pg_temp.closing(), ''),
  'plan_billing_sync marks a cancellation by the customer as seen, without a cause');
select is(pg_temp.params('{"cancel_at": 1800000000}'), pg_temp.mark(pg_temp.closing(), ''),
  'plan_billing_sync marks a cancellation by cancel_at as seen');
select is(pg_temp.params(jsonb_build_object('created', extract(epoch from now())::bigint + 60)), null,
  'plan_billing_sync does not cancel a subscription that is newer than the closing');
select is(pg_temp.marked('2026-01-01T00:00:00.000000Z', 'podcasts_closed'),
  '{"cancel_at_period_end": true}' || pg_temp.mark(pg_temp.closing(), 'podcasts_closed'),
  'plan_billing_sync schedules the cancellation again for a later closing');
select is(pg_temp.marked('2026-01-01T00:00:00.000000Z', 'podcasts_closed', '{"cancel_at_period_end": true}'),
  pg_temp.mark(pg_temp.closing(), 'podcasts_closed'),
  'plan_billing_sync keeps its own cancellation for a later closing');
create temp table closed as select pg_temp.closing() as mark;

select tests.set_podcast_status('show', 'active');
select is(pg_temp.marked(mark, 'podcasts_closed', '{"cancel_at_period_end": true}'),
  '{"cancel_at_period_end": false}' || pg_temp.mark('', ''),
  'plan_billing_sync withdraws its own cancellation when a podcast is open again') from closed;
select is(pg_temp.marked(mark, '', '{"cancel_at_period_end": true}'), pg_temp.mark('', ''),
  'plan_billing_sync keeps a cancellation by the customer when a podcast is open again') from closed;
select is(pg_temp.params('{"cancel_at_period_end": true}'), null,
  'plan_billing_sync changes nothing of an unmarked cancellation');
select is(pg_temp.marked(mark, 'podcasts_closed'), pg_temp.mark('', ''),
  'plan_billing_sync removes the mark of a renewed subscription when a podcast is open again') from closed;
update private.subscriptions set overruled_closed_at = (select mark from closed);
select is(pg_temp.marked(mark, 'podcasts_closed', '{"cancel_at_period_end": true}'), pg_temp.mark('', ''),
  'plan_billing_sync keeps a cancellation that the customer repeated after renewing') from closed;

-- facts that missed a change of a podcast, which was concurrent with the first checkout
create function pg_temp.params_after_missed(status public.podcast_status) returns jsonb language plpgsql as $$
declare missed private.subscriptions;
begin
  select * into missed from private.subscriptions;
  perform tests.set_podcast_status('show', status);
  update private.subscriptions set has_open_podcasts = missed.has_open_podcasts,
    is_collection_void = missed.is_collection_void, podcasts_closed_at = missed.podcasts_closed_at;
  return pg_temp.params();
end $$;
select is(pg_temp.params_after_missed('paused'), '{"pause_collection": {"behavior": "void"}}',
  'plan_billing_sync voids collection after a pause that the facts missed');
select is(pg_temp.params_after_missed('active'), null,
  'plan_billing_sync collects again after the end of a pause that the facts missed');
select is(pg_temp.params_after_missed('pending_deletion'),
  '{"cancel_at_period_end": true}' || pg_temp.mark(pg_temp.closing(), 'podcasts_closed'),
  'plan_billing_sync schedules the cancellation after a closing that the facts missed');
select is(pg_temp.params_after_missed('active'), null,
  'plan_billing_sync schedules no cancellation after a reopening that the facts missed');

-- idempotency keys
select tests.set_podcast_status('show', 'paused');
create temp table first as select pg_temp.plan(tests.stripe_subscription()) as request;
select is(request - 'version' - 'idempotencyKey', '{"action": "update", "stripeSubscriptionId": "sub_1",
  "params": {"pause_collection": {"behavior": "void"}}}', 'plan_billing_sync returns an update of the subscription')
from first;
select is(request ->> 'idempotencyKey', format('castbase:%s:%s:update:sub_1', tests.id('ola/subscription'),
  request ->> 'version'), 'plan_billing_sync derives the idempotency key from the version') from first;
select is(pg_temp.plan(tests.stripe_subscription()), request,
  'plan_billing_sync returns the same request until Stripe has answered') from first;
select private.record_billing_answer(tests.id('ola/subscription'), (request ->> 'version')::int) from first;
select tests.empty_queue('billing_sync');
select is((pg_temp.plan(tests.stripe_subscription()) ->> 'version')::int, (request ->> 'version')::int + 1,
  'plan_billing_sync raises the version when a difference remains after an answer') from first;
select is_empty($$ select tests.queued('billing_sync') $$,
  'plan_billing_sync enqueues nothing, so that it cannot loop');
select private.record_billing_answer(tests.id('ola/subscription'), 1);
select is((pg_temp.plan(tests.stripe_subscription()) ->> 'version')::int, (request ->> 'version')::int + 1,
  'record_billing_answer ignores a late answer to an older version') from first;

-- concurrent runs
select is(private.plan_billing_sync(tests.id('ola/subscription'), '[]', now() - interval '1 minute'),
  '{"action": "read_again"}', 'plan_billing_sync returns read_again for a reading that is older than the stored one');
select is(pg_temp.account(), 'pro active 1800000000', 'plan_billing_sync stores nothing of an older reading');
update private.subscriptions set last_event_at = now() + interval '1 hour';
select is(pg_temp.plan(), null, 'plan_billing_sync plans from a reading that is older than the last copied event');
select is(pg_temp.account(), 'pro active 1800000000',
  'plan_billing_sync stores nothing of a reading that is older than the last copied event');
update private.subscriptions set last_event_at = null;

-- deleted accounts
delete from public.podcasts;
delete from auth.users where id = tests.id('ola');
select is(pg_temp.plan(tests.stripe_subscription(jsonb_build_object('status', status))) ->> 'action', wanted,
  format('plan_billing_sync of a deleted account returns %s for the status %s', coalesce(wanted, 'null'), status))
from (values ('active', 'cancel'), ('trialing', 'cancel'), ('past_due', 'cancel'), ('unpaid', 'cancel'),
  ('incomplete', 'cancel'), ('paused', 'cancel'), ('canceled', null), ('incomplete_expired', null)) v (status, wanted);
select is(pg_temp.plan(), null, 'plan_billing_sync of a deleted account without subscriptions returns null');

select is(tests.result_of(who, $$ select private.plan_billing_sync(gen_random_uuid(), '[]', now()) $$), '42501',
  format('plan_billing_sync is not executable by %s', who)) from unnest(array['anon', 'service']) who;

select * from tests.finish();
rollback;
