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

create function private.take_turn(key text, most int, per interval, at timestamptz default now()) returns void
language plpgsql volatile security definer  -- the counts are the server's
set search_path = ''
as $$
declare
  turn private.rate_limits;
begin
  insert into private.rate_limits as r (key, began, taken) values (take_turn.key, take_turn.at, 1)
  on conflict on constraint rate_limits_pkey do update set
    began = case when r.began <= take_turn.at - take_turn.per then take_turn.at else r.began end,
    taken = case when r.began <= take_turn.at - take_turn.per then 1 else r.taken + 1 end
  returning * into turn;
  if turn.taken > most then
    raise sqlstate 'PT429' using message = 'Too many requests; try again later', hint = 'RATE_LIMITED',
      detail = jsonb_build_object('rate_limit_reset_at', private.iso(turn.began + take_turn.per))::text;
  end if;
end $$;
comment on function private.take_turn is
  'Counts one more of what is limited to `most` in a window of `per`. PT429 RATE_LIMITED with rate_limit_reset_at; a refused turn is not counted.';
revoke all on function private.take_turn from public, anon, authenticated, service_role;
grant execute on function private.take_turn to authenticated;  -- its keys are made by verbs, from the caller's own id
