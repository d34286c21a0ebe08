-- Idempotency keys: a client that did not receive the response repeats the request with its key, and gets the first
-- result.
create table private.booking_request_keys (
  digest      bytea primary key,   -- sha256 of the link and the key
  body_digest bytea not null,      -- sha256 of the other arguments
  booking_id  uuid not null references public.bookings on delete cascade,
  response    jsonb not null,
  created_at  timestamptz not null,
  constraint digests_are_sha256 check (octet_length(digest) = 32 and octet_length(body_digest) = 32)
);
comment on table private.booking_request_keys is
  'The responses of request_booking by idempotency key, for 24 hours. purge_bookings deletes old rows.';
create index booking_request_keys_booking_id_idx on private.booking_request_keys (booking_id);
create index booking_request_keys_created_at_idx on private.booking_request_keys (created_at);
alter table private.booking_request_keys enable row level security;
-- No policy, no grant.

create function private.booking_request_digest(booking_link_id uuid, idempotency_key text) returns bytea
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if idempotency_key !~ '^[\u0021-\u007e]{1,200}$' then
    raise sqlstate 'PT400' using message = 'The idempotency key must have 1 to 200 visible ASCII characters';
  end if;
  return sha256(convert_to(booking_link_id || '/' || idempotency_key, 'UTF8'));
end $$;
comment on function private.booking_request_digest is
  'The digest of a link and an idempotency key; null without a key. PT400 for a malformed key.';

create function private.find_booking_response(_digest bytea, _body_digest bytea, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  found_key private.booking_request_keys;
begin
  if _digest is null then
    return null;
  end if;
  -- of two concurrent calls with one key, the second waits for the result of the first
  perform pg_advisory_xact_lock(hashtextextended('booking_request/' || encode(_digest, 'hex'), 0));
  select k.* into found_key from private.booking_request_keys k
  where k.digest = _digest
    and k.created_at > at - interval '24 hours';
  if found_key.body_digest <> _body_digest then
    raise sqlstate 'PT409' using message = 'The idempotency key was used with another request; use a new key',
      hint = 'IDEMPOTENCY_KEY_REUSED';
  end if;
  return found_key.response;
end $$;
comment on function private.find_booking_response is
  'The first response to a request with this key in the last 24 hours; null if there is none. Locks the key until the '
  'transaction ends. PT409 IDEMPOTENCY_KEY_REUSED.';

create function private.store_booking_response(
  digest bytea, body_digest bytea, booking_id uuid, response jsonb, at timestamptz) returns void
language sql volatile security invoker set search_path = ''
as $$
  insert into private.booking_request_keys as k (digest, body_digest, booking_id, response, created_at)
  select $1, $2, $3, $4, $5 where $1 is not null
  on conflict on constraint booking_request_keys_pkey do update set body_digest = excluded.body_digest,
    booking_id = excluded.booking_id, response = excluded.response, created_at = excluded.created_at
$$;
comment on function private.store_booking_response is
  'Stores the response to a request with an idempotency key. Without a key, it stores nothing.';
