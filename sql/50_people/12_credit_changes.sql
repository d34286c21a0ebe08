-- What follows when credits change.
-- After: the order stays without gaps, the episode's feed item is stale, and the feed hears of it.
create function private.renumber_credits() returns trigger
language plpgsql security definer  -- clients have no grant on credits
set search_path = ''
as $$
begin
  update public.episode_credits c set display_order = ordered.place
  from (
    select k.id, row_number() over (partition by k.episode_id order by k.display_order) - 1 as place
    from public.episode_credits k where k.episode_id in (select g.episode_id from gone g)
  ) ordered
  where c.id = ordered.id and c.display_order <> ordered.place;
  return null;
end $$;
create trigger t500_renumber after delete on public.episode_credits
  referencing old table as gone
  for each statement execute function private.renumber_credits();

create function private.announce_credits() returns trigger
language plpgsql security definer  -- neither the episode's time nor the queue is the caller's
set search_path = ''
as $$
declare
  episode record;
begin
  for episode in  -- not of an episode that goes with its credits
    select e.id, e.podcast_id, p.slug from public.episodes e
    join public.podcasts p on p.id = e.podcast_id
    where e.id in (select c.episode_id from changed c)
  loop
    -- an item is rendered again when the episode's time is another (sql/90_feeds)
    update public.episodes e set updated_at = clock_timestamp() where e.id = episode.id and e.status = 'published';
    begin
      perform private.invalidate_feed('episode.credits.updated', episode.podcast_id, episode.slug, episode.id);
    exception when others then  -- best effort: a credit is not refused because a message cannot be sent
      raise log 'castbase: episode.credits.updated of % was not queued: % (%)', episode.id, sqlerrm, sqlstate;
    end;
  end loop;
  return null;
end $$;
create trigger t900_announce_insert after insert on public.episode_credits
  referencing new table as changed
  for each statement execute function private.announce_credits();
create trigger t900_announce_update after update on public.episode_credits
  referencing new table as changed
  for each statement when (pg_trigger_depth() = 0) execute function private.announce_credits();  -- a closed gap is part of a deletion
create trigger t900_announce_delete after delete on public.episode_credits
  referencing old table as changed
  for each statement execute function private.announce_credits();
