-- Feed invalidations: a change of data that a feed shows enqueues one. One message per change, except of an import; the
-- job renders each podcast once for all messages of a batch.
create function private.invalidate_feed(
  type text, podcast_id uuid, podcast_slug text, episode_id uuid default null, at timestamptz default now(),
  delay_seconds int default 0)
returns void
language plpgsql volatile security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  perform private.enqueue('feed_invalidation', jsonb_build_object('type', type, 'podcast_id', podcast_id,
    'podcast_slug', podcast_slug, 'episode_id', episode_id, 'timestamp', at), delay_seconds);
end $$;
comment on function private.invalidate_feed is
  'Enqueues {type, podcast_id, podcast_slug, episode_id, timestamp} for the feed renderer, visible after the delay.';

-- The messages become visible one after the other, so that the renderings of all feeds delay none of a new episode.
create function private.invalidate_all_feeds(
  max_feeds_per_second int default 20, at timestamptz default clock_timestamp()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  enqueued int;
begin
  perform private.delete_jobs('{"type": "settings.changed"}', 'feed_invalidation');  -- an earlier call's
  select count(private.enqueue('feed_invalidation', jsonb_build_object('type', 'settings.changed', 'podcast_id', n.id,
    'podcast_slug', n.slug, 'episode_id', null, 'timestamp', at),
    (n.place / max_feeds_per_second)::int, at)) into enqueued
  from (
    select p.id, p.slug, row_number() over (order by p.id) - 1 as place
    from public.podcasts p where p.hosting_type = 'native'
  ) n;
  return enqueued;
end $$;
comment on function private.invalidate_all_feeds is
  'For operators, after a change of a setting that feeds show: enqueues a rendering of each feed, some per second. '
  'Returns how many.';

-- After: a running import announces its episodes together, in messages that wait for more of them, and all at its end.
create function private.announce_imported_episodes() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  perform private.leave_waking_to_cron(true);
  perform private.invalidate_feed('episodes.imported', p.id, p.slug, delay_seconds =>
    case when new.status = 'running' then greatest(0, extract(epoch from new.feed_due_at - clock_timestamp()))::int
      else 0 end)
  from public.podcasts p where p.id = new.podcast_id;  -- hosted here: others have no imports
  perform private.leave_waking_to_cron(false);
  return null;
end $$;
create trigger t900_announce_feed after update on public.podcast_imports
  for each row when (new.feed_due_at is distinct from old.feed_due_at
    or new.status <> 'running' and new.completed_count > 0
      and (new.status <> old.status or new.completed_count <> old.completed_count))
  execute function private.announce_imported_episodes();
