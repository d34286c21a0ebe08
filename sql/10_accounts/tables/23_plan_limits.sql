-- Limits that depend on the plan. A plan without a row for a limit has the free plan's.
create table private.plan_limits (
  plan_code text not null references public.plans on delete cascade,
  name      text not null,
  max_count int,              -- null: unlimited
  primary key (plan_code, name),
  constraint name_is_snake_case check (name ~ '^max_[a-z_]+$'),
  constraint max_count_in_range check (max_count between 0 and private.max_count())
);
comment on table private.plan_limits is
  'The limits of plans. Functions read them with private.plan_limit(), operators write them with '
  'private.set_plan_limit().';
alter table private.plan_limits enable row level security;
-- No policy, no grant: functions read it.

create function private.has_paid_plan(_user_id uuid) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce((
    select p.is_paid from public.billing_accounts a join public.plans p on p.code = a.plan_code
    where a.user_id = _user_id), false);
end $$;
comment on function private.has_paid_plan is 'Whether a user''s plan is a paid one.';
-- No grant: security definer functions call it.

create function private.plan_limit(_name text, _user_id uuid) returns int
language plpgsql stable security definer  -- callers may not read the account
set search_path = ''
as $$
declare
  own_code  text := (select a.plan_code from public.billing_accounts a where a.user_id = _user_id);
  own_limit private.plan_limits;
begin
  select l.* into own_limit from private.plan_limits l
  where l.name = _name and l.plan_code in (own_code, 'free')
  order by l.plan_code = 'free' limit 1;
  if not found then
    raise sqlstate 'PT500' using message = format('Plan limit %L is not set', _name), hint = 'MISSING_SETTING';
  end if;
  return own_limit.max_count;
end $$;
comment on function private.plan_limit is
  'Returns a limit of a user''s plan, or of the free plan if that plan has no row or the user no account. Null: '
  'unlimited. PT500 MISSING_SETTING for an unknown limit.';

create function private.install_plan_limit(_plan_code text, _name text, _max_count int) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.note_installed('plan_limit', _name);
  insert into private.plan_limits (plan_code, name, max_count) values (_plan_code, _name, _max_count)
  on conflict do nothing;  -- an operator may have changed it
end $$;
comment on function private.install_plan_limit is 'Writes a limit of a plan that has no row for it.';

create function private.set_plan_limit(_plan_code text, _name text, _max_count int) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not exists (select from public.plans p where p.code = _plan_code) then
    raise sqlstate 'PT404' using message = format('Unknown plan %L', _plan_code);
  elsif not exists (select from private.plan_limits l where l.name = _name) then
    raise sqlstate 'PT404' using message = format('Unknown plan limit %L', _name);
  elsif _max_count not between 0 and private.max_count() then
    raise sqlstate 'PT400' using message = format(
      'Plan limit %L cannot be %s; it must be a whole number from 0 to %s, or null: unlimited', _name, _max_count,
      private.max_count());
  end if;
  insert into private.plan_limits as l (plan_code, name, max_count) values (_plan_code, _name, _max_count)
  on conflict on constraint plan_limits_pkey do update set max_count = excluded.max_count;
end $$;
comment on function private.set_plan_limit is
  'For operators: sets a limit of a plan; null: unlimited. PT400 names what is accepted. PT404 for an unknown plan or '
  'limit.';

-- Lock order: an operation locks the count first, before the podcast.
create function private.consume_plan_rate_limit(name text, at timestamptz default now()) returns void
language plpgsql volatile security definer  -- callers may not write the counts
set search_path = ''
as $$
declare
  max_count int := private.plan_limit('max_' || name || '_per_hour', auth.uid());
begin
  perform private.require_user();
  if max_count is not null then
    perform private.consume_rate_limit(name || ':' || auth.uid(), max_count, interval '1 hour', at);
  end if;
end $$;
comment on function private.consume_plan_rate_limit is
  'Counts a call against the hourly limit max_<name>_per_hour of the caller''s plan. PT401, PT429 RATE_LIMITED with '
  'rate_limit_reset_at.';
