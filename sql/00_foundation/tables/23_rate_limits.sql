-- Rate limits: a number of calls in a window that begins with the first.
create table private.rate_limits (
  key               text primary key,
  window_started_at timestamptz not null,
  expires_at        timestamptz not null,  -- the end of the window
  request_count     int not null
);
comment on table private.rate_limits is
  'The current window of each rate limit. purge_rate_limits deletes past windows.';
create index rate_limits_expires_at_idx on private.rate_limits (expires_at);
alter table private.rate_limits enable row level security;
-- No policy, no grant.

create function private.try_consume_rate_limit(_key text, max_count int, period interval, at timestamptz default now())
returns timestamptz
language plpgsql volatile security definer  -- clients may not write the counts
set search_path = ''
as $$
declare
  started_at timestamptz;
begin
  insert into private.rate_limits as r (key, window_started_at, expires_at, request_count)
  select _key, at, at + period, 1
  where max_count > 0
  on conflict on constraint rate_limits_pkey do update set
    (window_started_at, expires_at, request_count) = (
      select case when w.is_over then excluded.window_started_at else r.window_started_at end,
        case when w.is_over then excluded.expires_at else r.expires_at end,
        case when w.is_over then 1 else r.request_count + 1 end
      from (select r.window_started_at <= at - period) w (is_over))
  where r.window_started_at <= at - period or r.request_count < max_count;
  if found then
    return null;
  end if;
  select r.window_started_at into started_at from private.rate_limits r where r.key = _key;
  return coalesce(started_at, at) + period;
end $$;
comment on function private.try_consume_rate_limit is
  'Counts a call and returns null; over max_count calls in a period, counts nothing and returns the end of the '
  'window.';

create function private.is_rate_limit_reached(
  key text, max_count int, period interval, at timestamptz default now()) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select $2 <= 0 or exists (select from private.rate_limits r
    where r.key = $1 and r.window_started_at > $4 - $3 and r.request_count >= $2)
$$;
comment on function private.is_rate_limit_reached is
  'Whether try_consume_rate_limit would refuse a call. Counts nothing.';

create function private.raise_rate_limited(_message text, reset_at timestamptz) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  raise sqlstate 'PT429' using hint = 'RATE_LIMITED', message = _message,
    detail = jsonb_build_object('rate_limit_reset_at', private.format_timestamp(reset_at))::text;
end $$;
comment on function private.raise_rate_limited is 'PT429 RATE_LIMITED with rate_limit_reset_at.';

create function private.consume_rate_limit(_key text, _max_count int, _period interval, at timestamptz default now())
returns void
language plpgsql volatile security definer  -- as try_consume_rate_limit
set search_path = ''
as $$
declare
  reset_at timestamptz := private.try_consume_rate_limit(_key, _max_count, _period, at);
begin
  if reset_at is not null then
    perform private.raise_rate_limited('Too many requests; try again later', reset_at);
  end if;
end $$;
comment on function private.consume_rate_limit is
  'Counts a call. PT429 RATE_LIMITED with rate_limit_reset_at over max_count calls in a period. A call that fails '
  'later is not counted, because its transaction rolls back.';
grant execute on function private.consume_rate_limit to authenticated;  -- functions build the keys from the caller's id

create function private.return_rate_limit(key text) returns void
language sql volatile security invoker set search_path = ''
as $$ update private.rate_limits r set request_count = r.request_count - 1 where r.key = $1 $$;
comment on function private.return_rate_limit is
  'Takes back a call that this transaction counted, whose lock on the window excludes others.';

create function private.email_rate_limit_key(name text, email text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return $1 || ':' || encode(sha256(convert_to($2, 'UTF8')), 'hex');
comment on function private.email_rate_limit_key is
  'The key of a rate limit per email address. It contains the digest, so that private.rate_limits holds no addresses.';

-- An IPv6 client has a network of 64 bits, and so any number of addresses.
create function private.network_of(address text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  if pg_input_is_valid(address, 'inet') and family(address::inet) = 6
     and not inet '::ffff:0:0/96' >>= address::inet  -- an IPv4 address
  then
    return network(set_masklen(address::inet, 64));
  end if;
  return address;
end $$;
comment on function private.network_of is 'The IPv4 address, or the IPv6 network of 64 bits, by which limits count.';

create function private.address_rate_limit_key(name text, address text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return $1 || ':' || private.network_of($2);
comment on function private.address_rate_limit_key is 'The key of a rate limit per IP address.';

-- Counted before the signature is checked, so that forged requests cost little.
create function private.limit_webhooks(_name text, _address text, _max_per_minute int, at timestamptz default now())
returns void
language sql volatile security invoker set search_path = ''
as $$
  select private.consume_rate_limit(
    private.address_rate_limit_key(_name, _address), _max_per_minute, interval '1 minute', at)
$$;
grant execute on function private.limit_webhooks to service_role;
comment on function private.limit_webhooks is 'Counts a provider''s request from an IP address. 429 RATE_LIMITED.';

create function private.reset_rate_limit(key text) returns void
language sql volatile security invoker set search_path = ''
as $$ delete from private.rate_limits r where r.key = $1 $$;
comment on function private.reset_rate_limit is 'Ends the window of a rate limit: the next call begins another.';

create function private.purge_rate_limits(at timestamptz default now()) returns int
language sql volatile security invoker set search_path = ''
return private.delete_old_rows('private.rate_limits', 'expires_at', at);
comment on function private.purge_rate_limits is
  'Deletes windows that have ended. Cron calls it daily. Returns how many.';
