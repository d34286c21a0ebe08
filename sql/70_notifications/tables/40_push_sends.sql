-- Sends of a push delivery: one row per subscription, written by its first attempt. A retry sends only to those that
-- are pending.
create table private.push_sends (
  delivery_id     uuid not null,
  subscription_id uuid not null references public.push_subscriptions on delete cascade,
  outcome         text not null default 'pending',
  error           text,  -- of the last attempt
  primary key (delivery_id, subscription_id),
  constraint outcome_is_known check (outcome in ('pending', 'accepted', 'ended', 'rejected'))
);
comment on table private.push_sends is
  'What the push services made of a delivery, by subscription: pending (not sent, or to be tried again), accepted, '
  'ended (the subscription no longer exists) or rejected.';
create index push_sends_subscription_id_idx on private.push_sends (subscription_id);
alter table private.push_sends enable row level security;
-- No policy, no grant.

create function private.complete_push_delivery(_delivery_id uuid, at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  sends record;
begin
  select bool_or(s.outcome = 'accepted') as has_accepted, coalesce(string_agg(distinct s.error, '; '),
    -- nothing is recorded of an attempt whose worker died, and the message may have arrived
    case when count(*) > 0 then 'The subscription ended during an attempt' end) as errors
  into sends from private.push_sends s where s.delivery_id = _delivery_id;
  insert into private.delivery_sends (delivery_id, last_error)
  select d.id, case when sends.has_accepted then null
    else coalesce(left(sends.errors, 2000), case when exists (
      select from private.delivery_sends s where s.delivery_id = d.id and s.content is not null)
      then 'The user has no active subscription' else 'There is nothing left to send' end) end
  from public.notification_deliveries d where d.id = _delivery_id and d.status <> 'canceled'  -- has its reason
  on conflict on constraint delivery_sends_pkey do update set content = null, last_error = excluded.last_error;
  update public.notification_deliveries d set
    status = case when sends.errors is null then 'canceled' else 'failed' end::public.delivery_status,
    failed_at = case when sends.errors is not null then at end
  where d.id = _delivery_id and d.status = 'queued' and sends.has_accepted is distinct from true;
end $$;
comment on function private.complete_push_delivery is
  'Completes a delivery without further attempts: a delivery that no push service accepted becomes failed, or canceled '
  'if there was no attempt, because it had no notification or no subscription; delivery_sends.last_error has the '
  'reason.';
