-- Authorizations in progress: a user was sent to a provider, and comes back with a code.
create table private.calendar_authorizations (
  digest     bytea primary key,                    -- sha256 of the state
  user_id    uuid not null references public.profiles on delete cascade,
  provider   public.calendar_provider not null,
  verifier   text not null,                        -- of PKCE; without a code and the client's secret it opens nothing
  expires_at timestamptz not null,
  constraint digest_is_sha256 check (octet_length(digest) = 32)
);
comment on table private.calendar_authorizations is
  'Authorizations of calendar accounts that have not ended. Each serves its user once, within ten minutes.';
create index calendar_authorizations_user_id_idx on private.calendar_authorizations (user_id);
create index calendar_authorizations_expires_at_idx on private.calendar_authorizations (expires_at);
alter table private.calendar_authorizations enable row level security;
-- No policy, no grant.

create function private.random_token() returns text
language sql volatile security invoker set search_path = ''
return replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
comment on function private.random_token is 'A secret of 64 hexadecimal digits with 244 random bits.';

create function private.code_challenge(verifier text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return rtrim(translate(encode(sha256(convert_to($1, 'UTF8')), 'base64'), '+/', '-_'), '=');
comment on function private.code_challenge is 'The challenge S256 of a verifier (RFC 7636, 4.2).';

create function private.calendar_callback_url() returns text
language sql stable security invoker set search_path = ''
return private.get_setting('base_url') || '/api/calendars/callback';
comment on function private.calendar_callback_url is 'Where providers send the browser after an authorization.';
