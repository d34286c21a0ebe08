-- An image column holds an external URL or an object of its own folder. An object of another podcast, episode or image
-- type would leave the column dangling once it is replaced there.
create function private.require_own_image(column_name text, url text, folder text, copy_hint text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  path text := private.own_object_path(url);
begin
  if path is null or not private.is_http_url(url)  -- the column's constraint rejects the URL
     or path ~ ('^' || folder || '[A-Za-z0-9_-]+\.(jpg|png|webp)$') then
    return;
  end if;
  raise sqlstate 'PT400' using
    message = format('%s cannot use an object that is stored for something else; copy it first', column_name),
    hint = 'IMAGE_NOT_OWNED',
    detail = case when starts_with(path, 'imports/') and copy_hint like '%artwork%'
      then format('POST /api/media/move-artwork copies %s and sets the column', path) else copy_hint end;
end $$;
comment on function private.require_own_image is
  'PT400 IMAGE_NOT_OWNED for the URL of an object of ours outside `folder`; the detail names the operation that copies '
  'it.';
grant execute on function private.require_own_image to authenticated;  -- guard_chapter_image runs as its caller

-- Checks changed columns only, so that rows that already have such a URL stay editable.
create function private.guard_podcast_images() returns trigger
language plpgsql security definer  -- clients may not execute the helper
set search_path = ''
as $$
declare
  image record;
begin
  for image in
    select i.type, i.url
    from (values
      ('cover', new.cover_image_url, old.cover_image_url), ('header', new.header_image_url, old.header_image_url),
      ('banner', new.banner_image_url, old.banner_image_url), ('profile', new.profile_image_url, old.profile_image_url)
    ) i (type, url, before)
    where i.url is distinct from i.before and i.url is not null
  loop
    perform private.require_own_image(image.type || '_image_url', image.url,
      private.image_folder(new.id, image.type, null),
      'POST /api/media/import-artwork with podcastId and imageType copies it and sets the column');
  end loop;
  return new;
end $$;
create trigger t330_guard_images
  before insert or update of cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row execute function private.guard_podcast_images();

create function private.guard_episode_cover() returns trigger
language plpgsql security definer  -- clients may not execute the helper
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.cover_image_url is distinct from old.cover_image_url then
    perform private.require_own_image('cover_image_url', new.cover_image_url,
      private.image_folder(new.podcast_id, 'episode_cover', new.id),
      'PUT /api/media/upload/{uploadId} with imageType episode_cover stores a copy and sets the column');
  end if;
  return new;
end $$;
create trigger t330_guard_cover before insert or update of cover_image_url on public.episodes
  for each row when (new.cover_image_url is not null) execute function private.guard_episode_cover();
