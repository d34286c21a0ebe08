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

create function private.calendar_reading_options(_user_id uuid, at timestamptz default now())
returns table (time_zone text, window_start timestamptz, window_end timestamptz, email text, cpu_left_ms int)
language sql stable security invoker set search_path = ''
as $$
  select private.calendar_time_zone(p.id), lower(h.during), upper(h.during), u.email,
    private.calendar_cpu_left_ms(p.id, $2)
  from public.profiles p join auth.users u on u.id = p.id
  cross join lateral (
    -- one reading serves all links of the user
    select private.calendar_window(max(coalesce(l.max_advance_days, 60)), $2) as during
    from public.podcast_members m
    join public.booking_links l on l.podcast_id = m.podcast_id and l.is_active
    where m.user_id = p.id and m.role >= 'admin') h
  where p.id = $1
$$;
grant execute on function private.calendar_reading_options to service_role;
comment on function private.calendar_reading_options is
  'How to read the calendars of a user: calendar_time_zone(), the window, the user''s address, whose declined '
  'invitations do not count, and the computing time that is left.';

create function private.claim_calendar_reads(
  _booking_link_id uuid default null, _connection_id uuid default null, lease_seconds int default 5,
  at timestamptz default now())
returns table (read_connection_id uuid, user_id uuid, provider public.calendar_provider, cpu_left_ms int,
  time_zone text, lease uuid, window_start timestamptz, window_end timestamptz, calendars jsonb)
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning each page view would take longer than the look for stale calendars
as $$
#variable_conflict use_column
declare
  hosts       uuid[];
  until       timestamptz;  -- a reading that ends before is too short for the link
  new_lease   uuid := gen_random_uuid();
  is_job      boolean := _booking_link_id is null;
  connections uuid[];
begin
  if is_job then
    -- two claims at once could both be the user's third
    perform pg_advisory_xact_lock(hashtextextended('calendar_reads/' || n.user_id, 0))
    from public.calendar_connections n where n.id = _connection_id;
    select array[n.user_id] into hosts from public.calendar_connections n
    where n.id = _connection_id and n.status <> 'revoked' for no key update;
  else
    select private.host_ids(l.podcast_id), upper(private.calendar_window(l.max_advance_days, at))
    into hosts, until
    from public.booking_links l join public.podcasts p on p.id = l.podcast_id and p.status in ('active', 'paused')
    where l.id = _booking_link_id and l.is_active;
    perform private.enqueue_slow_calendars(hosts, at);
  end if;
  if hosts is null then
    return;
  end if;
  -- one reader of a connection at a time: who locks it sees the leases that others gave
  connections := array(
    select n.id from public.calendar_connections n
    where n.user_id = any (hosts) and n.status <> 'revoked' and (_connection_id is null or n.id = _connection_id)
      and exists (
        select from public.connected_calendars c join private.calendar_busy b on b.calendar_id = c.id
        where c.connection_id = n.id and c.is_selected and (is_job or not b.is_slow)
          and (b.stale_at <= at or b.failures = 0 and b.window_end < until))
    order by n.id for no key update skip locked);
  if connections = '{}' then
    return;
  end if;
  return query
    with readers as (  -- connections of the hosts that are being read
      select distinct c.user_id, c.connection_id
      from public.connected_calendars c join private.calendar_busy b on b.calendar_id = c.id
      where c.user_id = any (hosts) and b.lease_expires_at > at
    ), free as (
      select f.calendar_id
      from public.calendar_connections n
      cross join lateral (
        select b.calendar_id, b.stale_at
        from public.connected_calendars c join private.calendar_busy b on b.calendar_id = c.id
        where c.connection_id = n.id and c.is_selected and (is_job or not b.is_slow)
          and (b.stale_at <= at or b.failures = 0 and b.window_end < until)
        order by b.stale_at, b.calendar_id
        limit case when n.provider in ('caldav', 'ics') then 10 else 50 end
        for no key update of b skip locked) f
      where n.id = any (connections) and private.calendar_cpu_left_ms(n.user_id, at) > 0
        and not exists (select from readers r where r.connection_id = n.id)
        and (not is_job or (select count(*) from readers r where r.user_id = n.user_id) < 3)
      order by f.stale_at, f.calendar_id limit 50
    ), leased as (
      update private.calendar_busy b
      set lease = new_lease, lease_expires_at = at + make_interval(secs => lease_seconds)
      from free where b.calendar_id = free.calendar_id
      returning b.calendar_id
    )
    select c.connection_id, n.user_id, n.provider, o.cpu_left_ms, o.time_zone, new_lease,
      o.window_start, o.window_end, jsonb_agg(jsonb_build_object('id', c.id, 'externalId', c.external_id) order by c.id)
    from leased
    join public.connected_calendars c on c.id = leased.calendar_id
    join public.calendar_connections n on n.id = c.connection_id
    cross join lateral private.calendar_reading_options(n.user_id, at) o
    group by c.connection_id, n.user_id, n.provider, o.cpu_left_ms, o.time_zone, o.window_start, o.window_end;
  if is_job and exists (
    select from public.connected_calendars c join private.calendar_busy b on b.calendar_id = c.id
    where c.connection_id = _connection_id and c.is_selected and b.stale_at <= at
      and b.lease is distinct from new_lease)
  then
    perform private.enqueue_calendar_read(_connection_id, private.calendar_claim_delay_seconds(hosts[1], at));
  end if;
end $$;
grant execute on function private.claim_calendar_reads to service_role;
comment on function private.claim_calendar_reads is
  'Leases the selected calendars of a booking link''s hosts, or of a connection, that are to be read now: those whose '
  'last reading is older than calendar_cache_seconds or ends before the link''s last day; failing ones after their '
  'backoff; none of a connection that another reader has or that is revoked, none of users whose calendars have used '
  'up max_calendar_cpu_ms_per_minute, and for a link none that are slow. At most 50, and 10 of a URL, the longest '
  'unread first. Returns a row per connection with the window to read, calendar_time_zone() of its user and the '
  'computing time that is left. What remains of a connection, and one whose user has three in process, is enqueued '
  'again.';

create function private.calendar_claim_delay_seconds(_user_id uuid, at timestamptz default now()) returns int
language sql stable security invoker set search_path = ''
return least(60, greatest(5, 5 - private.calendar_cpu_left_ms($1, $2) * 60
  / greatest(1, private.get_setting('max_calendar_cpu_ms_per_minute')::int)));
comment on function private.calendar_claim_delay_seconds is
  'When the worker looks again at calendars that it could not claim: after the computing time of their user has '
  'recovered, at most a minute.';

create function private.enqueue_slow_calendars(hosts uuid[], at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  connections uuid[] := array(
    select c.connection_id
    from public.connected_calendars c
    join public.calendar_connections n on n.id = c.connection_id and n.status <> 'revoked'
    join private.calendar_busy b on b.calendar_id = c.id
    where c.user_id = any (hosts) and c.is_selected and b.is_slow and b.stale_at <= at
      and (b.lease_expires_at > at) is not true
    for no key update of b skip locked);
begin
  perform private.enqueue_calendar_read(d.id) from (select distinct unnest(connections) as id) d;
end $$;
comment on function private.enqueue_slow_calendars is
  'Enqueues the slow calendars of hosts whose page is viewed, if their last reading is stale: the page does not wait.';
