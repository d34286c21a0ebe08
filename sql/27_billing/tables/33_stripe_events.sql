-- Events that Stripe has delivered. Stripe delivers an event more than once and in any order.
create table private.stripe_events (
  id          text primary key,
  type        text not null,
  created_at  timestamptz not null,   -- Stripe's time of the change
  received_at timestamptz not null default now()
);
comment on table private.stripe_events is
  'Events of known customers, so that a repeated delivery changes nothing. purge_stripe_events deletes old ones.';
create index stripe_events_received_at_idx on private.stripe_events (received_at);
alter table private.stripe_events enable row level security;
-- No policy, no grant.
