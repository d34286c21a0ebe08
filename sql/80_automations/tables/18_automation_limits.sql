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
language sql stable security invoker set search_path = ''
return private.get_setting(case action_type when 'send_email' then 'max_automation_emails_per_hour'
  when 'send_webhook' then 'max_automation_webhooks_per_hour' else 'max_automation_updates_per_hour' end)::int;
comment on function private.max_automation_units is 'The hourly limit of a type of action per podcast.';

create function private.automation_limit_reset(_podcast_id uuid, _action_type public.automation_action_type, _units int,
  at timestamptz, _execution_id uuid default null) returns timestamptz
language plpgsql stable security invoker set search_path = ''
as $$
declare
  max_units constant int := private.max_automation_units(_action_type);
  excess    int;
  waiting   int;
  used      int;
  freed_at  timestamptz;
begin
  select coalesce(sum(u.units), 0) into used from private.automation_usage u
  where u.podcast_id = _podcast_id and u.action_type = _action_type
    and u.used_at > at - interval '1 hour';
  if used + _units <= max_units then
    return null;
  end if;
  -- after those that wait already, or all would try again at the same moment
  select count(*) into waiting from (
    select from public.automation_executions e
    where e.podcast_id = _podcast_id and e.status = 'pending'
      and e.id is distinct from _execution_id and e.next_attempt_at > at
    limit 10000) w;
  excess := used + _units - max_units + waiting;
  select min(w.used_at) into freed_at from (
    select u.used_at, sum(u.units) over (order by u.used_at, u.id) as freed from private.automation_usage u
    where u.podcast_id = _podcast_id and u.action_type = _action_type
      and u.used_at > at - interval '1 hour') w
  where w.freed >= excess;
  return coalesce(freed_at + interval '1 hour', at + interval '1 hour'
    + greatest(0, least(waiting, excess - used))::numeric / greatest(1, max_units) * interval '1 hour');
end $$;
comment on function private.automation_limit_reset is
  'When a podcast may use so many units of an action, after the other executions that wait already; null: now.';

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
  end if;
  return reset_at;
end $$;
comment on function private.consume_automation_limit is
  'Counts units of an action and returns null; over the hourly limit counts nothing and returns when there is room.';
