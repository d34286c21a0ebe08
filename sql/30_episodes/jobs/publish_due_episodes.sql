-- Publishes due scheduled episodes. Cron calls it every 15 seconds; concurrent runs are harmless.
create function private.publish_due_episodes(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  published int;
begin
  with due as (
    select e.id from public.episodes e
    join public.podcasts p on p.id = e.podcast_id
    where e.status = 'scheduled' and e.scheduled_at <= at
      and p.status in ('active', 'paused')
      and (e.audio_url is not null or p.hosting_type = 'external')
    order by e.scheduled_at limit 500
    for update of e skip locked
    for key share of p skip locked  -- its status is changing: the next run sees it
  )
  update public.episodes e set status = 'published', published_at = e.scheduled_at
  from due where e.id = due.id;
  get diagnostics published = row_count;
  return published;
end $$;
comment on function private.publish_due_episodes is
  'Publishes due episodes with scheduled_at as their date, at most 500 per run. Returns how many.';
