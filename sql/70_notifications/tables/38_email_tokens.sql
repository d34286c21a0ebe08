-- Email tokens: secrets in an email's pixel, button and unsubscribe link. Each acts on one delivery.
create type private.email_token_kind as enum ('open', 'click', 'unsubscribe');

create table private.email_tokens (
  digest      bytea primary key,                -- sha256 of the token
  delivery_id uuid not null,
  kind        private.email_token_kind not null,
  destination text,                             -- where a click leads
  expires_at  timestamptz not null,
  used_at     timestamptz,                      -- of an open, which counts once
  constraint digest_is_sha256 check (octet_length(digest) = 32),
  constraint destination_is_http_url check (private.is_http_url(destination)),
  constraint only_clicks_have_destination check (destination is null or kind = 'click')
);
comment on table private.email_tokens is
  'The tokens in emails of notifications, as digests. purge_notifications deletes expired ones.';
create index email_tokens_delivery_id_idx on private.email_tokens (delivery_id);
create index email_tokens_expires_at_idx on private.email_tokens (expires_at);
alter table private.email_tokens enable row level security;
-- No policy, no grant.

create function private.store_email_tokens(_delivery_id uuid, tokens jsonb, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.notification_deliveries d where d.id = _delivery_id for key share;
  if not found then
    raise foreign_key_violation using message = 'The delivery was deleted';  -- so that the worker does not send it
  end if;
  insert into private.email_tokens as k (digest, delivery_id, kind, destination, expires_at)
  select decode(t.digest, 'hex'), _delivery_id, t.kind::private.email_token_kind, t.destination,
    at + make_interval(days => private.get_setting('email_token_ttl_days')::int)
  from jsonb_to_recordset(tokens) t (kind text, digest text, destination text)
  where t.kind is distinct from 'access'
  on conflict on constraint email_tokens_pkey do update set destination = excluded.destination  -- of new content
    where k.destination is distinct from excluded.destination;
  insert into private.access_tokens as k (digest, kind, subject_id, expires_at)
  select decode(t.digest, 'hex'), coalesce(a.access ->> 'kind', 'guest_invitation'),
    coalesce((a.access ->> 'subject_id')::uuid, d.episode_guest_id),
    coalesce((a.access ->> 'expires_at')::timestamptz, private.guest_token_expires_at(at))
  from jsonb_to_recordset(tokens) t (kind text, digest text)
  cross join public.notification_deliveries d
  left join private.delivery_addresses a on a.delivery_id = d.id
  where t.kind = 'access' and d.id = _delivery_id
  on conflict on constraint access_tokens_pkey do update set expires_at = excluded.expires_at  -- of a moved session
    where k.expires_at <> excluded.expires_at;
end $$;
grant execute on function private.store_email_tokens to service_role;
comment on function private.store_email_tokens is
  'Stores the tokens of a delivery''s email, [{kind, digest (hex), destination}]. They expire after the setting '
  'email_token_ttl_days, and one of kind `access` as its recipient''s `access` says, which names what it opens; that '
  'of an episode guest opens the episode. '
  'Each attempt to send has the same tokens: storing them again changes only what new content changed, where a click '
  'leads and when an access ends.';

-- A client cannot choose the bytes of a digest, so response times reveal no token.
create function private.find_email_token(
  token text, kind private.email_token_kind, at timestamptz default now()
) returns private.email_tokens
language sql stable security invoker set search_path = ''
as $$
  select t from private.email_tokens t
  where t.digest = sha256(convert_to($1, 'UTF8')) and t.kind = $2 and t.expires_at > $3
$$;
comment on function private.find_email_token is
  'The row of a token of this kind that has not expired; null if there is none.';
