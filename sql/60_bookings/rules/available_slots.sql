-- Available slots: what guests can book by a link.
create function private.last_bookable_date(link public.booking_links, at timestamptz) returns date
language sql stable security invoker set search_path = ''
return (at at time zone link.timezone)::date + coalesce(link.max_advance_days, 60);
comment on function private.last_bookable_date is
  'The last date of a link''s time zone that can be booked at a moment.';

create function private.earliest_start(link public.booking_links, at timestamptz) returns timestamptz
language sql stable security invoker set search_path = ''
return at + make_interval(hours => coalesce(link.min_notice_hours, 24));
comment on function private.earliest_start is 'The earliest start that a link''s notice allows at a moment.';

create function private.available_slots(
  link public.booking_links, _first_date date, _last_date date, at timestamptz, _except_booking_id uuid default null)
returns table (start_time timestamptz, end_time timestamptz)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = 'force_generic_plan'  -- planning each call would cost more than the call
as $$
declare
  hosts         uuid[] := private.host_ids(link.podcast_id);
  duration      interval := make_interval(mins => link.duration_minutes);
  buffer_before interval := make_interval(mins => link.buffer_before_minutes);
  buffer_after  interval := make_interval(mins => link.buffer_after_minutes);
  max_buffer    interval := greatest(buffer_before, buffer_after);
  earliest      timestamptz := private.earliest_start(link, at);
  starts        timestamptz[];
  reach         tstzrange;               -- of all slots with their buffers
  own           tstzmultirange := '{}';  -- the time of the excepted booking
begin
  starts := array(
    select distinct s.start_time
    from private.rule_windows(link.availability_rules, link.timezone, _first_date,
      least(_last_date, private.last_bookable_date(link, at))) w
    cross join generate_series(w.start_time, w.end_time - duration, duration + buffer_before + buffer_after)
      s (start_time)
    where s.start_time >= earliest
    order by s.start_time);
  if starts = '{}' then
    return;
  end if;
  reach := tstzrange(starts[1] - max_buffer, starts[cardinality(starts)] + duration + max_buffer);

  if _except_booking_id is not null then  -- its own event is in the calendar
    own := coalesce((select tstzmultirange(tstzrange(b.start_time, b.end_time)) from public.bookings b
      where b.id = _except_booking_id), '{}');
  end if;

  return query
    select s.start_time, s.start_time + duration
    from unnest(starts) s (start_time)
    where not (
        select coalesce(range_agg(i.busy), '{}') - own from public.connected_calendars c
        cross join lateral (  -- per calendar, so that the plan never reads those of other users
          select range_agg(i.during) as busy from private.calendar_busy_intervals i
          where i.calendar_id = c.id and i.during && reach) i
        where c.user_id = any (hosts) and c.is_selected)
        && tstzrange(s.start_time - buffer_before, s.start_time + duration + buffer_after)
      and not (
        select coalesce(range_agg(tstzrange(b.start_time, b.end_time)), '{}') from public.bookings b
        where b.booking_link_id = link.id and b.status in ('pending', 'confirmed')
          and tstzrange(b.start_time, b.end_time, '[)') && reach
          and b.id is distinct from _except_booking_id)
        -- the booking has buffers too: the longer one must be free on each side between them
        && tstzrange(s.start_time - max_buffer, s.start_time + duration + max_buffer);
end $$;
comment on function private.available_slots is
  'The slots that start on these dates of the link''s time zone and can be booked at the moment, in order: within the '
  'windows of the rules, after the notice, until the last bookable date, and free in the hosts'' calendars and among '
  'the link''s bookings. The excepted booking and its own time in the calendars do not count. PT500 without a host.';
-- No grant: security definer functions call it.
