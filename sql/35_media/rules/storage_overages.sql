-- Which accounts are over their allowance follows their bytes and plan, and the size of the plan.
create function private.derive_storage_overages(
  account_ids uuid[], are_reduced boolean, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  delete from private.storage_overages o using public.billing_accounts a
  where o.user_id = any (account_ids) and a.user_id = o.user_id
    and a.storage_bytes_used <= private.plan_storage_bytes(a.plan_code);
  insert into private.storage_overages as o (user_id, over_since)
  select a.user_id, at from public.billing_accounts a
  where a.user_id = any (account_ids) and a.storage_bytes_used > private.plan_storage_bytes(a.plan_code)
  order by a.user_id
  on conflict on constraint storage_overages_pkey do update set over_since = at, reminded_at = null where are_reduced;
end $$;
comment on function private.derive_storage_overages is
  'Writes which of these accounts are over their allowance. A reduced plan restarts their time.';

create function private.derive_storage_overage() returns trigger
language plpgsql security definer  -- who uploads may not write the table
set search_path = ''
as $$
begin
  perform private.derive_storage_overages(array[new.user_id],
    private.plan_storage_bytes(new.plan_code) < private.plan_storage_bytes(old.plan_code));
  return null;
end $$;
create trigger t500_derive_overage after update on public.billing_accounts
  for each row when ((old.storage_bytes_used, old.plan_code) is distinct from (new.storage_bytes_used, new.plan_code))
  execute function private.derive_storage_overage();

create function private.derive_storage_overages_of_plan() returns trigger
language plpgsql security definer  -- an operator changes the plan
set search_path = ''
as $$
begin
  perform private.derive_storage_overages(array(
    select a.user_id from public.billing_accounts a where a.plan_code = new.code and a.storage_bytes_used > least(
      old.storage_gb_per_account, new.storage_gb_per_account) * 1073741824::bigint),
    new.storage_gb_per_account < old.storage_gb_per_account);
  return null;
end $$;
create trigger t500_derive_overages after update of storage_gb_per_account on public.plans
  for each row when (old.storage_gb_per_account <> new.storage_gb_per_account)
  execute function private.derive_storage_overages_of_plan();
