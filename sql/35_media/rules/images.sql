-- Images of podcasts, covers of episodes and images of chapters: who may set them, their paths, and the life of their
-- objects.
create function private.is_image_of_episode(image_type text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return $1 in ('episode_cover', 'chapter');
comment on function private.is_image_of_episode is 'Whether images of this type belong to an episode.';
grant execute on function private.is_image_of_episode to authenticated;

create function private.require_image_target(_podcast_id uuid, _image_type text, _episode_id uuid) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if private.is_image_of_episode(_image_type) then
    perform private.require_upload_episode(_podcast_id, _episode_id);
  else
    perform private.require_role(_podcast_id, 'admin');
    perform private.reject_pending_deletion(p.status) from public.podcasts p
    where p.id = _podcast_id;  -- the finish of the upload locks the podcast
  end if;
end $$;
comment on function private.require_image_target is
  'PT401, PT403, PT404 or PT409 unless the caller may set this image of the podcast or episode.';
grant execute on function private.require_image_target to authenticated;

create function private.image_folder(podcast_id uuid, image_type text, episode_id uuid) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case image_type
    when 'episode_cover' then format('podcasts/%s/e/%s/images/', podcast_id, episode_id)
    when 'chapter' then format('podcasts/%s/e/%s/chapters/', podcast_id, episode_id)
    else format('podcasts/%s/images/%s/', podcast_id, image_type) end;
end $$;
comment on function private.image_folder is
  'Returns the folder of the images of a type: of the podcast, or of the episode.';
grant execute on function private.image_folder to authenticated;

create function private.image_path(podcast_id uuid, image_type text, episode_id uuid, id uuid, content_type text)
returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return format('%s%s.%s', private.image_folder(podcast_id, image_type, episode_id), id,
    private.image_extension(content_type));
end $$;
comment on function private.image_path is 'Returns the path of an image.';
grant execute on function private.image_path to authenticated;

create function private.image_url(path text, at timestamptz default clock_timestamp()) returns text
language sql stable security invoker set search_path = ''
return format('%s/%s?v=%s', private.get_setting('media_url'), path, floor(extract(epoch from at) * 1000));
comment on function private.image_url is
  'Returns an image''s public URL with its cache-busting parameter, ?v=<epoch milliseconds>.';
grant execute on function private.image_url to authenticated;

create function private.podcast_image_url(podcast public.podcasts, image_type text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case image_type
    when 'cover' then podcast.cover_image_url when 'header' then podcast.header_image_url
    when 'banner' then podcast.banner_image_url when 'profile' then podcast.profile_image_url end;
end $$;
comment on function private.podcast_image_url is 'Returns the URL of a podcast''s image of this type.';

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
comment on function private.set_podcast_image_url is 'Sets the URL of a podcast''s image of this type.';

create function private.live_image_size(_target_id uuid, _usage text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('width', m.width, 'height', m.height) from private.media_objects m
    where m.target_id = _target_id and m.usage = _usage and m.released_at is null);
end $$;
comment on function private.live_image_size is
  'Returns {width, height} in pixels of the stored image that a column references; null if it references none.';
-- No grant: the feed renderer calls it.

-- The column first: its triggers release the previous object and enqueue the feed invalidation.
create function private.set_image(
  _podcast_id uuid, image_type text, _episode_id uuid, _path text, _bytes bigint, _content_type text, image jsonb,
  at timestamptz default now()) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  url text := private.image_url(_path, at);
begin
  if image_type = 'episode_cover' then
    update public.episodes e set cover_image_url = url where e.id = _episode_id;
  elsif image_type <> 'chapter' then  -- clients write the URL of such an image into a chapter
    perform private.set_podcast_image_url(_podcast_id, image_type, url);
  end if;
  insert into private.media_objects
    (path, account_id, podcast_id, episode_id, usage, bytes, content_type, width, height, created_at)
  select _path, p.owner_id, p.id, _episode_id, image_type, _bytes, _content_type,
    (image ->> 'width')::int, (image ->> 'height')::int, at
  from public.podcasts p where p.id = _podcast_id;
  return url;
end $$;
comment on function private.set_image is
  'Makes a stored object the image of a locked podcast or episode, and returns its URL. PT409 over the allowance.';

-- After: an image object is live while its own column references it, for every writer of the column. The trigger
-- releases the previous object, and revives (and charges) a released object that the column references again.
create function private.sync_image_objects(_target_id uuid, _usage text, url text, at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  referenced text := private.own_object_path(url);
begin
  perform from private.media_objects m
  where m.target_id = _target_id and m.usage = _usage
    and (m.released_at is null or m.path = referenced)
  order by m.path for update;  -- all code locks objects in the order of their paths
  -- an episode has one cover object; a podcast's images are in cached feeds and wait for the sweep
  perform private.release_media_objects(array_agg(m.path), _usage <> 'episode_cover', at)
  from private.media_objects m
  where m.target_id = _target_id and m.usage = _usage and m.released_at is null
    and m.path is distinct from referenced
  having count(*) > 0;
  update private.media_objects m set released_at = null  -- its account has followed the podcast's transfers
  where m.path = referenced and m.target_id = _target_id and m.usage = _usage
    and m.released_at is not null;
end $$;
comment on function private.sync_image_objects is
  'Releases the image objects that a column no longer references, and revives the object that it references again.';

create function private.sync_episode_cover() returns trigger
language plpgsql security definer  -- clients may not write the ledger or the queue
set search_path = ''
as $$
begin
  perform private.sync_image_objects(new.id, 'episode_cover', new.cover_image_url);
  return null;
end $$;
create trigger t500_sync_cover after update of cover_image_url on public.episodes
  for each row when (old.cover_image_url is distinct from new.cover_image_url)
  execute function private.sync_episode_cover();

create function private.sync_podcast_images() returns trigger
language plpgsql security definer  -- clients may not write the ledger
set search_path = ''
as $$
begin
  perform private.sync_image_objects(new.id, i.usage, i.after)
  from (values
    ('cover', old.cover_image_url, new.cover_image_url), ('header', old.header_image_url, new.header_image_url),
    ('banner', old.banner_image_url, new.banner_image_url), ('profile', old.profile_image_url, new.profile_image_url)
  ) i (usage, before, after)
  where i.before is distinct from i.after;
  return null;
end $$;
create trigger t500_sync_images
  after update of cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row execute function private.sync_podcast_images();
