-- Returns the slots that guests can book on a date.
create function private.get_availability(
  _booking_link_id uuid, _date text, _timezone text, at timestamptz default now()) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns what guests may know
set search_path = ''
set plan_cache_mode = 'force_generic_plan'  -- planning each call would cost more than the call
as $$
declare
  l        public.booking_links;  -- the link; podcasts have a column of that name
  on_date  date := private.parse_date(_date);
  hours    jsonb;                 -- the windows of the date's override
  earliest timestamptz;
  message  text;
  slots    jsonb;
begin
  perform private.require_timezone(_timezone);
  l := private.require_offered_link(_booking_link_id);
  earliest := private.earliest_start(l, at);
  if l.date_overrides <> '[]' then
    hours := private.hours_by_date(l.date_overrides, on_date, on_date) -> _date;
  end if;
  message := case
    when on_date < (at at time zone l.timezone)::date then 'This date is in the past'
    when on_date < (earliest at time zone l.timezone)::date then format(
      'This session must be booked at least %s hours ahead; choose a later date', coalesce(l.min_notice_hours, 24))
    when on_date > private.last_bookable_date(l, at) then format(
      'This session can be booked at most %s days ahead; choose an earlier date', coalesce(l.max_advance_days, 60))
    when hours = '[]' then 'This session is not offered on this date; choose another date'
    when hours is null and not private.has_rule_on(l.availability_rules, on_date)
      then format('This session is not offered on %ss; choose another date', to_char(on_date, 'FMDay')) end;
  if message is not null then
    return jsonb_build_object('date', _date, 'slots', '[]'::jsonb, 'message', message);
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('start', private.format_timestamp(s.start_time),
    'end', private.format_timestamp(s.end_time), 'available', true) order by s.start_time), '[]') into slots
  from private.available_slots(l, on_date, on_date, at) s;
  return (
    select jsonb_build_object(
      'date', _date, 'timezone', _timezone, 'bookingLinkTimezone', l.timezone,
      'bookingLink', jsonb_build_object('id', l.id, 'name', l.name, 'duration_minutes', l.duration_minutes,
        'description', l.description, 'timezone', l.timezone),
      'podcast', jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title),
      'slots', slots)
    from public.podcasts p where p.id = l.podcast_id);
end $$;
grant execute on function private.get_availability to anon, authenticated, service_role;

create function public.get_availability(booking_link_id uuid, date text, timezone text default 'UTC') returns jsonb
language sql stable security invoker set search_path = ''
return private.get_availability(booking_link_id, date, timezone);
comment on function public.get_availability is
  'GET /api/availability: the slots that can be booked on a date of the booking link''s time zone, as {date, timezone, '
  'bookingLinkTimezone, bookingLink, podcast, slots: [{start, end, available}]}, or {date, slots: [], message} if the '
  'date cannot be booked. 400, 404, 500 if the podcast has no owner or admin.';
grant execute on function public.get_availability to anon, authenticated, service_role;
