-- Billing accounts: one per user, with plan, subscription and stored bytes.
create table public.billing_accounts (
  user_id              uuid primary key references public.profiles on delete cascade,
  plan_code            text not null default 'free' references public.plans,
  subscription_status  text not null default 'none',   -- Stripe's, or none
  collection_paused    boolean not null default false,
  cancel_at_period_end boolean not null default false,
  current_period_end   timestamptz,                    -- null: no subscription that continues
  storage_bytes_used   bigint not null default 0,   -- stored objects of the account
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  constraint storage_is_not_negative check (storage_bytes_used >= 0)
);
comment on table public.billing_accounts is
  'Plan, subscription and storage of an account. Its user reads it, the service writes it.';
comment on constraint storage_is_not_negative on public.billing_accounts is 'The storage must be 0 or more bytes';
create index billing_accounts_plan_code_idx on public.billing_accounts (plan_code);
-- Who
alter table public.billing_accounts enable row level security;
create policy users_read_own on public.billing_accounts for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.billing_accounts to authenticated;
grant select, update on public.billing_accounts to service_role;
-- No write grant for users: the worker copies the subscription from Stripe, uploads change bytes.
