-- CDN purges: each public response about a podcast has the podcast's surrogate key. A change that such a response shows
-- enqueues {key}. The message has no podcast_id, because it must outlive the podcast. It waits for
-- cdn_purge_delay_seconds, and further changes join it while it waits for at least two seconds more.
create function private.surrogate_key(slug text) returns text
language sql stable security invoker set search_path = ''
as $$
  select 'podcast-' || left(encode(sha256(convert_to($1, 'UTF8')), 'hex'), 16)
$$;
comment on function private.surrogate_key is
  'The surrogate key of a podcast, as functions/app/surrogate_keys.ts: short ASCII for slugs in any script.';

create function private.enqueue_cdn_purges(slugs text[], at timestamptz default clock_timestamp()) returns void
language plpgsql volatile security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  if cardinality(slugs) > 0 and private.get_setting('cdn_purge_url') <> '' then
    perform private.enqueue_unless_waiting('cdn_purge',
      array(select distinct jsonb_build_object('key', private.surrogate_key(s)) from unnest(slugs) s),
      private.get_setting('cdn_purge_delay_seconds')::int, at,
      min_wait_seconds => 2);  -- READ_LIMIT_MS in functions/database/pool.ts: reads of before the change end first
  end if;
end $$;
comment on function private.enqueue_cdn_purges is
  'Enqueues {key} of each podcast with these slugs, unless it waits for two seconds more, or cdn_purge_url is empty.';

-- After: changes of podcasts. A new one has no cached response, because caches store no 404.
create function private.purge_podcasts() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  perform private.enqueue_cdn_purges(array(select c.slug from changed_rows c));
  return null;
end $$;
create trigger t900_purge_update after update on public.podcasts
  referencing new table as changed_rows for each statement execute function private.purge_podcasts();
create trigger t900_purge_delete after delete on public.podcasts
  referencing old table as changed_rows for each statement execute function private.purge_podcasts();

create function private.purge_podcasts_of_credits() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  perform private.enqueue_cdn_purges(array(
    select p.slug from public.podcasts p where p.id in (select c.podcast_id from changed_rows c)));
  return null;
end $$;
create trigger t900_purge_insert after insert on public.podcast_credits
  referencing new table as changed_rows for each statement execute function private.purge_podcasts_of_credits();
create trigger t900_purge_update after update on public.podcast_credits
  referencing new table as changed_rows for each statement execute function private.purge_podcasts_of_credits();
create trigger t900_purge_delete after delete on public.podcast_credits
  referencing old table as changed_rows for each statement execute function private.purge_podcasts_of_credits();

-- After: changes of published episodes. Those of an import purge with the feed that lists them.
create function private.purge_episodes() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
declare
  podcast_ids uuid[];
begin
  if private.get_setting('cdn_purge_url') = '' or private.is_feed_announced_elsewhere() then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    podcast_ids := array(select distinct o.podcast_id from old_rows o where o.status = 'published');
  end if;
  if tg_op <> 'DELETE' then
    podcast_ids := podcast_ids || array(select distinct n.podcast_id from new_rows n where n.status = 'published');
  end if;
  perform private.enqueue_cdn_purges(array(select p.slug from public.podcasts p where p.id = any (podcast_ids)));
  return null;
end $$;
create trigger t900_purge_insert after insert on public.episodes
  referencing new table as new_rows for each statement execute function private.purge_episodes();
create trigger t900_purge_update after update on public.episodes
  referencing old table as old_rows new table as new_rows for each statement execute function private.purge_episodes();
create trigger t900_purge_delete after delete on public.episodes
  referencing old table as old_rows for each statement execute function private.purge_episodes();

-- Credits are not here: a changed credit updates its published episode (announce_credits).
create function private.purge_episodes_of_rows() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  if private.get_setting('cdn_purge_url') = '' or private.is_feed_announced_elsewhere() then
    return null;
  end if;
  perform private.enqueue_cdn_purges(array(
    select distinct p.slug from public.podcasts p join public.episodes e on e.podcast_id = p.id
    where e.id in (select c.episode_id from changed_rows c) and e.status = 'published'));
  return null;
end $$;
create trigger t900_purge_insert after insert on public.episode_transcripts
  referencing new table as changed_rows for each statement execute function private.purge_episodes_of_rows();
create trigger t900_purge_update after update on public.episode_transcripts
  referencing new table as changed_rows for each statement execute function private.purge_episodes_of_rows();
create trigger t900_purge_delete after delete on public.episode_transcripts
  referencing old table as changed_rows for each statement execute function private.purge_episodes_of_rows();
create trigger t900_purge_insert after insert on public.episode_chapters
  referencing new table as changed_rows for each statement execute function private.purge_episodes_of_rows();
create trigger t900_purge_update after update on public.episode_chapters
  referencing new table as changed_rows for each statement execute function private.purge_episodes_of_rows();
create trigger t900_purge_delete after delete on public.episode_chapters
  referencing old table as changed_rows for each statement execute function private.purge_episodes_of_rows();

-- After: a feed changes when its document does, which is later than the rows that it shows.
create function private.purge_feed() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.enqueue_cdn_purges(array(select p.slug from public.podcasts p where p.id = new.podcast_id));
  return null;
end $$;
create trigger t900_purge_insert after insert on private.feed_documents
  for each row execute function private.purge_feed();
create trigger t900_purge_update after update on private.feed_documents
  for each row when (new.digest is distinct from old.digest) execute function private.purge_feed();
