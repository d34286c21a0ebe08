-- Job: enqueues a comparison with Stripe for each subscription that may differ although no message says so: Stripe's
-- event was lost, or a run ended in a dead letter.
create function private.reconcile_subscriptions(
  max_subscriptions int default 5000, at timestamptz default clock_timestamp())
returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  subscription_ids uuid[];
begin
  -- of two runs at once, the second sees the messages of the first
  perform pg_advisory_xact_lock(hashtextextended('reconcile_subscriptions', 0));
  with waiting as (
    select q.message ->> 'subscription_id' as id from pgmq.q_billing_sync q
    where q.message ->> 'subscription_id' is not null  -- `not in` a list with a null is never true
  ), dead as (  -- another try leaves a dead letter with its own error, or none
    delete from pgmq.q_billing_sync_dlq d using private.subscriptions s
    where s.id::text = d.message #>> '{message,subscription_id}'
    returning s.id
  ), uncertain as (
    select s.id from private.subscriptions s
    where s.stripe_customer_id is not null
      and (s.is_live or s.observed_at is null or s.observed_at < s.checkout_ends_at)
      and s.id::text not in (select w.id from waiting w)  -- a filter of the index scan, unlike `not exists`
    order by s.observed_at nulls first limit max_subscriptions
  )
  select array_agg(s.id order by s.observed_at nulls first, s.id) into subscription_ids
  from private.subscriptions s join (select d.id from dead d union select u.id from uncertain u) b using (id)
  where s.id::text not in (select w.id from waiting w);
  return private.enqueue_billing_syncs(subscription_ids, at);
end $$;
comment on function private.reconcile_subscriptions is
  'Enqueues billing_sync for the subscriptions that Stripe may still charge or whose checkout can still be paid, and '
  'in place of each dead letter; the oldest reading comes first. Skips those that have a message. Returns how many.';
