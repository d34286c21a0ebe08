-- Suppressions: addresses that get no email, or none of one type, because the provider reported a complaint or a bounce
-- or the person unsubscribed. Emails that are essential stop after a bounce only.
create table private.email_suppressions (
  id         uuid primary key default gen_random_uuid(),
  digest     bytea not null,   -- sha256 of the address in lower case, so that the table holds no addresses
  type       text,             -- of notification; null: all emails that are not essential
  reason     text not null,
  detail     text,             -- of the provider
  created_at timestamptz not null default now(),
  constraint digest_is_sha256 check (octet_length(digest) = 32),
  constraint reason_is_known check (reason in ('complaint', 'bounce', 'unsubscribed')),
  constraint detail_is_at_most_1000_chars check (char_length(detail) <= 1000),
  constraint digest_unique_per_type_and_reason unique nulls not distinct (digest, type, reason)
);
comment on table private.email_suppressions is
  'Addresses that get no email that is not essential, or none of one type. Each reason has a row, with its first time.';
alter table private.email_suppressions enable row level security;
-- No policy, no grant.

create function private.email_digest(email text) returns bytea
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return sha256(convert_to(private.normalize_email(email), 'UTF8'));
end $$;
comment on function private.email_digest is 'The digest of an email address in private.email_suppressions.';

create function private.suppress_email(
  digest bytea, reason text, type text default null, detail text default null, at timestamptz default now()
) returns void
language sql volatile security invoker set search_path = ''
as $$
  insert into private.email_suppressions (digest, type, reason, detail, created_at)
  select $1, $3, $2, left($4, 1000), $5 where $1 is not null
  on conflict on constraint digest_unique_per_type_and_reason do nothing
$$;
comment on function private.suppress_email is
  'Stops emails of a type to an address (its digest; null: nothing happens), or all that are not essential; after a '
  'bounce the essential ones, too. A later reason is added, a repeated one changes nothing.';

create function private.is_email_suppressed(email text, type text default null) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (
    select from private.email_suppressions s
    where s.digest = private.email_digest($1) and (s.type is null or s.type = $2))
$$;
comment on function private.is_email_suppressed is
  'Whether an address gets no emails that are not essential, or none of this type.';
