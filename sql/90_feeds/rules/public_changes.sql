-- Public changes: what feeds and the public API show. A change enqueues invalidations of the feed, and a purge of the
-- podcast's cached responses from the CDN, which also show what feeds do not.
--
-- Columns that a feed shows, or on which its findings depend, as tests/feed_writer/shown_columns.test.ts shows with the
-- renderer.
create function private.podcast_in_feed(podcast public.podcasts) returns record
language sql immutable security invoker set search_path = ''
as $$
  select row($1.title, $1.slug, $1.hosting_type, $1.description, $1.language, $1.author, $1.owner_name,
    $1.owner_email, $1.show_owner_email, $1.categories, $1.explicit, $1.type, $1.copyright, $1.link, $1.medium,
    $1.is_complete, $1.is_blocked, $1.podcast_guid, $1.locked, $1.apple_verify_token, $1.ai_disclosure, $1.license,
    $1.license_url, $1.funding, $1.verify_texts, $1.locations, $1.update_frequency, $1.podroll, $1.remote_items,
    $1.publisher, $1.directory_blocks, $1.images, $1.social_interactions, $1.value_blocks, $1.keywords, $1.tags,
    $1.extra_tags, $1.feed_page_size, $1.cover_image_url)
$$;
comment on function private.podcast_in_feed is 'The columns of a podcast that its feed depends on.';

create function private.episode_in_feed(episode public.episodes) returns record
language sql immutable security invoker set search_path = ''
as $$
  select row($1.podcast_id, $1.slug, $1.guid, $1.title, $1.itunes_title, $1.subtitle, $1.summary,
    $1.description, $1.link, $1.show_notes_version, $1.season_number, $1.season_name, $1.episode_number,
    $1.episode_display, $1.episode_type, $1.explicit, $1.is_blocked, $1.published_at, $1.chapters_url,
    $1.audio_url, $1.audio_file_size_bytes, $1.audio_content_type, $1.audio_duration_seconds,
    coalesce($1.audio_has_seek_table, true),  -- what most probes find changes no finding
    $1.cover_image_url, $1.license, $1.license_url, $1.funding, $1.texts, $1.locations, $1.images,
    $1.social_interactions, $1.value_blocks, $1.keywords, $1.tags, $1.soundbites,
    $1.content_links, $1.alternate_enclosures, $1.extra_tags, $1.show_notes_safe_html)
$$;
comment on function private.episode_in_feed is 'The columns of an episode that its feed depends on.';

create function private.announce_public_change(
  podcast_ids uuid[], feed_types text[], episode_ids uuid[] default '{}', at timestamptz default clock_timestamp())
returns void
language plpgsql volatile security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  perform private.invalidate_feed(c.feed_type, p.id, p.slug, c.episode_id)
  from unnest(podcast_ids, feed_types, episode_ids) c (podcast_id, feed_type, episode_id)
  join public.podcasts p on p.id = c.podcast_id and p.hosting_type = 'native'  -- no row if it is being deleted
  where c.feed_type is not null;
  perform private.enqueue_cdn_purges(array(select p.slug from public.podcasts p where p.id = any (podcast_ids)), at);
end $$;
comment on function private.announce_public_change is
  'Announces changes of podcasts: each with a feed_type to the feed, which it names with the episode at its place, and '
  'all to the CDN.';

-- After
create function private.announce_podcasts() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  case tg_op
    when 'INSERT' then  -- has no cached response, because caches store no 404
      perform private.invalidate_feed('podcast.created', n.id, n.slug) from new_rows n where n.hosting_type = 'native';
    when 'UPDATE' then
      perform private.announce_public_change(array_agg(n.id), array_agg(
        case when private.podcast_in_feed(o) is distinct from private.podcast_in_feed(n) then 'podcast.updated' end))
      from new_rows n join old_rows o on o.id = n.id;
    else
      perform private.enqueue_cdn_purges(array(select o.slug from old_rows o));
  end case;
  return null;
end $$;
create trigger t900_announce_insert after insert on public.podcasts
  referencing new table as new_rows for each statement execute function private.announce_podcasts();
create trigger t900_announce_update after update on public.podcasts
  referencing old table as old_rows new table as new_rows for each statement
  execute function private.announce_podcasts();
create trigger t900_announce_delete after delete on public.podcasts
  referencing old table as old_rows for each statement execute function private.announce_podcasts();

-- A redirect that is held back is announced again when it starts. That purge names its time, so that none which is due
-- sooner joins it.
create function private.announce_feed_redirect() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
declare
  _podcast_id constant uuid := coalesce(new.podcast_id, old.podcast_id);
  slug        constant text := coalesce(
    (select p.slug from public.podcasts p where p.id = _podcast_id),
    (select t.slug from private.podcast_tombstones t where t.podcast_id = _podcast_id));
  -- rounded up, because it must not come before
  seconds     constant int := ceil(extract(epoch from new.starts_at - clock_timestamp()));
begin
  perform private.announce_public_change(array[_podcast_id], array['podcast.updated']);
  perform private.enqueue_cdn_purges(array[slug]);  -- also of a deleted podcast
  if seconds > 0 then
    perform private.invalidate_feed('podcast.updated', p.id, p.slug, delay_seconds => seconds)
    from public.podcasts p where p.id = _podcast_id;
    perform private.enqueue('cdn_purge', jsonb_build_object(
      'key', private.surrogate_key(slug), 'starts_at', private.format_timestamp(new.starts_at)), seconds)
    where private.get_setting('cdn_purge_url') <> '';
  end if;
  return null;
end $$;
create trigger t900_announce_insert after insert on private.feed_redirects
  for each row execute function private.announce_feed_redirect();
create trigger t900_announce_update after update of url on private.feed_redirects
  for each row when (old.url <> new.url) execute function private.announce_feed_redirect();
create trigger t900_announce_delete after delete on private.feed_redirects
  for each row execute function private.announce_feed_redirect();

-- The channel shows the podcast's credits; no item does.
create function private.announce_podcast_credits() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  perform private.announce_public_change(array_agg(c.podcast_id), array_agg('podcast.credits.updated'::text))
  from (select distinct r.podcast_id from changed_rows r) c;
  return null;
end $$;
create trigger t900_announce_insert after insert on public.podcast_credits
  referencing new table as changed_rows for each statement execute function private.announce_podcast_credits();
create trigger t900_announce_update after update on public.podcast_credits
  referencing new table as changed_rows for each statement execute function private.announce_podcast_credits();
create trigger t900_announce_delete after delete on public.podcast_credits
  referencing old table as changed_rows for each statement execute function private.announce_podcast_credits();

create function private.announce_episodes() returns trigger
language plpgsql security definer  -- clients may not write to queues
set search_path = ''
as $$
begin
  if private.is_feed_announced_elsewhere() then
    return null;
  end if;
  case tg_op
    when 'INSERT' then
      perform private.announce_public_change(
        array_agg(n.podcast_id), array_agg('episode.published'::text), array_agg(n.id))
      from new_rows n where n.status = 'published';
    when 'UPDATE' then
      if not exists (select from new_rows n where n.status = 'published')
         and not exists (select from old_rows o where o.status = 'published') then
        return null;  -- the comparison of all columns takes longer than the rest of most updates
      end if;
      perform private.announce_public_change(array_agg(n.podcast_id), array_agg(case
        when o.status <> 'published' then 'episode.published'
        when n.status <> 'published' then 'episode.unpublished'
        when private.episode_in_feed(o) is distinct from private.episode_in_feed(n) then 'episode.updated' end),
        array_agg(n.id))
      from new_rows n join old_rows o on o.id = n.id where 'published' in (o.status, n.status);
    else
      perform private.announce_public_change(
        array_agg(o.podcast_id), array_agg('episode.unpublished'::text), array_agg(o.id))
      from old_rows o where o.status = 'published';
  end case;
  return null;
end $$;
create trigger t900_announce_insert after insert on public.episodes
  referencing new table as new_rows for each statement execute function private.announce_episodes();
create trigger t900_announce_update after update on public.episodes
  referencing old table as old_rows new table as new_rows for each statement
  execute function private.announce_episodes();
create trigger t900_announce_delete after delete on public.episodes
  referencing old table as old_rows for each statement execute function private.announce_episodes();

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

-- Transcripts and chapters are part of the feed item, too.
create function private.announce_item_rows() returns trigger
language plpgsql security definer  -- clients may not write updated_at or the queue
set search_path = ''
as $$
declare
  episode_ids constant uuid[] := array(select distinct c.episode_id from changed_rows c);
begin
  if private.is_feed_announced_elsewhere() then
    return null;
  end if;
  -- an episode that is deleted with its rows has no row here
  perform private.announce_feed_elsewhere(true);  -- announce_public_change below purges once
  update public.episodes e set updated_at = clock_timestamp()
  from public.podcasts p
  where e.id = any (episode_ids) and e.status = 'published' and p.id = e.podcast_id and p.hosting_type = 'native';
  perform private.announce_feed_elsewhere(false);
  perform private.announce_public_change(
    array_agg(e.podcast_id), array_agg('episode.updated'::text), array_agg(e.id))
  from public.episodes e where e.id = any (episode_ids) and e.status = 'published';
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

-- A copy of an image shows in public responses, but not in the feed. The copies of one image join one purge.
create function private.announce_image_copies() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.enqueue_cdn_purges(array(
    select p.slug from new_rows n
    join private.media_objects m on m.path = n.original_path join public.podcasts p on p.id = m.podcast_id));
  return null;
end $$;
create trigger t900_announce_insert after insert on private.media_copies
  referencing new table as new_rows for each statement execute function private.announce_image_copies();
