-- The storage allowance: what an account may store, and the only function that changes its sum.
create function private.plan_storage_bytes(plan_code text) returns bigint
language sql stable security invoker set search_path = ''
as $$
  select p.storage_gb_per_account * 1073741824::bigint from public.plans p where p.code = $1
$$;
comment on function private.plan_storage_bytes is
  'Returns the storage that a plan includes, in bytes; 1 GB = 1,073,741,824.';

create function private.storage_allowance_bytes(account_id uuid) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (select private.plan_storage_bytes(a.plan_code) from public.billing_accounts a where a.user_id = account_id);
end $$;
comment on function private.storage_allowance_bytes is
  'Returns the storage allowance of an account in bytes.';

create function private.adjust_storage_usage(_account_id uuid, _bytes bigint, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  used bigint;
begin
  if _bytes = 0 then
    return;
  end if;
  -- check before the update: Postgres can fail (XX000) over many undone updates of one row
  select a.storage_bytes_used + _bytes into used from public.billing_accounts a
  where a.user_id = _account_id
  for no key update;
  if _bytes > 0
     and used > private.storage_allowance_bytes(_account_id) then
    raise sqlstate 'PT409' using
      message = 'This would exceed the account''s storage allowance', hint = 'STORAGE_ALLOWANCE_EXCEEDED';
      -- no numbers: in a transfer the account belongs to another user
  end if;
  update public.billing_accounts a set storage_bytes_used = used, updated_at = at
  where a.user_id = _account_id;
end $$;
comment on function private.adjust_storage_usage is
  'Adds bytes to an account''s sum, under the lock of its row. PT409 if an increase exceeds its allowance.';

create function private.account_staged_bytes(account_id uuid) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (select coalesce(sum(private.staged_bytes(p.id)), 0) from public.podcasts p where p.owner_id = account_id);
end $$;
comment on function private.account_staged_bytes is 'Returns the bytes staged for all podcasts of an account.';

create function private.account_used_bytes(account_id uuid, staged bigint default null) returns bigint
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select a.storage_bytes_used + coalesce(staged, private.account_staged_bytes(a.user_id))
    from public.billing_accounts a where a.user_id = account_id);
end $$;
comment on function private.account_used_bytes is
  'Returns what counts against the allowance of an account: its stored objects, and `staged` bytes; default all of '
  'the account''s.';

-- Checks the allowance before the bytes are sent; adjust_storage_usage checks it again when they are counted.
create function private.require_allowance(
  _podcast_id uuid, _episode_id uuid, _usage text, _bytes bigint, staged bigint default null,
  replaced_bytes bigint default null
) returns void
language plpgsql stable security definer  -- an admin may not read the owner's account
set search_path = ''
as $$
declare
  account record;
begin
  if _usage = 'temporary' then
    perform private.require_account();
  else
    perform private.require_role(_podcast_id, 'admin');
  end if;
  select private.account_used_bytes(a.user_id, staged) as used,
    private.storage_allowance_bytes(a.user_id) as allowance into account
  from public.billing_accounts a
  where a.user_id = case when _usage = 'temporary' then auth.uid()
    else (select p.owner_id from public.podcasts p where p.id = _podcast_id) end;
  replaced_bytes := coalesce(replaced_bytes, (
    select sum(m.bytes) from private.media_objects m
    where m.target_id = coalesce(_episode_id, _podcast_id)
      and m.usage = _usage and m.released_at is null), 0);
  if account.used - replaced_bytes + _bytes > account.allowance then
    raise sqlstate 'PT409' using
      message = 'This would exceed the account''s storage allowance', hint = 'STORAGE_ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', account.used, 'bytes_limit', account.allowance,
        'bytes_requested', _bytes)::text;
  end if;
end $$;
comment on function private.require_allowance is
  'PT409 if these bytes, in place of the current object, exceed the allowance of the podcast''s account (requires '
  'admin) or, for usage temporary, of the caller''s. `staged`: as account_used_bytes. `replaced_bytes`: of the current '
  'object; default all of this usage.';
grant execute on function private.require_allowance to authenticated;  -- checks the role itself
