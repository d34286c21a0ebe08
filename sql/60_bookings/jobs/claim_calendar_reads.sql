-- Claims the calendars whose busy times are to be read: the reader has a lease, so that page views at the same moment
-- cause one request. The request is made outside of any transaction.
-- A date begins up to 14 hours after its start in UTC, and a buffer is at most 12 hours.
create function private.calendar_window(max_advance_days int, at timestamptz) returns tstzrange
language sql stable parallel safe security invoker set search_path = ''
return tstzrange(date_trunc('day', at - interval '14 hours', 'UTC'),
  date_trunc('day', at, 'UTC') + make_interval(hours => 24 * (coalesce(max_advance_days, 60) + 2)));
comment on function private.calendar_window is
  'The times that slots of the next max_advance_days can need in any time zone, buffers included. It moves once a day, '
  'so that readings stay equal.';

create function private.claim_calendar_reads(
  _booking_link_id uuid default null, _connection_id uuid default null, lease_seconds int default 5,
  at timestamptz default now())
returns table (read_connection_id uuid, provider public.calendar_provider, time_zone text, lease uuid,
  window_start timestamptz, window_end timestamptz, calendars jsonb)
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning each page view would take longer than the look for stale calendars
as $$
declare
  hosts     uuid[];
  until     timestamptz;  -- a reading that ends before is too short for the link
  new_lease uuid := gen_random_uuid();
begin
  if _booking_link_id is not null then
    select private.host_ids(l.podcast_id), upper(private.calendar_window(l.max_advance_days, at))
    into hosts, until
    from public.booking_links l join public.podcasts p on p.id = l.podcast_id and p.status in ('active', 'paused')
    where l.id = _booking_link_id and l.is_active;
  else
    select array[n.user_id] into hosts
    from public.calendar_connections n where n.id = _connection_id;
  end if;
  if hosts is null then
    return;
  end if;
  return query
    with free as (
      select b.calendar_id
      from public.connected_calendars c
      join public.calendar_connections n on n.id = c.connection_id and n.status <> 'revoked'
      join private.calendar_busy b on b.calendar_id = c.id
      where c.user_id = any (hosts) and c.is_selected
        and (_connection_id is null or c.connection_id = _connection_id)
        and (b.stale_at <= at or b.failures = 0 and b.window_end < until)
        and (b.lease_expires_at is null or b.lease_expires_at <= at)
      order by b.stale_at, b.calendar_id limit 50
      for no key update of b skip locked
    ), leased as (
      update private.calendar_busy b
      set lease = new_lease, lease_expires_at = at + make_interval(secs => lease_seconds)
      from free where b.calendar_id = free.calendar_id
      returning b.calendar_id
    )
    select c.connection_id, n.provider, z.time_zone, new_lease, lower(h.during), upper(h.during),
      jsonb_agg(jsonb_build_object('id', c.id, 'externalId', c.external_id) order by c.id)
    from leased
    join public.connected_calendars c on c.id = leased.calendar_id
    join public.calendar_connections n on n.id = c.connection_id
    cross join lateral (select private.calendar_time_zone(n.user_id) as time_zone) z
    cross join lateral (
      -- one reading serves all links of the user
      select private.calendar_window(max(coalesce(l.max_advance_days, 60)), at) as during
      from public.podcast_members m
      join public.booking_links l on l.podcast_id = m.podcast_id and l.is_active
      where m.user_id = n.user_id and m.role >= 'admin') h
    group by c.connection_id, n.provider, z.time_zone, h.during;
end $$;
grant execute on function private.claim_calendar_reads to service_role;
comment on function private.claim_calendar_reads is
  'Leases the selected calendars of a booking link''s hosts, or of a connection, that are to be read now: those whose '
  'last reading is older than calendar_cache_seconds or ends before the link''s last day; failing ones after their '
  'backoff; none that another reader has leased, and none of a revoked connection. At most 50, the longest unread '
  'first. Returns a row per connection with the window to read and calendar_time_zone() of its user.';
