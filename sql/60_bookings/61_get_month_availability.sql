-- Returns the dates of a month whose weekday has a rule.
create function private.get_month_availability(booking_link_id uuid, year int, month int, timezone text) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns what guests may know
set search_path = ''
set plan_cache_mode = 'force_generic_plan'  -- planning each call would cost more than the call
as $$
declare
  link     public.booking_links;
  first    date;
  weekday  int;
  weekdays int[];
  format   text;
  dates    jsonb;
begin
  if (year between 1970 and 9999) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'year: must be an integer from 1970 to 9999';
  elsif (month between 1 and 12) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'month: must be an integer from 1 to 12';
  end if;
  perform private.require_timezone(get_month_availability.timezone);
  link := private.require_offered_link(get_month_availability.booking_link_id);
  first := make_date(year, month, 1);
  weekday := extract(dow from first);
  format := '{"date": "' || to_char(first, 'YYYY-MM-');
  weekdays := array(
    select (r.rule ->> 'dayOfWeek')::int from jsonb_array_elements(link.availability_rules) r (rule));
  -- joined as text, which takes half the time of building objects
  select ('[' || string_agg(format || right('0' || d.day, 2) || '", "slots": 1}', ',' order by d.day) || ']')::jsonb
  into dates
  from generate_series(1, (first + interval '1 month')::date - first) d (day)
  where (weekday + d.day - 1) % 7 = any (weekdays);
  return jsonb_build_object(
    'year', year, 'month', month, 'timezone', get_month_availability.timezone, 'bookingLinkTimezone', link.timezone,
    'bookingLink', jsonb_build_object('id', link.id, 'name', link.name, 'duration_minutes', link.duration_minutes,
      'timezone', link.timezone),
    'availableDates', coalesce(dates, '[]'));
end $$;
comment on function private.get_month_availability is
  'Implementation of get_month_availability (security definer). Shows active links to everyone.';
grant execute on function private.get_month_availability to anon, authenticated, service_role;

create function public.get_month_availability(booking_link_id uuid, year int, month int, timezone text default 'UTC')
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.get_month_availability(get_month_availability.booking_link_id, get_month_availability.year,
    get_month_availability.month, get_month_availability.timezone);
end $$;
comment on function public.get_month_availability is
  'GET /api/availability/month: {year, month, timezone, bookingLinkTimezone, bookingLink, availableDates: [{date, '
  'slots: 1}]}: the dates whose weekday has a rule, past ones too; bookings and calendars do not count. 400, 404.';
grant execute on function public.get_month_availability to anon, authenticated, service_role;
