-- Rule windows: the times at which the clocks of a zone show the hours of availability rules.
-- Postgres writes this function into the expressions that call it.
create function private.utc_offset(moment timestamp, timezone text) returns interval
language sql stable parallel safe security invoker
return (moment at time zone 'UTC') at time zone timezone - moment;
comment on function private.utc_offset is 'How far the clocks of a zone are ahead of UTC at a moment, given in UTC.';

create function private.rule_windows(rules jsonb, timezone text, first_date date, last_date date)
returns table (start_time timestamptz, end_time timestamptz)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  -- The offsets of the zone and the moments in UTC from which they apply. A date of any zone lies between the UTC dates
  -- before and after it.
  moment      timestamp := rule_windows.first_date - 1;
  utc_offsets interval[] := array[private.utc_offset(moment, rule_windows.timezone)];
  moments     timestamp[] := '{-infinity}';
  seconds     int;
begin
  while moment < rule_windows.last_date + 2 loop
    seconds := 345600;  -- 4 days: since 1970 no zone changed its clocks twice within 6 days
    if private.utc_offset(moment + make_interval(secs => seconds), rule_windows.timezone)
       = utc_offsets[cardinality(utc_offsets)] then
      moment := moment + make_interval(secs => seconds);
      continue;
    end if;
    while seconds > 1 loop  -- the change is after moment, and at most these seconds later
      if private.utc_offset(moment + make_interval(secs => seconds / 2), rule_windows.timezone)
         = utc_offsets[cardinality(utc_offsets)] then
        moment := moment + make_interval(secs => seconds / 2);
        seconds := seconds - seconds / 2;
      else
        seconds := seconds / 2;
      end if;
    end loop;
    moment := moment + interval '1 second';
    moments := moments || moment;
    utc_offsets := utc_offsets || private.utc_offset(moment, rule_windows.timezone);
  end loop;

  return query
    select lower(w.during) at time zone 'UTC', upper(w.during) at time zone 'UTC'
    from jsonb_array_elements(rule_windows.rules) with ordinality r (rule, n)
    join generate_series(rule_windows.first_date::timestamp, rule_windows.last_date::timestamp, interval '1 day')
      d (date)
      on extract(dow from d.date) = (r.rule ->> 'dayOfWeek')::int
    cross join lateral (
      -- where a change repeats hours, the parts may touch and are one window, or there are two
      select range_agg(
        tsrange(d.date + (r.rule ->> 'startTime')::interval - o.utc_offset,
          d.date + (r.rule ->> 'endTime')::interval - o.utc_offset)
        * tsrange(o.moment, moments[o.n + 1])) as parts
      from unnest(moments, utc_offsets) with ordinality o (moment, utc_offset, n)) p
    cross join unnest(p.parts) w (during);
end $$;
comment on function private.rule_windows is
  'The windows of rules on dates of a time zone: the moments of the date at which its clocks show a time from '
  'startTime to endTime. A repeated hour can split a window. Overlapping rules give overlapping windows.';
-- No grant: security definer functions call it.
