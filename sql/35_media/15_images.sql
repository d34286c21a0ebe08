-- Images of podcasts and covers of episodes: whose they are, and how long their objects live.
create function private.require_image_target(podcast_id uuid, image_type text, episode_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_role(require_image_target.podcast_id, 'admin');
  if require_image_target.image_type = 'episode_cover' then
    perform from public.episodes e where e.id = require_image_target.episode_id and e.podcast_id = require_image_target.podcast_id;
    if not found then
      raise sqlstate 'PT404' using message = 'Episode not found on this podcast';
    end if;
  end if;
  perform private.require_writable_podcast(require_image_target.podcast_id);
end $$;
comment on function private.require_image_target is 'Returns when the caller may set this image here; PT401, PT403, PT404 or PT409 otherwise.';
grant execute on function private.require_image_target to authenticated;

create function private.image_path(podcast_id uuid, image_type text, episode_id uuid, id uuid, content_type text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case image_type
    when 'episode_cover' then format('podcasts/%s/e/%s/images/%s.%s', podcast_id, episode_id, id, private.image_extension(content_type))
    else format('podcasts/%s/images/%s/%s.%s', podcast_id, image_type, id, private.image_extension(content_type)) end;
end $$;
comment on function private.image_path is 'Where an image is stored (contract, Stored object paths).';
grant execute on function private.image_path to authenticated;

create function private.image_url(path text) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return format('%s/%s?v=%s', private.setting('media_url'), path, floor(extract(epoch from clock_timestamp()) * 1000));
end $$;
comment on function private.image_url is 'An image''s public URL with its cache-busting parameter, ?v=<epoch milliseconds>.';
grant execute on function private.image_url to authenticated;

create function private.podcast_image_url(podcast public.podcasts, image_type text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case image_type
    when 'cover' then podcast.cover_image_url when 'header' then podcast.header_image_url
    when 'banner' then podcast.banner_image_url when 'profile' then podcast.profile_image_url end;
end $$;
comment on function private.podcast_image_url is 'What a podcast names as its image of this type.';

create function private.set_podcast_image_url(podcast_id uuid, image_type text, url text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  case image_type
    when 'cover' then update public.podcasts p set cover_image_url = url where p.id = podcast_id;
    when 'header' then update public.podcasts p set header_image_url = url where p.id = podcast_id;
    when 'banner' then update public.podcasts p set banner_image_url = url where p.id = podcast_id;
    when 'profile' then update public.podcasts p set profile_image_url = url where p.id = podcast_id;
  end case;
end $$;
comment on function private.set_podcast_image_url is 'Sets a podcast''s image of this type.';

-- After: an image object lives as long as its own column names it, whoever writes the column. What it named before is
-- released; what it names again before it was collected lives again, and is charged again.
create function private.sync_image_objects(target_id uuid, usage text, url text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  named text := private.own_object_path(url);
begin
  perform from private.media_objects m
  where m.target_id = sync_image_objects.target_id and m.usage = sync_image_objects.usage and (m.released_at is null or m.path = named)
  order by m.path for update;  -- rows are locked in one order everywhere
  -- an episode has one cover object (contract); a podcast's images are in cached feeds, and wait for the sweep
  perform private.release_media_objects(array_agg(m.path), sync_image_objects.usage <> 'episode_cover')
  from private.media_objects m
  where m.target_id = sync_image_objects.target_id and m.usage = sync_image_objects.usage and m.released_at is null and m.path is distinct from named
  having count(*) > 0;
  update private.media_objects m set released_at = null  -- its account has followed the podcast all the time
  where m.path = named and m.target_id = sync_image_objects.target_id and m.usage = sync_image_objects.usage and m.released_at is not null;
end $$;
comment on function private.sync_image_objects is 'Releases the image objects of a place that its column names no more, and revives the one that it names again.';

create function private.sync_episode_cover() returns trigger
language plpgsql security definer  -- the ledger and the queue are not the caller's
set search_path = ''
as $$
begin
  perform private.sync_image_objects(new.id, 'episode_cover', new.cover_image_url);
  return null;
end $$;
create trigger t500_sync_cover after update of cover_image_url on public.episodes
  for each row when (old.cover_image_url is distinct from new.cover_image_url) execute function private.sync_episode_cover();

create function private.sync_podcast_images() returns trigger
language plpgsql security definer  -- the ledger is not the caller's
set search_path = ''
as $$
begin
  perform private.sync_image_objects(new.id, i.usage, i.now)
  from (values
    ('cover', old.cover_image_url, new.cover_image_url), ('header', old.header_image_url, new.header_image_url),
    ('banner', old.banner_image_url, new.banner_image_url), ('profile', old.profile_image_url, new.profile_image_url)
  ) i (usage, before, now)
  where i.before is distinct from i.now;
  return null;
end $$;
create trigger t500_sync_images after update of cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row execute function private.sync_podcast_images();
