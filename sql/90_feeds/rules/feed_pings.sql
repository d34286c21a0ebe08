-- Feed pings: a changed feed document enqueues one message per receiver, a WebSub hub and a podping endpoint, so that a
-- failing receiver repeats nothing at the other. A message waits for feed_ping_delay_seconds, and further changes of
-- the feed join it.
create function private.enqueue_feed_ping(_type text, _podcast_id uuid, at timestamptz default clock_timestamp())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue_unless_waiting('feed_pings', array[jsonb_build_object('type', _type,
      'podcast_id', _podcast_id)], private.get_setting('feed_ping_delay_seconds')::int, at);
end $$;
comment on function private.enqueue_feed_ping is
  'Enqueues {type, podcast_id} for the receiver websub or podping, unless such a message waits for its first attempt. '
  'Replaces messages that wait for another attempt.';

-- After: podping is a public announcement, which a podcast with itunes:block does not want. A hub learns only of the
-- feeds that name it.
create function private.announce_feed_document() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  podcast public.podcasts;
begin
  select * into podcast from public.podcasts p where p.id = new.podcast_id and p.hosting_type = 'native';
  if not found or coalesce(cardinality(old.items), 0) = 0 and not exists (
    select from public.episodes e where e.podcast_id = new.podcast_id and e.first_published_at is not null)
  then
    return null;  -- no episode was ever public
  end if;
  if private.get_setting('podping_url') <> '' and not podcast.is_blocked then
    perform private.enqueue_feed_ping('podping', podcast.id);
  end if;
  if private.get_setting('websub_hub_url') <> '' then
    perform private.enqueue_feed_ping('websub', podcast.id);
  end if;
  return null;
end $$;
create trigger t900_announce_insert after insert on private.feed_documents
  for each row execute function private.announce_feed_document();
create trigger t900_announce_update after update on private.feed_documents
  for each row when (new.digest is distinct from old.digest) execute function private.announce_feed_document();

-- After: feeds name the hub, and whether podping announces them.
create function private.announce_feed_ping_setting() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if new.key = 'websub_hub_url' or (coalesce(new.value, '') = '') <> (coalesce(old.value, '') = '') then
    perform private.invalidate_all_feeds();
  end if;
  return null;
end $$;
create trigger t900_announce_feed_pings after update of value on private.settings
  for each row when (new.key in ('websub_hub_url', 'podping_url') and new.value is distinct from old.value)
  execute function private.announce_feed_ping_setting();
