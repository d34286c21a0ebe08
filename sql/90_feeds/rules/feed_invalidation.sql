-- After: a change of data that a feed shows enqueues a feed invalidation. One message per change, except of an import;
-- the job renders each podcast once for all messages of a batch.
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

create function private.is_feed_announced_elsewhere() returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return current_setting('castbase.announces_feed', true) = 'no';
end $$;
comment on function private.is_feed_announced_elsewhere is
  'Whether the changes of this transaction need no message, because the caller renders the feed itself '
  '(store_feed_show_notes), or announces episodes together (create_imported_episode).';

create function private.announce_podcast() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then  -- feeds do not show these columns
    old.updated_at := new.updated_at;
    old.owner_id := new.owner_id;
    old.paused_at := new.paused_at;
    old.pause_expires_at := new.pause_expires_at;
    old.last_pause_ended_at := new.last_pause_ended_at;
    if new.status in ('active', 'paused') and old.status in ('active', 'paused') then
      old.status := new.status;
    end if;
    if old is not distinct from new then
      return null;
    end if;
  end if;
  perform private.invalidate_feed(
    case tg_op when 'INSERT' then 'podcast.created' else 'podcast.updated' end, new.id, new.slug);
  return null;
end $$;
create trigger t900_announce_insert after insert on public.podcasts
  for each row when (new.hosting_type = 'native') execute function private.announce_podcast();
create trigger t900_announce_update after update on public.podcasts
  for each row when (new.hosting_type = 'native') execute function private.announce_podcast();

create function private.announce_episode() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
declare
  was_listed boolean := tg_op <> 'INSERT' and old.status = 'published';
  is_listed  boolean := tg_op <> 'DELETE' and new.status = 'published';
  podcast    public.podcasts;
begin
  if not was_listed and not is_listed or private.is_feed_announced_elsewhere() then
    return null;
  end if;
  if tg_op = 'UPDATE' then  -- feeds do not show these columns
    old.updated_at := new.updated_at;
    old.created_by := new.created_by;
    if old is not distinct from new then
      return null;
    end if;
  end if;
  select * into podcast from public.podcasts p
  where p.id = case tg_op when 'DELETE' then old.podcast_id else new.podcast_id end;
  if podcast.hosting_type = 'native' then  -- null if the podcast is being deleted
    perform private.invalidate_feed(
      case when not was_listed then 'episode.published' when not is_listed then 'episode.unpublished'
           else 'episode.updated' end,
      podcast.id, podcast.slug, case tg_op when 'DELETE' then old.id else new.id end);
  end if;
  return null;
end $$;
create trigger t900_announce_feed after insert or update or delete on public.episodes
  for each row execute function private.announce_episode();

-- A running import announces its episodes together, in messages that wait for more of them, and all at its end.
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

-- A changed credit makes the episode's feed item stale, because an item is rendered again when updated_at changes.
create function private.announce_credits() returns trigger
language plpgsql security definer  -- clients may not write updated_at or the queue
set search_path = ''
as $$
declare
  -- an array, because the number of rows of a transition table is not known to the planner
  episode_ids constant uuid[] := array(select distinct c.episode_id from changed_rows c);
begin
  if private.is_feed_announced_elsewhere() then
    return null;
  end if;
  update public.episodes e set updated_at = clock_timestamp()
  where e.id = any (episode_ids) and e.status = 'published';
  begin
    perform private.invalidate_feed('episode.credits.updated', e.podcast_id, p.slug, e.id)
    from public.episodes e  -- an episode that is deleted with its credits has no row here
    join public.podcasts p on p.id = e.podcast_id
    where e.id = any (episode_ids);
  exception when others then  -- best effort: a credit is saved even if the message cannot be enqueued
    raise log 'castbase: failed to enqueue episode.credits.updated for %: % (%)', episode_ids, sqlerrm, sqlstate;
  end;
  return null;
end $$;
create trigger t900_announce_insert after insert on public.episode_credits
  referencing new table as changed_rows
  for each statement execute function private.announce_credits();
create trigger t900_announce_update after update on public.episode_credits
  referencing new table as changed_rows
  for each statement when (pg_trigger_depth() = 0)  -- renumbering is part of a deletion
  execute function private.announce_credits();
create trigger t900_announce_delete after delete on public.episode_credits
  referencing old table as changed_rows
  for each statement execute function private.announce_credits();

-- The channel shows the podcast's credits; no item does.
create function private.announce_podcast_credits() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
declare
  podcast_ids constant uuid[] := array(select distinct c.podcast_id from changed_rows c);
begin
  perform private.invalidate_feed('podcast.credits.updated', p.id, p.slug)
  from public.podcasts p
  where p.id = any (podcast_ids) and p.hosting_type = 'native';
  return null;
end $$;
create trigger t900_announce_insert after insert on public.podcast_credits
  referencing new table as changed_rows
  for each statement execute function private.announce_podcast_credits();
create trigger t900_announce_update after update on public.podcast_credits
  referencing new table as changed_rows
  for each statement execute function private.announce_podcast_credits();
create trigger t900_announce_delete after delete on public.podcast_credits
  referencing old table as changed_rows
  for each statement execute function private.announce_podcast_credits();
-- Transcripts and chapters are part of the feed item, too.
create function private.announce_item_rows() returns trigger
language plpgsql security definer  -- clients may not write updated_at or the queue
set search_path = ''
as $$
declare
  episode_ids constant uuid[] := array(select distinct c.episode_id from changed_rows c);
  episode     record;
begin
  if private.is_feed_announced_elsewhere() then
    return null;
  end if;
  for episode in  -- an episode that is deleted with its rows has no row here
    update public.episodes e set updated_at = clock_timestamp()
    from public.podcasts p
    where e.id = any (episode_ids) and e.status = 'published' and p.id = e.podcast_id
      and p.hosting_type = 'native'
    returning e.id, e.podcast_id, p.slug
  loop
    perform private.invalidate_feed('episode.updated', episode.podcast_id, episode.slug, episode.id);
  end loop;
  return null;
end $$;
create trigger t900_announce_insert after insert on public.episode_transcripts
  referencing new table as changed_rows for each statement execute function private.announce_item_rows();
create trigger t900_announce_update after update on public.episode_transcripts
  referencing new table as changed_rows for each statement execute function private.announce_item_rows();
create trigger t900_announce_delete after delete on public.episode_transcripts
  referencing old table as changed_rows for each statement execute function private.announce_item_rows();
create trigger t900_announce_insert after insert on public.episode_chapters
  referencing new table as changed_rows for each statement execute function private.announce_item_rows();
create trigger t900_announce_update after update on public.episode_chapters
  referencing new table as changed_rows for each statement execute function private.announce_item_rows();
create trigger t900_announce_delete after delete on public.episode_chapters
  referencing old table as changed_rows for each statement execute function private.announce_item_rows();
