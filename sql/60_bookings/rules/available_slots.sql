-- Available slots: what guests can book by a link. Short functions are plpgsql, because a function in SQL with a
-- search_path is planned at each call, which takes longer than they do.
create function private.last_bookable_date(link public.booking_links, at timestamptz) returns date
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (at at time zone link.timezone)::date + coalesce(link.max_advance_days, 60);
end $$;
comment on function private.last_bookable_date is
  'The last date of a link''s time zone that can be booked at a moment.';

create function private.earliest_start(link public.booking_links, at timestamptz) returns timestamptz
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return at + make_interval(hours => coalesce(link.min_notice_hours, 24));
end $$;
comment on function private.earliest_start is 'The earliest start that a link''s notice allows at a moment.';

create function private.conflicting_links(link public.booking_links)
returns table (id uuid, buffer interval)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  id := link.id;
  buffer := make_interval(mins => greatest(link.buffer_before_minutes, link.buffer_after_minutes));
  return next;
  if link.conflict_scope = 'podcast' then
    return query
      select l.id, greatest(conflicting_links.buffer,
        make_interval(mins => greatest(l.buffer_before_minutes, l.buffer_after_minutes)))
      from public.booking_links l where l.podcast_id = link.podcast_id and l.id <> link.id;
  end if;
end $$;
comment on function private.conflicting_links is
  'The links whose bookings take slots of a link, with what must be free between two of their sessions.';

-- What a slot keeps free around it:
--   Around the slot              | Before it                  | After it
--   events of hosts' calendars   | buffer_before              | buffer_after
--   bookings of the link         | the longer of both buffers | the longer of both buffers
--   bookings of another link     | the longest buffer of both links, on both sides
-- An event has no buffers. A booking has its own on both sides, so the longer one must fit between two sessions.
create function private.candidate_times(
  link public.booking_links, _first_date date, _last_date date, at timestamptz, _except_booking_id uuid default null)
returns table (start_time timestamptz, end_time timestamptz, reason text)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = 'force_generic_plan'  -- planning each call would cost more than the call
as $$
declare
  hosts         uuid[] := private.host_ids(link.podcast_id);
  duration      interval := make_interval(mins => link.duration_minutes);
  buffer_before interval := make_interval(mins => link.buffer_before_minutes);
  buffer_after  interval := make_interval(mins => link.buffer_after_minutes);
  earliest      timestamptz := private.earliest_start(link, at);
  last_date     date := private.last_bookable_date(link, at);
  is_pending    boolean := private.has_pending_calendar(hosts, at);
  starts        timestamptz[];
  reach         tstzrange;               -- of all times, without buffers
  own           tstzmultirange := '{}';  -- the time of the excepted booking
begin
  starts := array(
    select distinct s.start_time
    from private.rule_windows(link.availability_rules, link.date_overrides, link.timezone, _first_date, _last_date) w
    cross join generate_series(w.start_time, w.end_time - duration, duration + buffer_before + buffer_after)
      s (start_time)
    order by s.start_time);
  if cardinality(starts) = 0 then
    return;
  end if;
  reach := tstzrange(starts[1], starts[cardinality(starts)] + duration);

  if _except_booking_id is not null then  -- its own event is in the calendar
    own := coalesce((select tstzmultirange(tstzrange(b.start_time, b.end_time)) from public.bookings b
      where b.id = _except_booking_id), '{}');
  end if;

  return query
    select s.start_time, s.start_time + duration, case
      when s.start_time < at then 'past'
      when s.start_time < earliest then 'notice'
      when (s.start_time at time zone link.timezone)::date > last_date then 'advance'
      when is_pending then 'calendar_pending'
      when (
        select coalesce(range_agg(i.busy), '{}') - own from public.connected_calendars c
        cross join lateral (  -- per calendar, so that the plan never reads those of other users
          select range_agg(i.during) as busy from private.calendar_busy_intervals i
          where i.calendar_id = c.id
            and i.during && tstzrange(lower(reach) - buffer_before, upper(reach) + buffer_after)) i
        where c.user_id = any (hosts) and c.is_selected)
        && tstzrange(s.start_time - buffer_before, s.start_time + duration + buffer_after) then 'calendar'
      when (
        select coalesce(range_agg(b.busy), '{}') from private.conflicting_links(link) l
        cross join lateral (  -- per link, so that each reads the index of its bookings
          select range_agg(tstzrange(b.start_time - l.buffer, b.end_time + l.buffer)) as busy from public.bookings b
          where b.booking_link_id = l.id and b.status in ('pending', 'confirmed')
            and tstzrange(b.start_time, b.end_time, '[)')
              && tstzrange(lower(reach) - l.buffer, upper(reach) + l.buffer)
            and b.id is distinct from _except_booking_id) b)
        && tstzrange(s.start_time, s.start_time + duration) then 'booking' end
    from unnest(starts) s (start_time);
end $$;
comment on function private.candidate_times is
  'The times of a link on these dates of its time zone, in order, each with the step that drops it: past, notice, '
  'advance, calendar_pending, calendar or booking; null if it can be booked at the moment. The excepted booking and '
  'its own time in the calendars do not count. PT500 without a host.';

create function private.available_slots(
  link public.booking_links, _first_date date, _last_date date, at timestamptz, _except_booking_id uuid default null)
returns table (start_time timestamptz, end_time timestamptz)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
    select c.start_time, c.end_time
    from private.candidate_times(link, _first_date, _last_date, at, _except_booking_id) c
    where c.reason is null;
end $$;
comment on function private.available_slots is
  'The slots that start on these dates of the link''s time zone and can be booked at the moment, in order. PT500 '
  'without a host.';
-- No grants: security definer functions call them.
