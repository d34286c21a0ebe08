-- Credentials of calendar connections: tokens of an account, or URL and password of a calendar. Vault holds the values.
create table private.calendar_credentials (
  connection_id     uuid primary key references public.calendar_connections on delete cascade,
  secret_id         uuid not null,   -- in Vault: {accessToken, refreshToken} or {url, username, password}
  account_digest    bytea not null,  -- sha256 of provider and account: its other connections
  access_expires_at timestamptz,     -- of the access token; null: of a URL
  lease_id          uuid,            -- of the refresh of the tokens that runs
  lease_expires_at  timestamptz,
  constraint secret_id_unique unique (secret_id),
  constraint account_digest_is_sha256 check (octet_length(account_digest) = 32),
  constraint lease_has_id_and_expiry check (num_nulls(lease_id, lease_expires_at) in (0, 2))
);
comment on table private.calendar_credentials is
  'Where Vault holds the credentials of each calendar connection, and who refreshes its tokens.';
create index calendar_credentials_account_digest_idx on private.calendar_credentials (account_digest);
alter table private.calendar_credentials enable row level security;
-- No policy, no grant.

-- Always
create function private.delete_calendar_secret() returns trigger
language plpgsql security definer  -- Auth deletes users as its own role, and the deletion cascades
set search_path = ''
as $$
begin
  delete from vault.secrets s where s.id = old.secret_id;
  return null;
end $$;
comment on function private.delete_calendar_secret is
  'Deletes the secret of deleted credentials from Vault, however they were deleted.';
create trigger t500_delete_secret after delete on private.calendar_credentials
  for each row execute function private.delete_calendar_secret();

create function private.read_calendar_secret(connection_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select s.decrypted_secret::jsonb from private.calendar_credentials c
  join vault.decrypted_secrets s on s.id = c.secret_id where c.connection_id = $1
$$;
comment on function private.read_calendar_secret is
  'The credentials of a connection; null if it does not exist: {accessToken, refreshToken} or {url, username?, '
  'password?}.';

create function private.store_calendar_secret(
  _connection_id uuid, secret jsonb, _account_digest bytea, _access_expires_at timestamptz) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  credentials private.calendar_credentials;
begin
  select c.* into credentials from private.calendar_credentials c
  where c.connection_id = _connection_id for update;
  if found then
    perform vault.update_secret(credentials.secret_id, secret::text);
    -- a refresh of the earlier tokens loses its lease
    update private.calendar_credentials c set access_expires_at = _access_expires_at,
      account_digest = _account_digest, lease_id = null, lease_expires_at = null
    where c.connection_id = _connection_id;
  else
    insert into private.calendar_credentials (connection_id, secret_id, account_digest, access_expires_at)
    values (_connection_id, vault.create_secret(secret::text,
      'calendar_connection_' || _connection_id), _account_digest, _access_expires_at);
  end if;
end $$;
comment on function private.store_calendar_secret is
  'Writes the credentials of a connection whose row the caller has inserted or locked.';
