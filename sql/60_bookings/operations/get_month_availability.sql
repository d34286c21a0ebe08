-- Returns the dates of a month that have a rule or special hours.
create function private.get_month_availability(_booking_link_id uuid, year int, month int, _timezone text) returns json
language plpgsql stable security definer  -- anonymous callers have no table grants; returns what guests may know
set search_path = '' set datestyle = 'ISO'  -- of the dates in the text
set plan_cache_mode = 'force_generic_plan'  -- planning each call would cost more than the call
as $$
declare
  link_id       uuid;
  link_name     text;
  link_timezone text;
  minutes       int;
  rules         jsonb;
  overrides     jsonb;
  first         date;
  dates         date[] := '{}';  -- by day; null if it is not offered
  hours         record;
  listed        text;
begin
  if (year between 1970 and 9999) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'year: must be an integer from 1970 to 9999';
  elsif (month between 1 and 12) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'month: must be an integer from 1 to 12';
  elsif _timezone is distinct from 'UTC' then
    perform private.require_timezone(_timezone);
  end if;
  select l.id, l.name, l.timezone, l.duration_minutes, l.availability_rules, l.date_overrides
  into link_id, link_name, link_timezone, minutes, rules, overrides
  from public.booking_links l join public.podcasts p on p.id = l.podcast_id
  where l.id = _booking_link_id and l.is_active and p.status <> 'pending_deletion';
  if not found then
    raise sqlstate 'PT404' using message = 'Booking link not found';
  end if;

  -- Loops, because a query of the dates would cost as much as all else
  first := make_date(year, month, 1);
  for n in 0 .. jsonb_array_length(rules) - 1 loop
    for day in 1 + ((rules -> n -> 'dayOfWeek')::int - extract(dow from first)::int + 7) % 7
      .. (first + interval '1 month')::date - first by 7
    loop
      dates[day] := first + day - 1;
    end loop;
  end loop;
  if overrides <> '[]' then
    for hours in
      select o.key::date as date, o.value <> '[]' as is_offered
      from jsonb_each(private.hours_by_date(overrides, first, (first + interval '1 month')::date - 1)) o
    loop
      dates[extract(day from hours.date)::int] := case when hours.is_offered then hours.date end;
    end loop;
  end if;
  listed := array_to_string(dates, '","slots":1},{"date":"');
  return json_build_object(
    'year', year, 'month', month, 'timezone', _timezone, 'bookingLinkTimezone', link_timezone,
    'bookingLink', json_build_object('id', link_id, 'name', link_name, 'duration_minutes', minutes,
      'timezone', link_timezone),
    'availableDates', case when listed = '' then '[]'::json
      else ('[{"date":"' || listed || '","slots":1}]')::json end);
end $$;
grant execute on function private.get_month_availability to anon, authenticated, service_role;

create function public.get_month_availability(booking_link_id uuid, year int, month int, timezone text default 'UTC')
returns json
language sql stable security invoker set search_path = ''
return private.get_month_availability(booking_link_id, year, month, timezone);
comment on function public.get_month_availability is
  'GET /api/availability/month: {year, month, timezone, bookingLinkTimezone, bookingLink, availableDates: [{date, '
  'slots: 1}]}: the dates whose weekday has a rule, or that have special hours, past ones too, without days off; '
  'bookings and calendars do not count. 400, 404.';
grant execute on function public.get_month_availability to anon, authenticated, service_role;
