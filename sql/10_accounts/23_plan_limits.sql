-- Limits that depend on the plan. The setting <name> holds the free plan's limit, <name>_paid that of paid plans.
create function private.has_paid_plan(user_id uuid) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce((
    select p.is_paid from public.billing_accounts a join public.plans p on p.code = a.plan_code
    where a.user_id = has_paid_plan.user_id), false);
end $$;
comment on function private.has_paid_plan is 'Whether a user''s plan is a paid one.';
-- No grant: security definer functions call it.

create function private.plan_limit(name text, user_id uuid) returns int
language plpgsql stable security definer  -- callers may not read the account
set search_path = ''
as $$
begin
  return nullif(private.get_setting(
    name || case when private.has_paid_plan(plan_limit.user_id) then '_paid' else '' end), '')::int;
end $$;
comment on function private.plan_limit is
  'Returns a limit of a user''s plan: the setting <name>, or <name>_paid for a paid plan. Null if empty: unlimited.';

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
    perform private.consume_rate_limit(
      name || ':' || auth.uid(), max_count, interval '1 hour', consume_plan_rate_limit.at);
  end if;
end $$;
comment on function private.consume_plan_rate_limit is
  'Counts a call against the hourly limit of the caller''s plan, the setting max_<name>_per_hour. PT401, PT429 '
  'RATE_LIMITED with rate_limit_reset_at.';
