-- Returns the dates of a month whose weekday has a rule.
create function private.get_month_availability(booking_link_id uuid, year int, month int, timezone text) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns what guests may know
set search_path = ''
set plan_cache_mode = 'force_generic_plan'  -- planning each call would cost more than the call
as $$
declare
  first  date;
  result jsonb;
begin
  if (year between 1970 and 9999) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'year: must be an integer from 1970 to 9999';
  elsif (month between 1 and 12) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'month: must be an integer from 1 to 12';
  elsif timezone is distinct from 'UTC' then
    perform private.require_timezone(get_month_availability.timezone);
  end if;
  first := make_date(year, month, 1);
  -- One query, because each costs as much as its rows; the dates are joined as text, in half the time of objects
  select jsonb_build_object(
    'year', year, 'month', month, 'timezone', get_month_availability.timezone, 'bookingLinkTimezone', l.timezone,
    'bookingLink', jsonb_build_object('id', l.id, 'name', l.name, 'duration_minutes', l.duration_minutes,
      'timezone', l.timezone),
    'availableDates', (
      select coalesce('[' || string_agg(
        '{"date": "' || m.prefix || right('0' || d.day, 2) || '", "slots": 1}', ',' order by d.day) || ']', '[]')::jsonb
      from (select to_char(first, 'YYYY-MM-'), extract(dow from first)::int) m (prefix, weekday)
      cross join generate_series(1, (first + interval '1 month')::date - first) d (day)
      where (m.weekday + d.day - 1) % 7 = any (array(
        select (r.rule ->> 'dayOfWeek')::int from jsonb_array_elements(l.availability_rules) r (rule)))))
  into result
  from public.booking_links l join public.podcasts p on p.id = l.podcast_id
  where l.id = get_month_availability.booking_link_id and l.is_active and p.status <> 'pending_deletion';
  if not found then
    raise sqlstate 'PT404' using message = 'Booking link not found';
  end if;
  return result;
end $$;
comment on function private.get_month_availability is
  'Implementation of get_month_availability (security definer). Shows active links to everyone.';
grant execute on function private.get_month_availability to anon, authenticated, service_role;

create function public.get_month_availability(booking_link_id uuid, year int, month int, timezone text default 'UTC')
returns jsonb
language sql stable security invoker
return private.get_month_availability(booking_link_id, year, month, timezone);
comment on function public.get_month_availability is
  'GET /api/availability/month: {year, month, timezone, bookingLinkTimezone, bookingLink, availableDates: [{date, '
  'slots: 1}]}: the dates whose weekday has a rule, past ones too; bookings and calendars do not count. 400, 404.';
grant execute on function public.get_month_availability to anon, authenticated, service_role;
