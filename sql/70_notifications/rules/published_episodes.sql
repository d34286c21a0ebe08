-- The first publication of an episode notifies the team, except the caller. Imported episodes do not notify:
-- their import does. An admin can create and publish episodes in a loop, so further ones notify once per hour.
create function private.announce_published_episodes() returns trigger
language plpgsql security definer  -- clients may not write events
set search_path = ''
as $$
declare
  episode_ids uuid[];
  batch       record;
begin
  if tg_op = 'INSERT' then
    episode_ids := array(select n.id from new_rows n where n.status = 'published' and n.origin = 'app');
  else
    episode_ids := array(
      select n.id from new_rows n
      where n.status = 'published' and n.origin = 'app'
        -- an array, because a join of 5,000 published rows can get a plan for one row
        and n.id = any (array(select o.id from old_rows o where o.first_published_at is null)));
  end if;
  for batch in
    select n.podcast_id, array_agg(n.id order by n.id) as episode_ids,
      private.team_recipients(n.podcast_id, except_user_id => auth.uid()) as recipients
    from new_rows n where n.id = any (episode_ids) group by n.podcast_id order by n.podcast_id
  loop
    perform private.notify_each('episode.published', (
      select jsonb_agg(jsonb_build_object('recipients', batch.recipients, 'dedupe_key', k.dedupe_key,
        'payload', jsonb_build_object('podcast_id', batch.podcast_id, 'episode_id', batch.episode_ids[k.n],
          'actor_id', auth.uid())) order by k.n)
      from private.repeated_notice_keys(format('episode_published:%s:%s', batch.podcast_id, auth.uid()), 20,
        cardinality(batch.episode_ids))
        with ordinality k (dedupe_key, n)));
  end loop;
  return null;
end $$;
create trigger t900_announce_inserted after insert on public.episodes
  referencing new table as new_rows for each statement execute function private.announce_published_episodes();
create trigger t900_announce_updated after update on public.episodes
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.announce_published_episodes();
