-- Push subscriptions: the browsers and devices on which a user accepted push messages (RFC 8030).
create table public.push_subscriptions (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references public.profiles on delete cascade,
  endpoint        text not null unique,
  expiration_time timestamptz,
  device_label    text,
  user_agent      text,
  is_active       boolean not null default true,
  last_used_at    timestamptz,  -- when a push service last accepted a message
  last_failure_at timestamptz,
  rejected_since  timestamptz,  -- the first rejection after the last accepted message
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint endpoint_is_http_url check (
    private.is_http_url(endpoint) and char_length(endpoint) <= 2048),
  constraint device_label_is_1_to_200_chars check (
    char_length(device_label) <= 200 and not private.is_blank(device_label)),
  constraint user_agent_is_at_most_500_chars check (char_length(user_agent) <= 500)
);
comment on table public.push_subscriptions is
  'Push subscriptions of users. Users read their own; add_push_subscription and remove_push_subscription write them. '
  'The keys are in private.push_subscription_keys.';
comment on constraint device_label_is_1_to_200_chars on public.push_subscriptions is
  'The device label must have 1 to 200 characters';
comment on constraint endpoint_is_http_url on public.push_subscriptions is 'The endpoint must be an http or https URL';
comment on constraint user_agent_is_at_most_500_chars on public.push_subscriptions is
  'The user agent must have at most 500 characters';
comment on constraint push_subscriptions_endpoint_key on public.push_subscriptions is
  'Another subscription has this endpoint';
create index push_subscriptions_user_id_idx on public.push_subscriptions (user_id, id);

-- Who
alter table public.push_subscriptions enable row level security;
create policy users_read_own on public.push_subscriptions for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.push_subscriptions to authenticated, service_role;
-- No write grants: add_push_subscription stores endpoint and keys together.

-- Always
create function private.normalize_push_subscription() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.device_label := private.normalize_line(new.device_label);
  new.user_agent := private.normalize_line(new.user_agent);
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger t100_normalize before insert or update on public.push_subscriptions
  for each row execute function private.normalize_push_subscription();

create function private.is_p256_point(key text) returns boolean
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
declare
  -- y² = x³ - 3x + b modulo p (FIPS 186-4, D.1.2.3)
  p   constant numeric := 115792089210356248762697446949407573530086143415290314195533631308867097853951;
  b   constant numeric := 41058363725152142129326129780047268409114441015993725554835256314039467401291;
  hex text;
  x   numeric;
  y   numeric;
begin
  if key !~ '^[A-Za-z0-9_-]{87}$' then
    return false;
  end if;
  hex := encode(decode(translate(key, '-_', '+/') || '=', 'base64'), 'hex');
  x := ('0x' || substr(hex, 3, 64))::numeric;
  y := ('0x' || substr(hex, 67, 64))::numeric;
  return starts_with(hex, '04') and x < p and y < p and mod(y * y - x * x * x + 3 * x - b, p) = 0;
end $$;
comment on function private.is_p256_point is
  'Whether this is a public key of P-256: an uncompressed point on the curve, 65 bytes in base64url.';

create table private.push_subscription_keys (
  subscription_id uuid primary key references public.push_subscriptions on delete cascade,
  p256dh          text not null,  -- public key of the browser
  auth            text not null,  -- secret of the browser
  constraint keys_are_base64url check (
    p256dh ~ '^[A-Za-z0-9_-]{1,200}$' and auth ~ '^[A-Za-z0-9_-]{1,200}$')
);
comment on table private.push_subscription_keys is
  'The keys that encrypt messages to a push subscription (RFC 8291). private.push_problem checks them at each attempt.';
comment on constraint keys_are_base64url on private.push_subscription_keys is
  'The keys must be 1 to 200 characters of base64url';
alter table private.push_subscription_keys enable row level security;
-- No policy, no grant.
