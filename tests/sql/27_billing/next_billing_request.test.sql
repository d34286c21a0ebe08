-- next_billing_request: what differs between the desired state and Stripe's subscriptions of a customer.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.subscription('ola');
-- '<action> <id> <params>' of the next request
create function pg_temp.next(subscriptions jsonb, is_before_checkout boolean default false) returns text
language sql as $$
  select concat_ws(' ', request ->> 'action', request ->> 'id', nullif(request -> 'params', '{}'))
  from private.subscriptions s, private.next_billing_request(s, subscriptions, is_before_checkout) request
  where s.id = tests.id('ola/subscription') and request is not null $$;
create function pg_temp.of(changes jsonb default '{}') returns text language sql as $$
  select pg_temp.next(jsonb_build_array(tests.stripe_subscription(changes))) $$;

-- collection
select is(pg_temp.of(), null, 'next_billing_request is null for a subscription that is as desired');
select is(pg_temp.of('{"pause_collection": {"behavior": "void"}}'), 'resume_collection sub_1 {"pause_collection": ""}',
  'next_billing_request resumes a collection that should not be void');
select tests.set_podcast_status('show', 'paused');
select is(pg_temp.of(), 'void_collection sub_1 {"pause_collection": {"behavior": "void"}}',
  'next_billing_request voids collection while the only podcast is paused');
select is(pg_temp.of('{"pause_collection": {"behavior": "void"}}'), null,
  'next_billing_request is null when collection is void as desired');
select is(pg_temp.of(jsonb_build_object('status', status)), null,
  format('next_billing_request changes no subscription with the status %s', status))
from unnest(array['canceled', 'incomplete', 'incomplete_expired', 'paused', 'of_the_future']) status;
create function pg_temp.of_operators_pause(podcast_status public.podcast_status, behavior text) returns text
language plpgsql as $$
begin
  perform tests.set_podcast_status('show', podcast_status);
  return pg_temp.of(jsonb_build_object('pause_collection', jsonb_build_object('behavior', behavior)));
end $$;
select is(pg_temp.of_operators_pause(podcast_status, behavior), null, format('next_billing_request keeps the '
  'operator''s pause %s while the only podcast is %s', behavior, podcast_status))
from unnest(array['keep_as_draft', 'mark_uncollectible']) behavior,
  unnest(array['active', 'paused']::public.podcast_status[]) podcast_status;

-- cancellation
select tests.set_podcast_status('show', 'pending_deletion');
create function pg_temp.closing() returns text language sql as $$
  select to_char(podcasts_closed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') from private.subscriptions $$;
create function pg_temp.mark(mark text, cause text) returns jsonb language sql as $$
  select jsonb_build_object('metadata', jsonb_build_object(
    'castbase_podcasts_closed_at', mark, 'castbase_cancellation', cause)) $$;
create function pg_temp.marked(mark text, cause text, more jsonb default '{}') returns text language sql as $$
  select pg_temp.of(more || pg_temp.mark(mark, cause)) $$;
create function pg_temp.scheduled() returns text language sql as $$
  select concat('schedule_cancellation sub_1 ',
    '{"cancel_at_period_end": true}' || pg_temp.mark(pg_temp.closing(), 'podcasts_closed')) $$;

select is(pg_temp.of('{"pause_collection": {"behavior": "void"}}'), 'resume_collection sub_1 {"pause_collection": ""}',
  'next_billing_request resumes collection in a request of its own before the cancellation');
select is(pg_temp.of(), pg_temp.scheduled(),
  'next_billing_request schedules the cancellation with its cause when the last podcast is closed');
select is(pg_temp.of('{"pause_collection": {"behavior": "keep_as_draft"}}'), pg_temp.scheduled(),
  'next_billing_request schedules the cancellation beside the operator''s pause');
select is(pg_temp.of('{"schedule": "sub_sched_1"}'), 'release_schedule sub_sched_1',
  'next_billing_request releases a schedule before it schedules the cancellation');
select is(pg_temp.marked(pg_temp.closing(), 'podcasts_closed', '{"cancel_at_period_end": true}'), null,
  'next_billing_request is null when the cancellation is scheduled');
select is(pg_temp.marked(pg_temp.closing(), 'podcasts_closed', '{"schedule": "sub_sched_1"}'), null,
  'next_billing_request keeps a schedule of a subscription whose closing was acted on');
select is(pg_temp.marked(pg_temp.closing(), 'podcasts_closed'), null,
  'next_billing_request keeps a renewal by the customer');
select is(pg_temp.of(more), concat('mark_closing sub_1 ', pg_temp.mark(pg_temp.closing(), '')),
  format('next_billing_request marks a cancellation by the customer as seen, without a cause: %s', more))
from unnest(array['{"cancel_at_period_end": true}', '{"cancel_at": 1800000000}',
  '{"cancel_at_period_end": true, "schedule": "sub_sched_1"}']::jsonb[]) more;
select is(pg_temp.of(jsonb_build_object('created', extract(epoch from now())::bigint + 60)), null,
  'next_billing_request does not cancel a subscription that is newer than the closing');
select is(pg_temp.marked('2026-01-01T00:00:00.000000Z', 'podcasts_closed'), pg_temp.scheduled(),
  'next_billing_request schedules the cancellation again for a later closing');
select is(pg_temp.marked('2026-01-01T00:00:00.000000Z', 'podcasts_closed', '{"cancel_at_period_end": true}'),
  concat('mark_closing sub_1 ', pg_temp.mark(pg_temp.closing(), 'podcasts_closed')),
  'next_billing_request keeps its own cancellation for a later closing');
create temp table closed as select pg_temp.closing() as mark;

select tests.set_podcast_status('show', 'active');
select is(pg_temp.marked(mark, 'podcasts_closed', '{"cancel_at_period_end": true, "cancel_at": 1800000000}'),
  'withdraw_cancellation sub_1 {"cancel_at_period_end": false}',
  'next_billing_request withdraws its own cancellation when a podcast is open again, and keeps the mark') from closed;
select is(pg_temp.marked(mark, 'podcasts_closed', '{"cancel_at": 1800000000}'),
  'withdraw_cancellation sub_1 {"cancel_at": ""}',
  'next_billing_request withdraws a cancellation that Stripe stores as cancel_at alone') from closed;
select is(pg_temp.marked(mark, 'podcasts_closed', '{"cancel_at_period_end": true, "schedule": "sub_sched_1"}'),
  'release_schedule sub_sched_1', 'next_billing_request releases a schedule before it withdraws its cancellation')
from closed;
select is(pg_temp.marked(mark, 'podcasts_closed'), concat('remove_mark sub_1 ', pg_temp.mark('', '')),
  'next_billing_request removes the mark of an open account once no cancellation is scheduled') from closed;
select is(pg_temp.marked(mark, '', '{"cancel_at_period_end": true}'), null,
  'next_billing_request keeps a cancellation by the customer when a podcast is open again') from closed;
select is(pg_temp.of('{"cancel_at_period_end": true}'), null,
  'next_billing_request changes nothing of an unmarked cancellation');
update private.subscriptions set marks_overruled = jsonb_build_object('sub_1', (select mark from closed));
select is(pg_temp.marked(mark, 'podcasts_closed', '{"cancel_at_period_end": true}'), null,
  'next_billing_request keeps a cancellation by the customer that overruled ours') from closed;
select is(pg_temp.marked(mark, 'podcasts_closed', '{"id": "sub_2", "cancel_at_period_end": true}'),
  'withdraw_cancellation sub_2 {"cancel_at_period_end": false}', 'next_billing_request withdraws its cancellation of '
  'one subscription although the customer overruled that of another') from closed;

-- a period that was renewed during a pause
create function pg_temp.period(seconds int, more jsonb default '{}', status text default 'void') returns text
language sql as $$
  select split_part(pg_temp.of(jsonb_build_object(
    'latest_invoice', jsonb_build_object('id', 'in_1', 'status', status, 'created', since + seconds),
    'items', jsonb_build_object('data', jsonb_build_array(jsonb_build_object('price', '{"id": "price_pro"}'::jsonb,
      'current_period_start', since + seconds, 'current_period_end', since + 9999999)))) || more), ' ', 1)
  from (select ceil(extract(epoch from s.collection_void_since))::bigint from private.subscriptions s) v (since) $$;
select isnt(collection_void_since, null, 'a pause that was not settled keeps its begin')
from private.subscriptions;
select is(pg_temp.period(0), 'restart_period',
  'next_billing_request restarts a period that was renewed during the pause');
select is(request - 'id', '{"action": "restart_period", "invoiceId": "in_1",
    "params": {"billing_cycle_anchor": {"type": "now"}, "proration_behavior": "none"}}',
  'next_billing_request restarts the period now, without prorations, once per voided invoice')
from private.subscriptions s, private.restart_request(s, tests.stripe_subscription(jsonb_build_object(
  'latest_invoice', jsonb_build_object('id', 'in_1', 'status', 'void', 'created', 4000000000),
  'items', '{"data": [{"current_period_start": 4000000000}]}'::jsonb))) request;
select is(pg_temp.period(-1), null, 'next_billing_request restarts no period of before the pause');
select is(pg_temp.period(0, status => status), null,
  format('next_billing_request restarts no period with a %s invoice', status))
from unnest(array['draft', 'open', 'paid', 'uncollectible']) status;
select is(pg_temp.period(0, jsonb_build_object('status', status)), wanted,
  format('next_billing_request restarts the period of a subscription that is %s: %s', status, wanted is not null))
from (values ('past_due', 'restart_period'), ('trialing', null), ('unpaid', null), ('canceled', null),
  ('incomplete', null), ('paused', null)) v (status, wanted);
select is(pg_temp.period(0, more), 'cancel',
  format('next_billing_request cancels a subscription whose voided period the customer canceled: %s', more))
from unnest(array['{"cancel_at_period_end": true}', '{"cancel_at": 1}',
  '{"cancel_at_period_end": true, "schedule": "sub_sched_1"}']::jsonb[]) more;
select is(pg_temp.period(0, '{"cancel_at": 4000000000}'), 'restart_period',
  'next_billing_request restarts a voided period that is not the last one');
select is(pg_temp.period(0, pg_temp.mark((select mark from closed), 'podcasts_closed')
    || '{"id": "sub_2", "cancel_at_period_end": true}'), 'withdraw_cancellation',
  'next_billing_request withdraws its own cancellation of a voided period before it restarts the period');
select is(pg_temp.period(0, '{"schedule": "sub_sched_1"}'), 'release_schedule',
  'next_billing_request releases a schedule before it restarts a period');
select is(pg_temp.period(0, more), wanted,
  format('next_billing_request stores the price of a schedule before it releases it: %s, given %s', wanted, more))
from (values
  ('{"schedule": "sub_sched_1", "scheduled_price": "price_less"}'::jsonb, 'store_scheduled_price'),
  ('{"schedule": "sub_sched_1", "scheduled_price": "price_less",
    "metadata": {"castbase_scheduled_price": "price_less"}}', 'release_schedule'),
  ('{"schedule": "sub_sched_1", "metadata": {"castbase_scheduled_price": "price_less"}}', 'store_scheduled_price'))
  v (more, wanted);
select is(request -> 'params', '{"billing_cycle_anchor": {"type": "now"}, "proration_behavior": "none",
    "items": [{"id": "si_1", "price": "price_less"}], "metadata": {"castbase_scheduled_price": ""}}',
  'next_billing_request restarts the period with the stored price of a schedule')
from private.subscriptions s, private.restart_request(s, tests.stripe_subscription(jsonb_build_object(
  'latest_invoice', jsonb_build_object('id', 'in_1', 'status', 'void', 'created', 4000000000),
  'items', '{"data": [{"id": "si_1", "current_period_start": 4000000000}]}'::jsonb,
  'metadata', '{"castbase_scheduled_price": "price_less"}'::jsonb))) request;
select is(pg_temp.period(0, '{"pause_collection": {"behavior": "keep_as_draft"}}'), null,
  'next_billing_request restarts no period during the operator''s pause');
select tests.set_podcast_status('show', 'paused');
select is(pg_temp.period(0, '{"pause_collection": {"behavior": "void"}}'), null,
  'next_billing_request restarts no period during the pause');
select tests.set_podcast_status('show', 'pending_deletion');
select is(pg_temp.period(0), 'schedule_cancellation',
  'next_billing_request restarts no period of an account without open podcasts');
select tests.set_podcast_status('show', 'active');
update private.subscriptions set collection_void_since = null;
select is(split_part(pg_temp.of('{"latest_invoice": {"id": "in_1", "status": "void", "created": 4000000000},
  "items": {"data": [{"current_period_start": 4000000000}]}}'), ' ', 1), null,
  'next_billing_request restarts no period whose invoice was voided without a pause');

-- the address
create function pg_temp.address(customer jsonb) returns text language sql as $$
  select concat_ws(' ', request ->> 'action', request ->> 'id', request -> 'params')
  from private.subscriptions s, private.address_request(s, customer) request where request is not null $$;
select is(pg_temp.address(customer), 'update_customer cus_ola {"email": "ola@test.example", '
  '"metadata": {"castbase_address_version": "1"}}', format('address_request writes the address to the customer %s',
  customer))
from unnest(array['{"metadata": {}}', '{"metadata": {"castbase_address_version": "0"}}', '{}']::jsonb[]) customer;
select is(pg_temp.address('{"metadata": {"castbase_address_version": "1"}}'), null,
  'address_request keeps what was edited at Stripe after the last change');
select is(pg_temp.address(null), null, 'address_request is null for a customer that was deleted');

-- several subscriptions
create function pg_temp.of_two(one jsonb, two jsonb, is_before_checkout boolean default false) returns text
language sql as $$
  select pg_temp.next(jsonb_build_array(tests.stripe_subscription(one),
    tests.stripe_subscription('{"id": "sub_2", "created": 5}' || two)), is_before_checkout) $$;
select is(pg_temp.of_two('{}', '{"pause_collection": {"behavior": "void"}}'),
  'resume_collection sub_2 {"pause_collection": ""}',
  'next_billing_request resumes the collection of each subscription');
select tests.set_podcast_status('show', 'pending_deletion');
select is(pg_temp.of_two(pg_temp.mark(pg_temp.closing(), 'podcasts_closed'), '{}'),
  replace(pg_temp.scheduled(), 'sub_1', 'sub_2'), 'next_billing_request cancels each subscription');
select is(pg_temp.of_two('{"status": "past_due"}', '{}'), replace(pg_temp.scheduled(), 'sub_1', 'sub_2'),
  'next_billing_request begins with the subscription that decides the account');
select tests.set_podcast_status('show', 'active');

-- subscriptions whose first payment has not succeeded
create function pg_temp.incomplete(invoice_status text default 'open') returns jsonb language sql as $$
  select jsonb_build_object('status', 'incomplete',
    'latest_invoice', jsonb_build_object('id', 'in_1', 'status', invoice_status)) $$;
select is(pg_temp.of_two(jsonb_build_object('status', status), pg_temp.incomplete()), 'void_invoice in_1',
  format('next_billing_request voids the invoice of an incomplete subscription beside one that is %s', status))
from unnest(array['active', 'trialing', 'past_due', 'unpaid', 'paused']) status;
select is(pg_temp.of_two('{}', pg_temp.incomplete('void')), 'cancel sub_2',
  'next_billing_request cancels an incomplete subscription once its invoice is void');
select is(pg_temp.of_two('{}', pg_temp.incomplete(status)), null,
  format('next_billing_request waits for an incomplete subscription whose invoice is %s', coalesce(status, 'unknown')))
from unnest(array['paid', 'draft', 'uncollectible', null]) status;
select is(pg_temp.of_two(jsonb_build_object('status', status), pg_temp.incomplete()), null,
  format('next_billing_request keeps an incomplete subscription beside one that is %s', status))
from unnest(array['incomplete', 'incomplete_expired', 'canceled']) status;
select is(pg_temp.of_two('{"status": "canceled"}', pg_temp.incomplete(), true), 'void_invoice in_1',
  'next_billing_request voids the invoice of an incomplete subscription before a new checkout');
select is(pg_temp.of_two('{}', '{}', true), null,
  'next_billing_request ends no paid subscription before a new checkout');

-- deleted accounts
delete from public.podcasts;
delete from auth.users where id = tests.id('ola');
select is(pg_temp.of(jsonb_build_object('status', status)), wanted,
  format('next_billing_request of a deleted account is %s for the status %s', coalesce(wanted, 'null'), status))
from (values ('active', 'cancel sub_1'), ('trialing', 'cancel sub_1'), ('past_due', 'cancel sub_1'),
  ('unpaid', 'cancel sub_1'), ('incomplete', 'cancel sub_1'), ('paused', 'cancel sub_1'),
  ('of_the_future', 'cancel sub_1'), ('canceled', null), ('incomplete_expired', null)) v (status, wanted);
select is(pg_temp.of_two('{"status": "canceled"}', '{}'), 'cancel sub_2',
  'next_billing_request of a deleted account cancels each subscription');
select is(pg_temp.next('[]'), null, 'next_billing_request of a deleted account without subscriptions is null');
select is(pg_temp.address('{"metadata": {}}'), null, 'address_request is null for a deleted account');

-- keys
select is(private.action_of_key(private.billing_request_key(gen_random_uuid(), 7, request)), request ->> 'action',
  format('action_of_key returns the action of the key of %s', request))
from unnest(array['{"action": "cancel", "id": "sub_1"}',
  '{"action": "restart_period", "id": "sub_1", "invoiceId": "in_1"}']::jsonb[]) request;
select is(private.action_of_key(key), null, format('action_of_key is null for the key %L', key))
from unnest(array[null, '', 'other:1:2:cancel:sub_1']) key;

select * from tests.finish();
rollback;
