-- Enqueues the calendars whose busy times are due to be read, and deletes those of deselected ones. Cron calls it every
-- minute; concurrent runs are harmless.
create function private.enqueue_due_calendar_reads(
  at timestamptz default clock_timestamp(), max_reads int default 500) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  messages jsonb[];
begin
  with due as (
    select b.calendar_id, b.due_at, c.is_selected
    from private.calendar_busy b join public.connected_calendars c on c.id = b.calendar_id
    where b.due_at <= at
    order by b.due_at
    -- while no worker reads them, messages do not pile up
    limit greatest(0, max_reads - (select m.queue_length from pgmq.metrics('calendar_reads') m))
    for no key update skip locked
  ), forgotten as (  -- nothing needs the busy times of a deselected calendar
    delete from private.calendar_busy_intervals i using due
    where i.calendar_id = due.calendar_id and not due.is_selected
  ), reset as (
    update private.calendar_busy b set window_start = null, window_end = null, fetched_at = null, error = null,
      failures = 0, stale_at = '-infinity', due_at = null, is_slow = false
    from due where b.calendar_id = due.calendar_id and not due.is_selected
  ), postponed as (  -- by the reading too; here for those that are not read
    update private.calendar_busy b set due_at = at
      + private.get_setting('calendar_refresh_minutes')::int * interval '1 minute'
    from due where b.calendar_id = due.calendar_id and due.is_selected
    returning b.calendar_id, due.due_at
  )
  select array_agg(jsonb_build_object('connection_id', r.connection_id, 'user_id', r.user_id)
    order by r.due_at, r.connection_id)
  into messages
  from (
    select c.connection_id, c.user_id, min(postponed.due_at) as due_at
    from postponed
    join public.connected_calendars c on c.id = postponed.calendar_id
    join public.calendar_connections n on n.id = c.connection_id and n.status <> 'revoked'
    where exists (
      select from public.podcast_members m
      join public.podcasts p on p.id = m.podcast_id and p.status in ('active', 'paused')
      join public.booking_links l on l.podcast_id = m.podcast_id and l.is_active
      where m.user_id = c.user_id and m.role >= 'admin')
    group by c.connection_id, c.user_id) r;
  if messages is null then
    return 0;
  end if;
  perform private.enqueue_batch('calendar_reads', messages, at);
  perform private.wake_worker_once('calendar_reads');
  return cardinality(messages);
end $$;
comment on function private.enqueue_due_calendar_reads is
  'Enqueues the connections with selected calendars that were not read for calendar_refresh_minutes, of hosts of '
  'podcasts with active booking links, the longest unread first, and deletes the busy times of deselected calendars. '
  'Examines at most max_reads calendars, less the messages that wait. Returns how many connections '
  'were enqueued.';
