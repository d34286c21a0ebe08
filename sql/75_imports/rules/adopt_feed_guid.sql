-- A confirmed import gives the podcast the feed's podcast:guid. Before the confirmation the importer may have proved
-- nothing, and must not take another podcast's identity. A podcast with a published episode keeps its own GUID.
create function private.adopt_feed_guid() returns trigger
language plpgsql security definer  -- clients may not write podcast_guid
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('podcast_guid:' || new.feed_podcast_guid, 0));
  if not exists (select from public.podcasts p where p.podcast_guid = new.feed_podcast_guid)
     and not exists (
       select from public.episodes e where e.podcast_id = new.podcast_id and e.first_published_at is not null) then
    perform private.adopt_podcast_guid(new.podcast_id, new.feed_podcast_guid);
  elsif not exists (select from public.podcasts p
    where p.id = new.podcast_id and p.podcast_guid = new.feed_podcast_guid) then
    update public.podcast_import_channels c set
      losses = c.losses || '[{"path": "podcast:guid", "reason": "REPLACED_BY_OURS"}]'
    where c.import_id = new.id;
  end if;
  return null;
end $$;
create trigger t500_adopt_feed_guid after update of status on public.podcast_imports
  for each row when (
    old.status = 'preview' and new.status in ('running', 'completed', 'partial', 'failed')
    and new.feed_podcast_guid is not null)
  execute function private.adopt_feed_guid();
