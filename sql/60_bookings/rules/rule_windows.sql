-- Rule windows: the times at which the clocks of a zone show the hours of availability rules, or of a date override.
create function private.hours_by_date(date_overrides jsonb, first_date date, last_date date) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(o ->> 'date', o -> 'windows'), '{}') from jsonb_array_elements(date_overrides) o
    where (o ->> 'date')::date between first_date and last_date);
end $$;
comment on function private.hours_by_date is 'The windows of the date overrides on these dates, by date.';

create function private.utc_offset(moment timestamp, timezone text) returns interval
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
begin
  return (moment at time zone 'UTC') at time zone timezone - moment;
end $$;
comment on function private.utc_offset is 'How far the clocks of a zone are ahead of UTC at a moment, given in UTC.';

create function private.has_rule_on(availability_rules jsonb, date date) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return availability_rules @> jsonb_build_array(jsonb_build_object('dayOfWeek', extract(dow from date)));
end $$;
comment on function private.has_rule_on is 'Whether availability rules have one of the weekday of a date.';

create function private.rule_windows(
  _rules jsonb, _overrides jsonb, _timezone text, _first_date date, _last_date date)
returns table (start_time timestamptz, end_time timestamptz)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  -- The offsets of the zone and the moments in UTC from which they apply. A date of any zone lies between the UTC dates
  -- before and after it.
  moment      timestamp := _first_date - 1;
  utc_offsets interval[] := array[private.utc_offset(moment, _timezone)];
  moments     timestamp[] := '{-infinity}';
  seconds     int;
  date        timestamp := _first_date;
  overrides   jsonb := '{}';
  hours       jsonb;  -- of the date: its rules, or the windows of its override
  rule        jsonb;
begin
  while moment < _last_date + 2 loop
    seconds := 345600;  -- 4 days: since 1970 no zone changed its clocks twice within 6 days
    if private.utc_offset(moment + interval '345600 s', _timezone) = utc_offsets[cardinality(utc_offsets)]
    then
      moment := moment + interval '345600 s';
      continue;
    end if;
    while seconds > 1 loop  -- the change is after moment, and at most these seconds later
      if private.utc_offset(moment + make_interval(secs => seconds / 2), _timezone)
         = utc_offsets[cardinality(utc_offsets)] then
        moment := moment + make_interval(secs => seconds / 2);
        seconds := seconds - seconds / 2;
      else
        seconds := seconds / 2;
      end if;
    end loop;
    moment := moment + interval '1 s';
    moments := moments || moment;
    utc_offsets := utc_offsets || private.utc_offset(moment, _timezone);
  end loop;

  -- Loops, because a query would cost more for a date, and for a month
  if _overrides <> '[]' then
    overrides := private.hours_by_date(_overrides, _first_date, _last_date);
  end if;
  while date <= _last_date loop
    hours := coalesce(overrides -> to_char(date, 'YYYY-MM-DD'), _rules);
    for n in 0 .. jsonb_array_length(hours) - 1 loop
      rule := hours -> n;
      continue when (rule -> 'dayOfWeek')::int <> extract(dow from date);
      if cardinality(utc_offsets) = 1 then
        start_time := (date + (rule ->> 'startTime')::interval - utc_offsets[1]) at time zone 'UTC';
        end_time := (date + (rule ->> 'endTime')::interval - utc_offsets[1]) at time zone 'UTC';
        return next;
        continue;
      end if;
      return query  -- the parts at each offset, which are one window if they touch
        select lower(w.during) at time zone 'UTC', upper(w.during) at time zone 'UTC'
        from (
          select range_agg(
            tsrange(date + (rule ->> 'startTime')::interval - o.utc_offset,
              date + (rule ->> 'endTime')::interval - o.utc_offset)
            * tsrange(o.moment, moments[o.n + 1])) as parts
          from unnest(moments, utc_offsets) with ordinality o (moment, utc_offset, n)) p,
          unnest(p.parts) w (during);
    end loop;
    date := date + interval '1 day';
  end loop;
end $$;
comment on function private.rule_windows is
  'The windows of rules on dates of a time zone: the moments of the date at which its clocks show a time from '
  'startTime to endTime. The windows of an override replace the rules of its date. A repeated hour can split a window. '
  'Overlapping rules give overlapping windows.';
-- No grant: security definer functions call it.
