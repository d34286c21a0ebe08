-- Reminds of deletions a week and a day ahead, and of the end of pauses, with which billing resumes, a week ahead.
-- Nothing is said of what was scheduled less than a day before.
create function private.announce_near_ends(at timestamptz default now(), max_podcasts int default 1000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  reminded int := 0;
  due      record;
begin
  for due in
    with near as (
      select p.id, 'pause_week' as kind, interval '7 days' as ahead, p.pause_expires_at as ends_at,
        p.paused_at as decided_at
      from public.podcasts p
      where p.status = 'paused' and p.pause_expires_at between at and at + interval '7 days'
      union all
      select p.id, r.kind, r.ahead, p.deletion_scheduled_at, p.deletion_requested_at
      from (values ('deletion_week', interval '7 days', interval '1 day'), ('deletion_day', '1 day', '0')
      ) r (kind, ahead, behind)
      join public.podcasts p on p.status = 'pending_deletion'
        and p.deletion_scheduled_at between at + r.behind and at + r.ahead
    ), told as (
      insert into private.podcast_reminders (podcast_id, kind, ends_at)
      select n.id, n.kind, n.ends_at from near n
      where n.decided_at <= n.ends_at - n.ahead - interval '1 day'
        and not exists (select from private.podcast_reminders r
          where (r.podcast_id, r.kind, r.ends_at) = (n.id, n.kind, n.ends_at))
      order by n.ends_at, n.id limit max_podcasts
      on conflict do nothing
      returning podcast_id, kind, ends_at
    )
    select case when t.kind = 'pause_week' then 'podcast.pause_ending' else 'podcast.deletion_near' end as type,
      jsonb_agg(jsonb_build_object(
        'recipients', private.team_recipients(t.podcast_id, case when t.kind = 'pause_week' then 'owner' else 'admin'
          end::public.podcast_role),
        'payload', jsonb_build_object('podcast_id', t.podcast_id, 'ends_at', private.format_timestamp(t.ends_at))
          || case t.kind when 'deletion_day' then '{"params": {"variant": "tomorrow"}}' else '{}' end::jsonb,
        'group_key', case when t.kind = 'pause_week' then 'podcast_pause:' else 'podcast_deletion:' end || t.podcast_id
      ) order by t.ends_at) as events
    from told t group by 1
  loop
    perform private.notify_each(due.type, due.events, at);
    reminded := reminded + jsonb_array_length(due.events);
  end loop;
  return reminded;
end $$;
comment on function private.announce_near_ends is
  'Tells owner and admins of deletions that are due in a week, and in a day, and the owner of a pause that ends in a '
  'week; once each, at most max_podcasts per run. Cron calls it hourly. Returns how many.';
