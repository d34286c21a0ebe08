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
  collection_void_since      timestamptz,              -- until the pause has ended and its invoices are settled
  podcasts_closed_at         timestamptz,              -- when the last open podcast was closed; null: one is open
  address_version            int not null default 1,   -- raised with every confirmed change of the user's address
  marks_overruled            jsonb not null default '{}',  -- by Stripe's id, our mark whose cancellation is theirs
  desired_version            int not null default 1,   -- raised with every change of the desired state
  answered_version           int not null default 0,   -- Stripe has answered a request of this version
  answered_restarts          int not null default 0,   -- Stripe has answered a restart_period of this version
  checkout_version           int not null default 1,
  checkout_session_id        text,                     -- the open session, if any
  checkout_price_id          text references public.plan_prices,
  checkout_ends_at           timestamptz,              -- from then on, no session that was stored can be paid
  is_live                    boolean not null default false,  -- by the last known state, Stripe may still charge
  known_price_id             text references public.plan_prices,  -- the last known price that was paid for
  unknown_price_id           text,                     -- paid for now, and in no row of plan_prices
  has_subscribed             boolean not null default false,  -- ever, so that there is no second trial
  observed_at                timestamptz,              -- of the last reading or answer; an older reading is out of date
  last_event_at              timestamptz,              -- the newest event whose state was copied
  created_at                 timestamptz not null default now(),
  constraint open_podcasts_are_not_closed check (not has_open_podcasts or podcasts_closed_at is null),
  constraint only_open_podcasts_void_collection check (has_open_podcasts or not is_collection_void),
  constraint void_collection_has_begun check (not is_collection_void or collection_void_since is not null),
  constraint session_has_price check (num_nulls(checkout_session_id, checkout_price_id) in (0, 2))
);
comment on table private.subscriptions is
  'The desired state of each account''s subscription, and what is known of Stripe''s. begin_checkout creates rows.';
create index subscriptions_checkout_price_id_idx on private.subscriptions (checkout_price_id);
create index subscriptions_known_price_id_idx on private.subscriptions (known_price_id);
create index subscriptions_unknown_price_id_idx on private.subscriptions (unknown_price_id)
  where unknown_price_id is not null;
create index subscriptions_observed_at_idx on private.subscriptions (observed_at nulls first)
  where stripe_customer_id is not null and (is_live or observed_at is null or observed_at < checkout_ends_at);
alter table private.subscriptions enable row level security;
-- No policy, no grant: clients read billing_accounts.

create view private.unknown_prices with (security_invoker = true) as
select s.unknown_price_id as stripe_price_id, count(*) as subscriptions,
  min(s.stripe_subscription_id) as example_subscription_id
from private.subscriptions s where s.unknown_price_id is not null
group by s.unknown_price_id;
comment on view private.unknown_prices is
  'For operators: prices that customers pay and that no row of plan_prices has. Add each with its plan.';

-- Always
create function private.derive_new_subscription() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.lock_accounts(array[new.user_id]);
  select f.has_open, f.is_void, case when f.is_void then clock_timestamp() end
  into new.has_open_podcasts, new.is_collection_void, new.collection_void_since
  from private.podcast_facts(array[new.user_id]) f;
  return new;
end $$;
create trigger t500_derive before insert on private.subscriptions
  for each row execute function private.derive_new_subscription();

create function private.raise_desired_version() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if (old.user_id, old.is_collection_void, old.podcasts_closed_at, old.address_version)
     is distinct from (new.user_id, new.is_collection_void, new.podcasts_closed_at, new.address_version) then
    -- above each version that a request may have had
    new.desired_version := greatest(old.desired_version, old.answered_version + 1) + 1;
  end if;
  return new;
end $$;
create trigger t500_raise_desired_version
  before update of user_id, is_collection_void, podcasts_closed_at, address_version on private.subscriptions
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

-- Ten messages become visible each second, because Stripe limits the requests of all callers together, checkouts
-- included.
create function private.enqueue_billing_syncs(subscription_ids uuid[], at timestamptz default clock_timestamp())
returns int
language sql volatile security invoker set search_path = ''
as $$
  select count(private.enqueue_billing_sync(t.id, ((t.place - 1) / 10)::int, $2))
  from unnest($1) with ordinality t (id, place)
$$;
comment on function private.enqueue_billing_syncs is
  'Enqueues comparisons of subscriptions with Stripe, in this order and ten per second. Returns how many.';
-- No grant: security definer functions and operators call it.

create function private.announce_desired_state() returns trigger
language plpgsql security definer  -- owners of podcasts have no grant on the queues
set search_path = ''
as $$
begin
  perform private.enqueue_billing_sync(new.id) where new.stripe_customer_id is not null;
  return null;
end $$;
create trigger t900_announce_desired_state
  after update of user_id, is_collection_void, podcasts_closed_at, address_version on private.subscriptions
  for each row when (old.desired_version <> new.desired_version) execute function private.announce_desired_state();

-- A price becomes known, or gets another plan: the accounts that pay it may have another plan. The daily comparison
-- finds an account whose reading was concurrent.
create function private.announce_plan_of_price() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.enqueue_billing_syncs(array(
    select s.id from private.subscriptions s
    where s.stripe_customer_id is not null
      and (s.unknown_price_id = new.stripe_price_id or s.known_price_id = new.stripe_price_id)
    order by s.id));
  return null;
end $$;
create trigger t900_announce_plan_of_price after insert or update of plan_code on public.plan_prices
  for each row execute function private.announce_plan_of_price();
