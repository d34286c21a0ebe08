-- Begins a rendering: what the feed's head is made from, under the feed's lock, with the items of episodes that are no
-- longer published taken out.
--
-- The lock makes two renderings of one podcast follow each other. Whoever comes second reads after the first has
-- committed, so a document is never replaced by one made from older rows. The row lock keeps the podcast until then.
create function private.open_feed(podcast_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast public.podcasts;
begin
  perform pg_advisory_xact_lock(hashtextextended('feed/' || open_feed.podcast_id, 0));
  select * into podcast from public.podcasts p
  where p.id = open_feed.podcast_id and p.hosting_type = 'native' and p.status <> 'deleted'
  for key share;
  if not found then
    return null;
  end if;
  delete from private.feed_items i
  where i.podcast_id = open_feed.podcast_id
    and not exists (select from public.episodes e where e.id = i.episode_id and e.status = 'published');
  return to_jsonb(podcast) - 'owner_email' || jsonb_build_object(
    'shown_owner_email', case when podcast.show_owner_email then podcast.owner_email end,
    'feed_url', private.feed_url(podcast.slug),
    'listen_url', private.listen_url(podcast.slug));
end $$;
comment on function private.open_feed is 'Takes the feed''s lock and returns the podcast; null when it has no feed (external, deleted, gone).';
revoke all on function private.open_feed from public, anon, authenticated, service_role;
