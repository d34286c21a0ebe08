-- The user name and password of a feed behind Basic auth, for the life of its import. Vault holds the values.
create table private.import_credentials (
  import_id uuid primary key references public.podcast_imports on delete cascade,
  secret_id uuid not null,  -- in Vault: {username, password}
  constraint import_secret_id_unique unique (secret_id)
);
comment on table private.import_credentials is 'Where Vault holds the login of each import whose feed requires one.';
alter table private.import_credentials enable row level security;
-- No policy, no grant.

-- Always
create function private.delete_import_secret() returns trigger
language plpgsql security definer  -- the deletion cascades from any writer
set search_path = ''
as $$
begin
  delete from vault.secrets s where s.id = old.secret_id;
  return null;
end $$;
comment on function private.delete_import_secret is 'Deletes the secret of a deleted login from Vault.';
create trigger t500_delete_secret after delete on private.import_credentials
  for each row execute function private.delete_import_secret();

create function private.read_import_login(_import_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''  -- not sql, which would be planned at each call
as $$
begin
  return (
    select s.decrypted_secret::jsonb || jsonb_build_object('feedUrl', i.feed_url)
    from private.import_credentials c
    join public.podcast_imports i on i.id = c.import_id
    join vault.decrypted_secrets s on s.id = c.secret_id
    where c.import_id = _import_id);
end $$;
grant execute on function private.read_import_login to service_role;
comment on function private.read_import_login is
  'The login of an import''s feed: {username, password, feedUrl}, for requests to the feed''s origin only. Null '
  'without one.';
