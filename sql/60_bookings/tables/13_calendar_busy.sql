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

-- Always: each calendar has a row. Changes are due at once: the job reads selected calendars, and deletes the busy
-- times of others, which block nothing from the moment of the change.
create function private.add_calendar_busy() returns trigger
language plpgsql security definer  -- the table has no grants
set search_path = ''
as $$
begin
  insert into private.calendar_busy (calendar_id, due_at)
  values (new.id, case when new.is_selected then '-infinity'::timestamptz end);
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
create function private.change_calendar_selection() returns trigger
language plpgsql security definer  -- the tables have no grants
set search_path = ''
as $$
begin
  update private.calendar_busy b set due_at = '-infinity', lease = null, lease_expires_at = null
  where b.calendar_id = new.id;
  perform private.end_connection_failure(new.connection_id);
  return null;
end $$;
comment on function private.change_calendar_selection is
  'Trigger: makes a calendar due, and rejects a reading of it that is in process.';
create trigger t500_change_calendar_selection after update of is_selected on public.connected_calendars
  for each row when (old.is_selected <> new.is_selected)
  execute function private.change_calendar_selection();

create function private.end_connection_failure(_connection_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.calendar_connections n set status = 'active', last_error = null
  where n.id = _connection_id and n.status = 'failing' and not exists (
    select from public.connected_calendars c join private.calendar_busy b on b.calendar_id = c.id
    where c.connection_id = n.id and c.is_selected and b.failures > 0);
end $$;
comment on function private.end_connection_failure is
  'Makes a failing connection active once the last reading of each selected calendar succeeded.';
