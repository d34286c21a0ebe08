-- Addresses whose holder has shown that they read the emails to them.
create table private.verified_emails (
  digest      bytea primary key,  -- sha256 of the address in lower case, so that the table holds no addresses
  verified_at timestamptz not null,
  constraint digest_is_sha256 check (octet_length(digest) = 32)
);
comment on table private.verified_emails is
  'Addresses whose holder acted with the access token of an email to them. A confirmed address of a user counts as '
  'well.';
alter table private.verified_emails enable row level security;
-- No policy, no grant.

create function private.verify_email(email text, at timestamptz) returns void
language sql volatile security invoker set search_path = ''
as $$
  insert into private.verified_emails (digest, verified_at) values (private.email_digest($1), $2)
  on conflict do nothing
$$;
comment on function private.verify_email is
  'Records that the holder of an address acted with a token of an email. Opening a link does not count: scanners open '
  'it.';

create function private.is_verified_email(email text) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (select from private.verified_emails v where v.digest = private.email_digest($1))
    or exists (select from auth.users u
      where u.email = $1 and u.email_confirmed_at is not null and u.is_sso_user = false)
$$;
comment on function private.is_verified_email is
  'Whether someone has shown that they read the emails to an address (in lower case).';
