-- Accounts over their allowance, as after a downgrade, and when they were last reminded. A table of its own, because an
-- index on the bytes of billing_accounts would make each upload write it.
create table private.storage_overages (
  user_id     uuid primary key references public.billing_accounts on delete cascade,
  over_since  timestamptz not null,
  reminded_at timestamptz,
  constraint reminded_while_over check (reminded_at >= over_since)
);
comment on table private.storage_overages is
  'Accounts whose stored objects exceed their allowance. Triggers write it, remind_of_storage reads it.';
create index storage_overages_due_idx on private.storage_overages ((coalesce(reminded_at, over_since)));
alter table private.storage_overages enable row level security;
-- No policy, no grant.
