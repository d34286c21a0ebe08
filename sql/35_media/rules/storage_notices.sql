-- How full the storage of an account is, and the notices of it.
create function private.storage_level(account public.billing_accounts) returns text
language sql stable security invoker set search_path = ''
as $$
  select case
    when $1.storage_bytes_used >= 0.99 * allowance.bytes then 'full'
    when $1.storage_bytes_used >= 0.8 * allowance.bytes then 'high' else 'free' end
  from private.plan_storage_bytes($1.plan_code) allowance (bytes)
$$;
comment on function private.storage_level is
  'free, high (from 80 % of the allowance) or full (from 99 %: an upload rarely fits exactly).';

create function private.announce_storage_level() returns trigger
language plpgsql security definer  -- who uploads may not write events
set search_path = ''
as $$
declare
  level constant text := private.storage_level(new);
begin
  if level <> 'free' and level <> private.storage_level(old)
    and (level = 'full' or new.storage_bytes_used > old.storage_bytes_used or new.plan_code <> old.plan_code) then
    -- files can be deleted and uploaded in a loop
    perform private.notify_repeatedly(format('storage:%s:%s', new.user_id, level), 2, 'billing.storage_' || level,
      private.user_recipients(new.user_id), private.billing_facts(new), 'storage:' || new.user_id);
  end if;
  return null;
end $$;
create trigger t900_announce_storage after update on public.billing_accounts
  for each row when ((old.storage_bytes_used, old.plan_code) is distinct from (new.storage_bytes_used, new.plan_code))
  execute function private.announce_storage_level();
