-- Busy times of connected calendars: what was read last, so that computing slots needs no request to a provider.
create table private.calendar_busy (
  calendar_id      uuid primary key references public.connected_calendars on delete cascade,
  window_start     timestamptz,       -- what the intervals cover; null: never read
  window_end       timestamptz,
  fetched_at       timestamptz,
  error            text,              -- of the last attempt; the intervals are those of the last success
  failures         int not null default 0,                        -- attempts since the last success
  stale_at         timestamptz not null default '-infinity',      -- not read again before
  due_at           timestamptz,                                   -- when the job reads it; null: it is not selected
  is_slow          boolean not null default false,  -- page views do not wait for it: only the worker reads it
  awaited_until    timestamptz,       -- selected and never read: until then its user offers no slots
  lease            uuid,              -- of the reader: only it may write the result
  lease_expires_at timestamptz,
  constraint window_is_not_empty check (window_end > window_start),
  constraint window_has_start_and_end check (num_nulls(window_start, window_end, fetched_at) in (0, 3)),
  constraint error_is_at_most_1000_chars check (char_length(error) <= 1000),
  constraint only_failures_have_an_error check ((failures > 0) = (error is not null)),
  constraint lease_has_an_end check ((lease is null) = (lease_expires_at is null))
);
comment on table private.calendar_busy is
  'The last reading of each connected calendar: window, time and error. Its intervals are in calendar_busy_intervals.';
create index calendar_busy_due_at_idx on private.calendar_busy (due_at) where due_at is not null;
alter table private.calendar_busy enable row level security;
-- No policy, no grant.

create table private.calendar_busy_intervals (
  calendar_id uuid not null references public.connected_calendars on delete cascade,
  during      tstzrange not null,
  constraint during_is_finite check (
    not isempty(during) and not lower_inf(during) and not upper_inf(during) and lower_inc(during)
    and not upper_inc(during)),
  constraint intervals_do_not_overlap exclude using gist (calendar_id with =, during with &&)
);
comment on table private.calendar_busy_intervals is
  'When each connected calendar is busy. Intervals of a calendar do not overlap.';
alter table private.calendar_busy_intervals enable row level security;
-- No policy, no grant.

-- What the calendars of each user have cost lately. The sum falls by max_calendar_cpu_ms_per_minute, so that a user who
-- exceeds it by one reading pays with a longer wait.
create table private.calendar_costs (
  user_id     uuid primary key references public.profiles on delete cascade,
  cpu_ms      int not null,           -- at measured_at
  measured_at timestamptz not null,
  constraint cpu_ms_is_not_negative check (cpu_ms >= 0)
);
comment on table private.calendar_costs is 'Computing time that reading the calendars of each user took lately.';
alter table private.calendar_costs enable row level security;
-- No policy, no grant.

create function private.calendar_cpu_left_ms(_user_id uuid, at timestamptz default now()) returns int
language plpgsql stable security invoker set search_path = ''
as $$
declare
  ms_per_minute constant int := private.get_setting('max_calendar_cpu_ms_per_minute')::int;
begin
  return ms_per_minute - coalesce((
    select greatest(0, c.cpu_ms - extract(epoch from greatest(at - c.measured_at, interval '0')) / 60 * ms_per_minute)
    from private.calendar_costs c where c.user_id = _user_id), 0)::int;
end $$;
comment on function private.calendar_cpu_left_ms is
  'Computing time that the calendars of a user may take now. If it is not positive, no reading may begin.';

create function private.add_calendar_cost(_user_id uuid, cpu_ms int, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.calendar_costs as c (user_id, cpu_ms, measured_at)
  select f.id, least(greatest(add_calendar_cost.cpu_ms, 0), 3600000), at from public.profiles f where f.id = _user_id
  on conflict on constraint calendar_costs_pkey do update set measured_at = greatest(c.measured_at, at),
    cpu_ms = least(3600000, excluded.cpu_ms + private.get_setting('max_calendar_cpu_ms_per_minute')::int
      - private.calendar_cpu_left_ms(_user_id, at));
end $$;
grant execute on function private.add_calendar_cost to service_role;
comment on function private.add_calendar_cost is
  'Records the computing time that reading calendars of a user took. A deleted user has none.';

-- Always: each calendar has a row. Changes are due at once: the job reads selected calendars, and deletes the busy
-- times of others, which block nothing from the moment of the change.
create function private.first_reading_end(at timestamptz) returns timestamptz
language sql immutable parallel safe security invoker set search_path = ''
return at + interval '2 minutes';
comment on function private.first_reading_end is
  'Until when slots wait for the first reading of a calendar that was selected or renewed at a moment.';

create function private.add_calendar_busy() returns trigger
language plpgsql security definer  -- the table has no grants
set search_path = ''
as $$
begin
  insert into private.calendar_busy (calendar_id, due_at, awaited_until)
  select new.id, s.due_at, s.awaited_until from (values
    (true, '-infinity'::timestamptz, private.first_reading_end(now())), (false, null, null))
    s (is_selected, due_at, awaited_until)
  where s.is_selected = new.is_selected;
  return null;
end $$;
comment on function private.add_calendar_busy is 'Trigger: adds the row of readings of a new calendar.';
create trigger t500_add_calendar_busy after insert on public.connected_calendars
  for each row execute function private.add_calendar_busy();

create function private.clear_calendar_error() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.last_error := null;
  return new;
end $$;
comment on function private.clear_calendar_error is 'Trigger: a deselected calendar has no error.';
create trigger t500_clear_calendar_error before update of is_selected on public.connected_calendars
  for each row when (old.is_selected and not new.is_selected)
  execute function private.clear_calendar_error();

-- Lock order: connections, then calendars, then their readings. A function that selects calendars locks the connections
-- first.
create function private.enqueue_calendar_read(
  _connection_id uuid, _delay_seconds int default 0, at timestamptz default clock_timestamp()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue_unless_waiting('calendar_reads',
    array[jsonb_build_object('connection_id', n.id, 'user_id', n.user_id)], _delay_seconds, at)
  from public.calendar_connections n where n.id = _connection_id;
end $$;
comment on function private.enqueue_calendar_read is
  'Enqueues {connection_id, user_id} for calendar_reads, unless the same message waits.';

create function private.change_calendar_selection() returns trigger
language plpgsql security definer  -- the tables have no grants
set search_path = ''
as $$
declare
  is_awaited boolean;
begin
  -- only what was never read is read at once
  update private.calendar_busy b set due_at = '-infinity', lease = null, lease_expires_at = null, error = null,
    failures = 0, stale_at = case when b.fetched_at is null then '-infinity' else b.stale_at end,
    awaited_until = case when new.is_selected and b.fetched_at is null then private.first_reading_end(now()) end
  where b.calendar_id = new.id returning b.awaited_until is not null into is_awaited;
  perform private.update_connection_status(new.connection_id);
  if is_awaited then
    perform private.enqueue_calendar_read(new.connection_id);
  end if;
  return null;
end $$;
comment on function private.change_calendar_selection is
  'Trigger: makes a calendar due, and rejects a reading of it that is in process.';
create trigger t500_change_calendar_selection after update of is_selected on public.connected_calendars
  for each row when (old.is_selected <> new.is_selected)
  execute function private.change_calendar_selection();

create function private.update_connection_status(_connection_id uuid, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  next public.calendar_connections;
begin
  select case when bool_or(b.failures > 0 and (b.awaited_until > at) is not true) then 'failing'
      when bool_or(b.fetched_at is null) then 'pending' else 'active' end, max(b.error),
    case when bool_or(b.failures > 0) then at end
  into next.status, next.last_error, next.failing_since
  from public.connected_calendars c join private.calendar_busy b on b.calendar_id = c.id
  where c.connection_id = _connection_id and c.is_selected;
  update public.calendar_connections n set status = next.status, last_error = next.last_error,
    failing_since = case when next.failing_since is not null then coalesce(n.failing_since, at) end,
    is_failure_told = n.is_failure_told and next.failing_since is not null
  where n.id = _connection_id and n.status <> 'revoked';
end $$;
comment on function private.update_connection_status is
  'Derives the status of a connection that is not revoked from the readings of its selected calendars: failing if the '
  'last one of any failed, but pending until all were read once, for the first two minutes also after failures.';
