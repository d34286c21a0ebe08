-- Plans and their allowances. private.install() writes the rows.
create table public.plans (
  code                   text primary key,
  name                   text not null,
  is_paid                boolean not null,
  storage_gb_per_account int not null,   -- 1 GB = 1,073,741,824 bytes
  constraint code_is_snake_case check (code ~ '^[a-z][a-z0-9_]*$'),
  constraint storage_is_positive check (storage_gb_per_account > 0)
);
comment on table public.plans is 'The plans of accounts. Readable without an account.';
comment on constraint code_is_snake_case on public.plans is 'The code must be lower-case letters, digits and "_"';
comment on constraint storage_is_positive on public.plans is 'The storage must be above 0';
-- Who
alter table public.plans enable row level security;
create policy anyone_reads on public.plans for select to anon, authenticated
  using (true);  -- anonymous callers read the price list
grant select on public.plans to anon, authenticated, service_role;
