-- Subscriptions: what Stripe's subscription of an account should be. Facts decide it; the worker makes Stripe agree.
-- Stripe's ids stay in this table, because clients do not need them. The row survives its user, so that a payment that
-- completes after the account was deleted is canceled.
create table private.subscriptions (
  id                         uuid primary key default gen_random_uuid(),
  user_id                    uuid unique references public.profiles on delete set null,  -- null: the account is deleted
  stripe_customer_id         text unique,
  stripe_subscription_id     text unique,              -- the one that decides the account
  has_open_podcasts          boolean not null,         -- the user owns an active or paused podcast
  is_collection_void         boolean not null,         -- a paused podcast, and no active one
  podcasts_closed_at         timestamptz,              -- when the last open podcast was closed; null: one is open
  mark_overruled_by_customer text,                     -- our mark at Stripe whose cancellation is the customer's
  desired_version            int not null default 1,   -- raised with every change of the desired state
  answered_version           int not null default 0,   -- Stripe has answered a request of this version
  checkout_version           int not null default 1,
  checkout_session_id        text,                     -- the open session, if any
  checkout_plan_code         text references public.plans,
  checkout_ends_at           timestamptz,              -- from then on, no session that was stored can be paid
  is_live                    boolean not null default false,  -- by the last known state, Stripe may still charge
  observed_at                timestamptz,              -- when the worker last read Stripe's state
  last_event_at              timestamptz,              -- the newest event whose state was copied
  created_at                 timestamptz not null default now(),
  constraint open_podcasts_are_not_closed check (not has_open_podcasts or podcasts_closed_at is null),
  constraint only_open_podcasts_void_collection check (has_open_podcasts or not is_collection_void),
  constraint session_has_plan check (num_nulls(checkout_session_id, checkout_plan_code) in (0, 2))
);
comment on table private.subscriptions is
  'The desired state of each account''s subscription, and what is known of Stripe''s. begin_checkout creates rows.';
create index subscriptions_checkout_plan_code_idx on private.subscriptions (checkout_plan_code);
create index subscriptions_observed_at_idx on private.subscriptions (observed_at nulls first)
  where stripe_customer_id is not null and (is_live or observed_at is null or observed_at < checkout_ends_at);
alter table private.subscriptions enable row level security;
-- No policy, no grant: clients read billing_accounts.

-- Always
create function private.raise_desired_version() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if (old.user_id, old.is_collection_void, old.podcasts_closed_at)
     is distinct from (new.user_id, new.is_collection_void, new.podcasts_closed_at) then
    -- above each version that a request may have had
    new.desired_version := greatest(old.desired_version, old.answered_version + 1) + 1;
  end if;
  return new;
end $$;
create trigger t500_raise_desired_version
  before update of user_id, is_collection_void, podcasts_closed_at on private.subscriptions
  for each row execute function private.raise_desired_version();

-- After
create function private.enqueue_billing_sync(
  subscription_id uuid, delay_seconds int default 0, at timestamptz default clock_timestamp())
returns bigint
language sql volatile security invoker set search_path = ''
return private.enqueue('billing_sync', jsonb_build_object('subscription_id', $1), $2, $3);
comment on function private.enqueue_billing_sync is
  'Enqueues a comparison of a subscription with Stripe, in the transaction of its cause. Returns the message''s id.';
-- No grant: security definer functions and the service call it.

create function private.announce_desired_state() returns trigger
language plpgsql security definer  -- owners of podcasts have no grant on the queues
set search_path = ''
as $$
begin
  perform private.enqueue_billing_sync(new.id) where new.stripe_customer_id is not null;
  return null;
end $$;
create trigger t900_announce_desired_state
  after update of user_id, is_collection_void, podcasts_closed_at on private.subscriptions
  for each row when (old.desired_version <> new.desired_version) execute function private.announce_desired_state();
