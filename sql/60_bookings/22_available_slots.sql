-- Available slots: what guests can book by a link.
create function private.last_bookable_date(link public.booking_links, at timestamptz) returns date
language sql stable security invoker
return (at at time zone link.timezone)::date + coalesce(link.max_advance_days, 60);
comment on function private.last_bookable_date is
  'The last date of a link''s time zone that can be booked at a moment.';

create function private.earliest_start(link public.booking_links, at timestamptz) returns timestamptz
language sql stable security invoker
return at + make_interval(hours => coalesce(link.min_notice_hours, 24));
comment on function private.earliest_start is 'The earliest start that a link''s notice allows at a moment.';

create function private.available_slots(
  link public.booking_links, first_date date, last_date date, at timestamptz, except_booking_id uuid default null)
returns table (start_time timestamptz, end_time timestamptz)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  hosts         uuid[] := private.host_ids(link.podcast_id);
  duration      interval := make_interval(mins => link.duration_minutes);
  buffer_before interval := make_interval(mins => link.buffer_before_minutes);
  buffer_after  interval := make_interval(mins => link.buffer_after_minutes);
  max_buffer    interval := greatest(buffer_before, buffer_after);
  earliest      timestamptz := private.earliest_start(link, available_slots.at);
  starts        timestamptz[];
  reach         tstzrange;         -- of all slots with their buffers
  busy          tstzmultirange;    -- of the hosts
  booked        tstzmultirange;
  own           tstzrange;         -- of the excepted booking
begin
  starts := array(
    select distinct s.start_time
    from private.rule_windows(link.availability_rules, link.timezone, available_slots.first_date,
      least(available_slots.last_date, private.last_bookable_date(link, available_slots.at))) w
    cross join generate_series(w.start_time, w.end_time - duration, duration + buffer_before + buffer_after)
      s (start_time)
    where s.start_time >= earliest
    order by s.start_time);
  if starts = '{}' then
    return;
  end if;
  reach := tstzrange(starts[1] - max_buffer, starts[cardinality(starts)] + duration + max_buffer);

  select range_agg(i.during) into busy
  from public.connected_calendars c join private.calendar_busy_intervals i on i.calendar_id = c.id
  where c.user_id = any (hosts) and c.is_selected and i.during && reach;

  -- A slot is taken if it overlaps a booking with buffers, or with buffers overlaps a booking: that is, if it overlaps
  -- a booking with the longer buffer on both sides.
  select range_agg(tstzrange(b.start_time - max_buffer, b.end_time + max_buffer)) into booked
  from public.bookings b
  where b.booking_link_id = link.id and b.status in ('pending', 'confirmed')
    and tstzrange(b.start_time, b.end_time, '[)') && reach
    and b.id is distinct from available_slots.except_booking_id;

  if except_booking_id is not null and busy is not null then  -- the calendar has the booking's own event
    select tstzrange(b.start_time, b.end_time) into own
    from public.bookings b where b.id = available_slots.except_booking_id;
    busy := busy - coalesce(own::tstzmultirange, '{}');
  end if;

  return query
    select s.start_time, s.start_time + duration
    from unnest(starts) s (start_time)
    where not coalesce(busy && tstzrange(s.start_time - buffer_before, s.start_time + duration + buffer_after), false)
      and not coalesce(booked && tstzrange(s.start_time, s.start_time + duration), false)
    order by s.start_time;
end $$;
comment on function private.available_slots is
  'The slots that start on these dates of the link''s time zone and can be booked at the moment, in order: within the '
  'windows of the rules, after the notice, until the last bookable date, and free in the hosts'' calendars and among '
  'the link''s bookings. The excepted booking and its own time in the calendars do not count. PT500 without a host.';
-- No grant: security definer functions call it.
