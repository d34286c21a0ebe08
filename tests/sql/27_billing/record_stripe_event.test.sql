-- record_stripe_event: events are copied in their order, once each.
begin;
select tests.start();

select private.offer_plan_price('price_pro', 'pro', 'month', 'eur');
select tests.podcast('show', 'ola'), tests.subscription('ola');
-- The n-th event: its time is n seconds after the epoch's second billion
create function pg_temp.event(n int, changes jsonb default '{}', type text default 'customer.subscription.updated',
  more jsonb default '{}') returns jsonb language sql as $$
  select jsonb_build_object('id', 'evt_' || n, 'type', type, 'created', 2000000000 + n,
    'data', jsonb_build_object('object', tests.stripe_subscription(changes))) || more $$;
create function pg_temp.account() returns text language sql as $$
  select plan_code || ' ' || subscription_status from public.billing_accounts where user_id = tests.id('ola') $$;
create function pg_temp.messages() returns bigint language sql as $$
  select count(*) from tests.queued('billing_sync') $$;

select is(private.record_stripe_event(pg_temp.event(1, '{"customer": "cus_unknown"}')), false,
  'record_stripe_event ignores an unknown customer');
select is(private.record_stripe_event(pg_temp.event(1, '{}', type)), false,
  format('record_stripe_event ignores %s', type))
from unnest(array['customer.updated', 'charge.succeeded', 'invoice.created', 'x', 'invoice.paid.late']) type;
select is(pg_temp.messages() || ' ' || (select count(*) from private.stripe_events), '0 0',
  'record_stripe_event stores and enqueues nothing for events that it ignores');

select is(private.record_stripe_event(pg_temp.event(5, '{}', 'customer.subscription.created')), true,
  'record_stripe_event records an event of a subscription');
select is(pg_temp.account(), 'pro active', 'record_stripe_event copies plan and status at once');
select is(pg_temp.messages(), 1::bigint, 'record_stripe_event enqueues billing_sync');
select is(private.record_stripe_event(pg_temp.event(5, '{"status": "unpaid"}')), false,
  'record_stripe_event ignores an event that was delivered before');
select is(pg_temp.account() || ' ' || pg_temp.messages(), 'pro active 1',
  'record_stripe_event copies and enqueues nothing for a repeated event');
select is(private.record_stripe_event(pg_temp.event(3, '{"status": "incomplete"}')), true,
  'record_stripe_event records an event that arrives late');
select is(pg_temp.account(), 'pro active', 'record_stripe_event does not copy the state of an older event');
select private.record_stripe_event(pg_temp.event(7, '{"status": "canceled"}', 'customer.subscription.deleted'));
select is(pg_temp.account(), 'free canceled', 'record_stripe_event copies the end of a subscription');
select private.record_stripe_event(pg_temp.event(8, '{"id": "sub_2", "created": 1999999999}'));
select is(pg_temp.account(), 'pro active', 'record_stripe_event copies a subscription that follows an ended one');
select private.record_stripe_event(pg_temp.event(9, '{"id": "sub_0", "status": "past_due"}'));
select is(pg_temp.account(), 'pro active', 'record_stripe_event copies nothing of a subscription after the known one');
select is(private.record_stripe_event(pg_temp.event(9, '{"id": "sub_2", "status": "unpaid"}')
  || jsonb_build_object('id', 'evt_same_second', 'created', 2000000008)), true,
  'record_stripe_event records an event of the same second as the last copied one');
select is(pg_temp.account(), 'pro active',
  'record_stripe_event leaves an event of the same second as the last copied one to billing_sync');
update private.subscriptions set observed_at = to_timestamp(2000000020.5);
select private.record_stripe_event(pg_temp.event(20, '{"status": "unpaid", "id": "sub_2"}'));
select is(pg_temp.account(), 'pro active', 'record_stripe_event copies nothing older than the worker''s last reading');

select tests.empty_queue('billing_sync');
select is(private.record_stripe_event(pg_temp.event(30 + n::int, '{"id": "sub_2", "status": "unpaid"}', type)), true,
  format('record_stripe_event records %s', type))
from unnest(array['invoice.paid', 'invoice.payment_failed', 'checkout.session.completed']) with ordinality v (type, n);
select is(pg_temp.messages() || ' ' || pg_temp.account(), '3 pro active',
  'record_stripe_event copies no state of events about invoices and checkouts');
select private.record_stripe_event(pg_temp.event(34, '{"id": "sub_2", "status": "paused"}',
  'customer.subscription.paused'));
select is(pg_temp.account(), 'free paused', 'record_stripe_event copies the state of customer.subscription.paused');
select private.record_stripe_event(pg_temp.event(35, '{"id": "sub_2"}', 'customer.subscription.resumed'));
select is(pg_temp.account(), 'pro active', 'record_stripe_event copies the state of customer.subscription.resumed');
select private.record_stripe_event(pg_temp.event(36, '{"id": "sub_2", "status": "unpaid"}')),
  private.record_stripe_event(pg_temp.event(37, '{"id": "sub_3"}'));
select is(pg_temp.account(), 'pro active',
  'record_stripe_event copies a paid subscription before the known, unpaid one');

-- the customer cancels after renewing a cancellation of ours
create function pg_temp.overruled(
  n int, changes jsonb, previous jsonb, request jsonb default '{"idempotency_key": null}')
returns text language plpgsql as $$
declare
  event jsonb := pg_temp.event(n, '{"cancel_at_period_end": true, "metadata": {"castbase_podcasts_closed_at": "M"}}'
    || changes, more => jsonb_build_object('request', request));
begin
  update private.subscriptions set marks_overruled = '{}';
  perform private.record_stripe_event(jsonb_set(event, '{data,previous_attributes}', previous));
  return (select marks_overruled ->> 'sub_1' from private.subscriptions);
end $$;
select is(pg_temp.overruled(40, '{}', '{"cancel_at_period_end": false}'), 'M',
  'record_stripe_event records a cancellation by the customer after one of ours');
select is(pg_temp.overruled(41, '{"cancel_at_period_end": false, "cancel_at": 2100000000}', '{"cancel_at": null}'), 'M',
  'record_stripe_event records a cancellation by cancel_at after one of ours');
select is(pg_temp.overruled(42, '{}', '{"cancel_at_period_end": false}', '{"idempotency_key": "castbase:1:2"}'), null,
  'record_stripe_event ignores the events of our own requests');
select is(pg_temp.overruled(43, '{}', '{"metadata": {}}'), null,
  'record_stripe_event ignores changes of other attributes');
select is(pg_temp.overruled(44, '{"cancel_at_period_end": false}', '{"cancel_at_period_end": true}'), null,
  'record_stripe_event takes no renewal for a cancellation');

create function pg_temp.overruled_by_ours(n int, action text, changes jsonb, previous jsonb) returns text
language sql as $$
  select pg_temp.overruled(n, changes, previous,
    jsonb_build_object('idempotency_key', format('castbase:1:2:%s:sub_2', action))) $$;
select is(pg_temp.overruled_by_ours(60, 'schedule_cancellation', '{}',
  '{"metadata": {"castbase_podcasts_closed_at": null}}'), 'M',
  'record_stripe_event records a cancellation by the customer that preceded our request to schedule one');
select is(pg_temp.overruled_by_ours(61, 'schedule_cancellation', '{"cancel_at": 2100000000}',
  '{"cancel_at_period_end": false}'), 'M',
  'record_stripe_event records a cancellation by cancel_at that preceded our request to schedule one');
select is(pg_temp.overruled_by_ours(62, 'schedule_cancellation', '{"cancel_at": 2100000000}',
  '{"cancel_at_period_end": false, "cancel_at": null}'), null,
  'record_stripe_event records nothing for a cancellation that we scheduled');
select is(pg_temp.overruled_by_ours(63, 'mark_closing', '{}', '{"metadata": {"castbase_podcasts_closed_at": "L"}}'),
  null, 'record_stripe_event records nothing for our mark of a later closing');

create function pg_temp.mark_after(n int, existing text, mark text) returns text language plpgsql as $$
begin
  update private.subscriptions set marks_overruled = jsonb_strip_nulls(jsonb_build_object('sub_1', existing));
  perform private.record_stripe_event(jsonb_set(
    pg_temp.event(n, jsonb_build_object('cancel_at_period_end', true,
      'metadata', jsonb_build_object('castbase_podcasts_closed_at', mark))),
    '{data,previous_attributes}', '{"cancel_at_period_end": false}'));
  return (select marks_overruled ->> 'sub_1' from private.subscriptions);
end $$;
select is(pg_temp.mark_after(n, '2026-02-01T00:00:00.000000Z', mark), wanted,
  format('record_stripe_event keeps the greatest mark of a cancellation by the customer, given the mark %L', mark))
from (values (45, '2026-01-01T00:00:00.000000Z', '2026-02-01T00:00:00.000000Z'),
  (46, '2026-03-01T00:00:00.000000Z', '2026-03-01T00:00:00.000000Z'),
  (47, '', '2026-02-01T00:00:00.000000Z'), (48, null, '2026-02-01T00:00:00.000000Z')) v (n, mark, wanted);
update private.subscriptions set marks_overruled = '{"sub_1": "K"}';
select private.record_stripe_event(jsonb_set(
  pg_temp.event(49, '{"id": "sub_2", "cancel_at_period_end": true, "metadata": {"castbase_podcasts_closed_at": "M"}}'),
  '{data,previous_attributes}', '{"cancel_at_period_end": false}'));
select is((select marks_overruled from private.subscriptions), '{"sub_1": "K", "sub_2": "M"}',
  'record_stripe_event records a cancellation by the customer for its own subscription');

-- deleted accounts
delete from public.podcasts;
delete from auth.users where id = tests.id('ola');
select tests.empty_queue('billing_sync');
select is(private.record_stripe_event(pg_temp.event(50)), true,
  'record_stripe_event records a payment after the account was deleted');
select is(pg_temp.messages(), 1::bigint, 'an event of a deleted account enqueues billing_sync, which cancels');

select is(private.purge_stripe_events(now() + interval '29 days'), 0, 'purge_stripe_events keeps events for 30 days');
select isnt(private.purge_stripe_events(now() + interval '31 days'), 0, 'purge_stripe_events deletes older events');
select tests.access('record_stripe_event', $$ select private.record_stripe_event('{}') $$, '42501: anon service');

select * from tests.finish();
rollback;
