-- Busy times of connected calendars: what was read last, so that computing slots needs no request to a provider.
create table private.calendar_busy (
  calendar_id      uuid primary key references public.connected_calendars on delete cascade,
  window_start     timestamptz,       -- what the intervals cover; null: never read
  window_end       timestamptz,
  fetched_at       timestamptz,
  attempted_at     timestamptz,
  error            text,              -- of the last attempt; the intervals are those of the last success
  lease_expires_at timestamptz,       -- one reader at a time
  constraint window_is_not_empty check (window_end > window_start),
  constraint window_has_start_and_end check (num_nulls(window_start, window_end, fetched_at) in (0, 3))
);
comment on table private.calendar_busy is
  'The last reading of each connected calendar: window, time and error. Its intervals are in calendar_busy_intervals.';
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
