-- Rate limits: so many turns in a window that begins with the first.
create table private.rate_limits (
  key   text primary key,
  began timestamptz not null,
  taken int not null
);
comment on table private.rate_limits is 'The present window of whatever is limited. Rows of past windows are deleted daily.';
create index rate_limits_began_idx on private.rate_limits (began);
alter table private.rate_limits enable row level security;
-- No policy, no grant.

create function private.try_rate_limit(key text, max_count int, period interval, at timestamptz default now()) returns timestamptz
language plpgsql volatile security definer  -- clients may not write the counts
set search_path = ''
as $$
declare
  window_began timestamptz;
begin
  insert into private.rate_limits as r (key, began, taken)
  select try_rate_limit.key, try_rate_limit.at, 1 where max_count > 0
  on conflict on constraint rate_limits_pkey do update set
    began = case when r.began <= try_rate_limit.at - period then try_rate_limit.at else r.began end,
    taken = case when r.began <= try_rate_limit.at - period then 1 else r.taken + 1 end
  where r.began <= try_rate_limit.at - period or r.taken < max_count;
  if found then
    return null;
  end if;
  select r.began into window_began from private.rate_limits r where r.key = try_rate_limit.key;
  return coalesce(window_began, try_rate_limit.at) + period;
end $$;
comment on function private.try_rate_limit is
  'Counts one more of what is limited to `max_count` in a window of `period`, and returns null; over the limit it counts nothing and returns when the window ends.';

create function private.take_turn(key text, most int, per interval, at timestamptz default now()) returns void
language plpgsql volatile security definer  -- as try_rate_limit
set search_path = ''
as $$
declare
  reset_at timestamptz := private.try_rate_limit(take_turn.key, take_turn.most, take_turn.per, take_turn.at);
begin
  if reset_at is not null then
    raise sqlstate 'PT429' using message = 'Too many requests; try again later', hint = 'RATE_LIMITED',
      detail = jsonb_build_object('rate_limit_reset_at', private.iso(reset_at))::text;
  end if;
end $$;
comment on function private.take_turn is
  'Counts one more of what is limited to `most` in a window of `per`. PT429 RATE_LIMITED with rate_limit_reset_at. A call that fails later is not counted, because its transaction rolls back.';
grant execute on function private.take_turn to authenticated;  -- its keys are made by verbs, from the caller's own id

create function private.email_limit_key(name text, email text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$ select $1 || '/' || encode(sha256(convert_to($2, 'UTF8')), 'hex') $$;
comment on function private.email_limit_key is 'The key of a rate limit per email address. It contains the digest, so that private.rate_limits holds no addresses.';
