-- Access tokens: secrets in the links of emails that let a person without account act on one record. The worker derives
-- them when it sends the email; the database stores digests.
create table private.access_tokens (
  digest     bytea primary key,       -- sha256 of the token
  kind       text not null,           -- of the record, such as booking
  subject_id uuid not null,           -- the record
  expires_at timestamptz not null,
  constraint digest_is_sha256 check (octet_length(digest) = 32),
  constraint kind_is_snake_case check (kind ~ '^[a-z][a-z_]{0,39}$')
);
comment on table private.access_tokens is
  'Valid links in emails, as digests: each opens one record to a person without account. A token of a deleted '
  'record opens nothing.';
create index access_tokens_subject_id_idx on private.access_tokens (subject_id);
create index access_tokens_expires_at_idx on private.access_tokens (expires_at);
alter table private.access_tokens enable row level security;
-- No policy, no grant.

-- A client cannot choose the bytes of a digest, so response times reveal no token.
create function private.find_access_token(token text, kind text, at timestamptz default now())
returns private.access_tokens
language sql stable security invoker set search_path = ''
as $$
  select t from private.access_tokens t
  where t.digest = sha256(convert_to($1, 'UTF8')) and t.kind = $2 and t.expires_at > $3
$$;
comment on function private.find_access_token is
  'The row of a token of this kind that has not expired; null if there is none.';
