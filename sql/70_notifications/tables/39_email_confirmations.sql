-- Confirmations of an address by its user, which lift its suppression after a complaint or a bounce.
create table private.email_confirmations (
  user_id         uuid primary key references public.profiles on delete cascade,
  address_digest  bytea not null,            -- of the address that the code goes to
  code_key        bytea not null,            -- random; the code's digest is sha256(code_key || code)
  code_hash       bytea,                     -- null: the email is not sent yet
  failed_attempts int not null default 0,    -- of the current code
  expires_at      timestamptz not null,
  constraint digests_are_sha256 check (octet_length(address_digest) = 32 and octet_length(code_hash) = 32),
  constraint code_key_is_32_bytes check (octet_length(code_key) = 32),
  constraint failed_attempts_not_negative check (failed_attempts >= 0)
);
comment on table private.email_confirmations is
  'The codes by which users confirm their address again, as keyed digests. purge_notifications deletes expired ones.';
create index email_confirmations_expires_at_idx on private.email_confirmations (expires_at);
alter table private.email_confirmations enable row level security;
-- No policy, no grant.
