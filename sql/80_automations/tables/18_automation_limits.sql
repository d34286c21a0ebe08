-- Hourly limits per podcast and type of action, as a sliding window: what was used within the last hour counts.
create table private.automation_usage (
  podcast_id  uuid not null,              -- no reference: the row is deleted within hours
  action_type public.automation_action_type not null,
  used_at     timestamptz not null,
  id          bigint generated always as identity,
  units       int not null,               -- recipients of an email, else 1
  primary key (podcast_id, action_type, used_at, id) include (units),
  constraint units_are_positive check (units > 0)
);
comment on table private.automation_usage is 'What the automations of a podcast did within the last hour.';
create index automation_usage_used_at_idx on private.automation_usage using brin (used_at);
alter table private.automation_usage enable row level security;
-- No policy, no grant.

create function private.max_automation_units(action_type public.automation_action_type) returns int
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.get_setting(case action_type when 'send_email' then 'max_automation_emails_per_hour'
    when 'send_webhook' then 'max_automation_webhooks_per_hour' else 'max_automation_updates_per_hour' end)::int;
end $$;
comment on function private.max_automation_units is 'The hourly limit of a type of action per podcast.';

-- First come, first served: each execution that waits was told its turn. The forecast comes after the last turn, and
-- counts the units of those that wait as used at their turns.
create function private.automation_limit_reset(_podcast_id uuid, _action_type public.automation_action_type, _units int,
  at timestamptz, _execution_id uuid default null) returns timestamptz
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning costs more than the query, and no plan depends on values
as $$
declare
  room     constant int := private.max_automation_units(_action_type) - _units;  -- for others within the same hour
  own_turn constant timestamptz := (
    select e.next_attempt_at from public.automation_executions e
    where e.id = _execution_id and e.waits_for = _action_type);
begin
  if room < 0 then  -- never, unless an operator raises the limit
    return at + interval '1 hour';
  elsif not exists (
      select from public.automation_executions e
      where e.podcast_id = _podcast_id and e.waits_for = _action_type and e.id is distinct from _execution_id)
    and room >= (
      select coalesce(sum(u.units), 0) from private.automation_usage u
      where u.podcast_id = _podcast_id and u.action_type = _action_type and u.used_at > at - interval '1 hour')
  then  -- most often
    return null;
  end if;
  return (
    with earlier as materialized (
      select greatest(e.next_attempt_at, at) as used_at, coalesce(e.waits_for_units, 1) as units
      from public.automation_executions e
      where e.podcast_id = _podcast_id and e.waits_for = _action_type and e.id is distinct from _execution_id
        -- a turn that was missed holds for ten minutes: a busy worker is late, and a paused rule never comes
        and e.next_attempt_at > at - interval '10 minutes'
        and (own_turn is null or (e.next_attempt_at, e.id) < (own_turn, _execution_id))
    ), turn as (
      select greatest(at, max(e.used_at)) as starts_at from earlier e
    ), uses as (
      select u.used_at, sum(u.units) over (order by u.used_at desc) as units_since from (
        select a.used_at, a.units from private.automation_usage a
        where a.podcast_id = _podcast_id and a.action_type = _action_type
          and a.used_at > (select t.starts_at from turn t) - interval '1 hour'
        union all
        select e.used_at, e.units from earlier e
        where e.used_at > (select t.starts_at from turn t) - interval '1 hour') u)
    -- once the newest use for which there is no room has left the window
    select nullif(greatest(t.starts_at, (
      select max(u.used_at) + interval '1 hour' from uses u where u.units_since > room)), at)
    from turn t);
end $$;
comment on function private.automation_limit_reset is
  'When a podcast may use so many units of an action, after the executions that wait for the same type already; null: '
  'now. An execution that waits keeps its turn.';

create function private.automation_limit_message(
  action_type public.automation_action_type, reset_at timestamptz, at timestamptz) returns text
language sql immutable security invoker set search_path = ''
as $$
  select format('Rate limit exceeded for %s. Try again in %s minutes.', $1,
    greatest(1, ceil(extract(epoch from $2 - $3) / 60))::int)
$$;
comment on function private.automation_limit_message is 'The message of a reached limit.';

-- One lock for all types: two executions that use them in different order cannot deadlock.
create function private.lock_automation_limits(podcast_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('automation-limit/' || podcast_id, 0));
end $$;
comment on function private.lock_automation_limits is
  'Makes other users of the limits of a podcast wait until the transaction ends.';

create function private.consume_automation_limit(
  _podcast_id uuid, _action_type public.automation_action_type, _units int, at timestamptz,
  _execution_id uuid default null
) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  reset_at timestamptz;
begin
  perform private.lock_automation_limits(_podcast_id);
  reset_at := private.automation_limit_reset(_podcast_id, _action_type, _units, at, _execution_id);
  if reset_at is null then
    insert into private.automation_usage (podcast_id, action_type, used_at, units)
    values (_podcast_id, _action_type, at, _units);
  else  -- for the forecasts of later ones
    update public.automation_executions e set waits_for_units = _units where e.id = _execution_id;
  end if;
  return reset_at;
end $$;
comment on function private.consume_automation_limit is
  'Counts units of an action and returns null; over the hourly limit counts nothing and returns when there is room.';
