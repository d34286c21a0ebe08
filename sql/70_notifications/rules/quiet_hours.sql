-- Quiet hours are one period per night, from one time of a zone's clocks to another. A time that the clocks skip counts
-- with the offset from before the change, and of a time that they repeat the first one counts, as in RFC 5545.
create function private.wall_time_to_instant(wall_time timestamp, timezone text) returns timestamptz
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  instant timestamptz := wall_time at time zone timezone;  -- of a repeated time the second
  before  timestamptz := instant - interval '12 hours';
  earlier timestamptz := (wall_time at time zone 'UTC')    -- with the offset from before a change of clocks
    - ((before at time zone timezone) - (before at time zone 'UTC'));
begin
  return case when earlier at time zone timezone = wall_time then least(instant, earlier) else instant end;
end $$;
comment on function private.wall_time_to_instant is
  'The moment at which clocks show a time: the first if they repeat it, and after the change if they skip it.';

create function private.end_of_quiet_hours(
  at timestamptz, timezone text, quiet_hours_start time, quiet_hours_end time) returns timestamptz
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  night    date := (at at time zone timezone)::date - 2;  -- yesterday may be a date that the clocks skipped
  ends_at  timestamptz;
  quiet_to timestamptz;
begin
  for n in 0 .. 3 loop
    quiet_to := private.wall_time_to_instant(
      night + n + quiet_hours_end + case when quiet_hours_end < quiet_hours_start then interval '1 day' else '0' end,
      timezone);
    if coalesce(ends_at, at) < quiet_to
       and coalesce(ends_at, at) >= private.wall_time_to_instant(night + n + quiet_hours_start, timezone) then
      ends_at := quiet_to;
    end if;
  end loop;
  return ends_at;
end $$;
comment on function private.end_of_quiet_hours is
  'When the quiet hours end that a moment falls into; null outside of them, and without quiet hours.';
