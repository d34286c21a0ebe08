-- Explains to admins why availability offers, or does not offer, each time of a date.
create function private.blocking_calendar(link public.booking_links, _start_time timestamptz, _end_time timestamptz)
returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('userId', c.user_id, 'id', case when c.user_id = auth.uid() then c.id end,
    'name', case when c.user_id = auth.uid() then c.name end)
  from public.connected_calendars c
  cross join lateral (  -- as in candidate_times, so that the plan never reads those of other users
    select from private.calendar_busy_intervals i where i.calendar_id = c.id
      and i.during && tstzrange(_start_time - make_interval(mins => link.buffer_before_minutes),
        _end_time + make_interval(mins => link.buffer_after_minutes)) limit 1) i
  where c.user_id = any (private.host_ids(link.podcast_id)) and c.is_selected
  order by c.user_id <> auth.uid(), c.user_id, c.id limit 1
$$;
comment on function private.blocking_calendar is
  'A calendar that drops a time of a link, as {userId, id, name}: one of the caller if there is one. Of other hosts'' '
  'calendars it says only whose they are.';

create function private.blocking_booking(link public.booking_links, _start_time timestamptz, _end_time timestamptz)
returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('id', b.id, 'bookingLinkId', b.booking_link_id, 'guestName', b.guest_name,
    'status', b.status, 'start', private.format_timestamp(b.start_time), 'end', private.format_timestamp(b.end_time))
  from private.conflicting_links(link) l
  cross join lateral (
    select * from public.bookings b where b.booking_link_id = l.id and b.status in ('pending', 'confirmed')
      and tstzrange(b.start_time, b.end_time, '[)') && tstzrange(_start_time - l.buffer, _end_time + l.buffer)
    order by b.start_time, b.id limit 1) b
  order by b.start_time, b.id limit 1
$$;
comment on function private.blocking_booking is 'The first booking that drops a time of a link.';

create function private.explain_availability(_booking_link_id uuid, _date text, at timestamptz default now())
returns jsonb
language plpgsql stable security definer  -- clients may not read busy times
set search_path = ''
as $$
declare
  on_date date;
  link    public.booking_links;
  of_link text;  -- why the link does not exist for guests
  hours   jsonb;
  times   jsonb;
begin
  perform private.require_booking_link_role(_booking_link_id, 'admin');
  on_date := private.parse_date(_date);
  select l.* into link from public.booking_links l where l.id = _booking_link_id;
  of_link := case
    when (select p.status from public.podcasts p where p.id = link.podcast_id) = 'pending_deletion'
      then 'podcast_pending_deletion'
    when not link.is_active then 'link_inactive' end;
  select jsonb_agg(jsonb_build_object(
    'start', private.format_timestamp(c.start_time), 'end', private.format_timestamp(c.end_time),
    'reason', coalesce(of_link, c.reason),
    'calendar', case when of_link is null and c.reason = 'calendar'
      then private.blocking_calendar(link, c.start_time, c.end_time) end,
    'booking', case when of_link is null and c.reason = 'booking'
      then private.blocking_booking(link, c.start_time, c.end_time) end) order by c.start_time) into times
  from private.candidate_times(link, on_date, on_date, at) c;
  hours := private.hours_by_date(link.date_overrides, on_date, on_date) -> _date;
  return jsonb_build_object('date', _date, 'bookingLinkTimezone', link.timezone,
    'reason', case
      when times is not null then null
      when hours = '[]' then 'day_off'
      when hours is null and not private.has_rule_on(link.availability_rules, on_date) then 'no_rule'
      else 'no_room' end,
    'times', coalesce(times, '[]'));
end $$;
grant execute on function private.explain_availability to authenticated;  -- checks the role itself

create function public.explain_availability(booking_link_id uuid, date text) returns jsonb
language sql stable security invoker set search_path = ''
return private.explain_availability(booking_link_id, date);
comment on function public.explain_availability is
  'GET /api/booking-links/{id}/explanation: why get_availability offers a time or not, as {date, bookingLinkTimezone, '
  'reason, times: [{start, end, reason, calendar, booking}]}. The reason of a time is the step that drops it, null if '
  'it is offered; that of the date says why it has no times: day_off, no_rule or no_room. calendar is {userId, id, '
  'name}, with id and name of the caller''s own calendars only. Requires admin. 400, 403, 404, 500 if the podcast has '
  'no owner or admin.';
grant execute on function public.explain_availability to authenticated;
